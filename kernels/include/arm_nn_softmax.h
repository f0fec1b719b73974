// SPDX-License-Identifier: Apache-2.0
#ifndef ARM_NN_SOFTMAX_H
#define ARM_NN_SOFTMAX_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
