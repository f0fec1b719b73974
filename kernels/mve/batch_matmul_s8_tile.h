// SPDX-License-Identifier: Apache-2.0
#include "scalar/batch_matmul_s8_tile.h"
