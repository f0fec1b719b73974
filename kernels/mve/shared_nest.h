// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_SHARED_NEST_H
#define RL_KERNELS_MVE_SHARED_NEST_H

#include "scalar/shared_nest.h"

#endif
