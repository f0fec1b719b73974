// SPDX-License-Identifier: Apache-2.0
#include "scalar/depthwise_s8_tile.h"
