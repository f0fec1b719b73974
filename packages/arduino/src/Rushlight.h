// SPDX-License-Identifier: Apache-2.0
//
// What a sketch needs: programs and methods (rushlight/runtime.h) and operators (rushlight/registry.h). Include
// rushlight/kernels.h to call kernels without the runtime, or rushlight/cmsis_nn/arm_nnfunctions.h for those with the
// names of CMSIS-NN.
#ifndef RUSHLIGHT_ARDUINO_H
#define RUSHLIGHT_ARDUINO_H

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#endif
