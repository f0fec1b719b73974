// SPDX-License-Identifier: Apache-2.0
// Numbers to int8 without an FPU, as long as the upper halves of their mantissas tell the result: see
// rl_round_upper_halves. Included by scalar/soft_quantization.h.
#ifndef RL_KERNELS_SCALAR_QUICK_QUANTIZE_H
#define RL_KERNELS_SCALAR_QUICK_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

// The assembler relies on the order.
struct rl_quick_quantize {
    const float *from;
    int8_t *to;
    const float *end; // of the numbers; there is at least one
    struct rl_quick_inverse inverse;
    int32_t zero_point;
};

// The fraction from which on a result is 0: the product of upper halves is below 2^31, and twice that for subnormal
// numbers.
enum { RL_QUICK_ZERO = 34 };

// Writes results, saturated, up to the end or to the first number that needs more bits. Moves `from` and `to` behind
// those that are done.
static inline void rl_quick_quantize(struct rl_quick_quantize *job);

#include RL_LOOP(quick_quantize)

#endif
