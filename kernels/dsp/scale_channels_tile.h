// SPDX-License-Identifier: Apache-2.0
#include "scalar/scale_channels_tile.h"
