// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_PATCHES_NEST_H
#define RL_KERNELS_MVE_PATCHES_NEST_H

#include "scalar/patches_nest.h"

#endif
