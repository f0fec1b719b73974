// SPDX-License-Identifier: Apache-2.0
#include "scalar/fold_tile.h"
