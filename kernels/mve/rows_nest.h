// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ROWS_NEST_H
#define RL_KERNELS_MVE_ROWS_NEST_H

#include "scalar/rows_nest.h"

#endif
