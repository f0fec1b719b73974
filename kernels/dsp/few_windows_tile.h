// SPDX-License-Identifier: Apache-2.0
#include "scalar/few_windows_tile.h"
