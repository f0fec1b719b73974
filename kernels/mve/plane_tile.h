// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_PLANE_TILE_H
#define RL_KERNELS_MVE_PLANE_TILE_H

#include "dsp/plane_tile.h"

#endif
