// SPDX-License-Identifier: Apache-2.0
#include "scalar/activation_s16_tile.h"
