// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MATMUL_TILE_H
#define RL_KERNELS_MVE_MATMUL_TILE_H

#include "scalar/matmul_tile.h"

#endif
