// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ROW_S16_TILE_H
#define RL_KERNELS_MVE_ROW_S16_TILE_H

#include "scalar/row_s16_tile.h"

#endif
