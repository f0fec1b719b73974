// SPDX-License-Identifier: Apache-2.0
#include "dsp/rescale_tile.h"
