// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H

#include "scalar/fully_connected_tile.h"

#endif
