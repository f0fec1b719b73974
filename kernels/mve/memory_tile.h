// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MEMORY_TILE_H
#define RL_KERNELS_MVE_MEMORY_TILE_H

#include "scalar/memory_tile.h"

#endif
