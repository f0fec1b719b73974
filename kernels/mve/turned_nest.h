// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_TURNED_NEST_H
#define RL_KERNELS_MVE_TURNED_NEST_H

#include "scalar/turned_nest.h"

#endif
