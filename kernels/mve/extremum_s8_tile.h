// SPDX-License-Identifier: Apache-2.0
#include "scalar/extremum_s8_tile.h"
