// SPDX-License-Identifier: Apache-2.0
// A Cortex-M3 has an instruction for these functions. Compilers find it only where the limits are not in registers.
#ifndef RL_KERNELS_SCALAR_SATURATE_THUMB_H
#define RL_KERNELS_SCALAR_SATURATE_THUMB_H

#include "isa.h"

#if RL_HAS_LONG_MULTIPLY
// Not __ssat of <arm_acle.h>: gcc's converts an unsigned number without a cast, of which -Wconversion warns.
static inline int32_t rl_saturate_s8(int32_t value)
{
    return (int32_t)__builtin_arm_ssat(value, 8);
}

static inline int32_t rl_saturate_s16(int32_t value)
{
    return (int32_t)__builtin_arm_ssat(value, 16);
}
#else
#include "scalar/saturate_plain.h"
#endif

#endif
