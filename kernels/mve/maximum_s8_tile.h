// SPDX-License-Identifier: Apache-2.0
#include "scalar/maximum_s8_tile.h"
