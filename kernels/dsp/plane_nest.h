// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_PLANE_NEST_H
#define RL_KERNELS_DSP_PLANE_NEST_H

#include "scalar/plane_nest.h"

#endif
