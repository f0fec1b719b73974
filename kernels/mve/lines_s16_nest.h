// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_LINES_S16_NEST_H
#define RL_KERNELS_MVE_LINES_S16_NEST_H

#include "scalar/lines_s16_nest.h"

#endif
