// SPDX-License-Identifier: Apache-2.0
#include "scalar/scale_s4_tile.h"
