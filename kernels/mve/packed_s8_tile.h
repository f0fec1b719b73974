// SPDX-License-Identifier: Apache-2.0
#include "dsp/packed_s8_tile.h"
