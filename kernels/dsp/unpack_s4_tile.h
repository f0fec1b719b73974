// SPDX-License-Identifier: Apache-2.0
#include "scalar/unpack_s4_tile.h"
