// SPDX-License-Identifier: Apache-2.0
#include "scalar/depthwise_s16_tile.h"
