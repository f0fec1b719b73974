// SPDX-License-Identifier: Apache-2.0
// What arm_nn_math_types.h of CMSIS-NN gives to code around the kernels: the C headers, the limits of the fixed-point
// types, and what the core can do. The kernels themselves ask isa.h.
#ifndef ARM_NN_MATH_TYPES_H
#define ARM_NN_MATH_TYPES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Defined, as 1, when the compiler may use the DSP extension or the integer part of Helium.
#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP && !defined(ARM_MATH_DSP)
#define ARM_MATH_DSP 1
#endif
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) && !defined(ARM_MATH_MVEI)
#define ARM_MATH_MVEI 1
#endif

#define NN_Q31_MAX ((int32_t)INT32_MAX)
#define NN_Q15_MAX ((int16_t)INT16_MAX)
#define NN_Q7_MAX  ((int8_t)INT8_MAX)
#define NN_Q31_MIN ((int32_t)INT32_MIN)
#define NN_Q15_MIN ((int16_t)INT16_MIN)
#define NN_Q7_MIN  ((int8_t)INT8_MIN)

#endif
