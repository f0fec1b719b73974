// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_DEPTHWISE_TILE_H
#define RL_KERNELS_DSP_DEPTHWISE_TILE_H

#include "scalar/depthwise_tile.h"

#endif
