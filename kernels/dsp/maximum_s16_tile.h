// SPDX-License-Identifier: Apache-2.0
#include "scalar/maximum_s16_tile.h"
