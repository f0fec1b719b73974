// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_INTERLEAVED_NEST_H
#define RL_KERNELS_MVE_INTERLEAVED_NEST_H

#include "scalar/interleaved_nest.h"

#endif
