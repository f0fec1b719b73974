// SPDX-License-Identifier: Apache-2.0
#include "scalar/average_s16_tile.h"
