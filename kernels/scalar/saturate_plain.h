// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_SATURATE_PLAIN_H
#define RL_KERNELS_SCALAR_SATURATE_PLAIN_H

#include <stdint.h>

// value, saturated to int8.
static inline int32_t rl_saturate_s8(int32_t value)
{
    return (int8_t)value == value ? value : INT8_MAX ^ (value >> 31);
}

// value, saturated to int16.
static inline int32_t rl_saturate_s16(int32_t value)
{
    return (int16_t)value == value ? value : INT16_MAX ^ (value >> 31);
}

#endif
