// SPDX-License-Identifier: Apache-2.0
#include "scalar/output_s16_tile.h"
