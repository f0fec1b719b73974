// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_PREPACKED_TILE_H
#define RL_KERNELS_MVE_PREPACKED_TILE_H

#include "scalar/prepacked_tile.h"

#endif
