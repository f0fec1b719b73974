// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_WINDOW_SUMS_TILE_H
#define RL_KERNELS_MVE_WINDOW_SUMS_TILE_H

#include "scalar/window_sums_tile.h"

#endif
