// SPDX-License-Identifier: Apache-2.0
#include "scalar/transpose_s8_tile.h"
