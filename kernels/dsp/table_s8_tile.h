// SPDX-License-Identifier: Apache-2.0
#include "scalar/table_s8_tile.h"
