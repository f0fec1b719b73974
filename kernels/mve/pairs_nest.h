// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_PAIRS_NEST_H
#define RL_KERNELS_MVE_PAIRS_NEST_H

#include "scalar/pairs_nest.h"

#endif
