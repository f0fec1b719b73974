// SPDX-License-Identifier: Apache-2.0
#include "dsp/transpose_block.h"
