// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_WINOGRAD_TILE_H
#define RL_KERNELS_MVE_WINOGRAD_TILE_H

#include "scalar/winograd_tile.h"

#endif
