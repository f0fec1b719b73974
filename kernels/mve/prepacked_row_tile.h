// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_PREPACKED_ROW_TILE_H
#define RL_KERNELS_MVE_PREPACKED_ROW_TILE_H

#include "scalar/prepacked_row_tile.h"

#endif
