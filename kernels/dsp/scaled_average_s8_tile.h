// SPDX-License-Identifier: Apache-2.0
#include "scalar/scaled_average_s8_tile.h"
