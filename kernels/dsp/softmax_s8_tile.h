// SPDX-License-Identifier: Apache-2.0
#include "scalar/softmax_s8_tile.h"
