// SPDX-License-Identifier: Apache-2.0
#include "scalar/add_s16_tile.h"
