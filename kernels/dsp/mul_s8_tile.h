// SPDX-License-Identifier: Apache-2.0
#include "scalar/mul_s8_tile.h"
