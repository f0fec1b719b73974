// SPDX-License-Identifier: Apache-2.0
// The depthwise convolutions that plane_tile.h does not take: dilation, channel multipliers, few channels.
#ifndef RL_KERNELS_MVE_DEPTHWISE_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_TILE_H

#include "scalar/depthwise_tile.h"

#endif
