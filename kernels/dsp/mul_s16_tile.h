// SPDX-License-Identifier: Apache-2.0
#include "scalar/mul_s16_tile.h"
