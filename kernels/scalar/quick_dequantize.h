// SPDX-License-Identifier: Apache-2.0
// int16 to floats without an FPU. Included by scalar/soft_quantization.h.
#ifndef RL_KERNELS_SCALAR_QUICK_DEQUANTIZE_H
#define RL_KERNELS_SCALAR_QUICK_DEQUANTIZE_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

// The assembler relies on the order.
struct rl_quick_dequantize {
    const int16_t *from;
    float *to;
    const int16_t *end; // of the values; there is at least one
    int32_t zero_point;
    uint32_t scale; // the bits of one that rl_dequantize_soft takes
};

// Writes rl_scale_soft of each value less the zero point.
static inline void rl_quick_dequantize(struct rl_quick_dequantize *job);

#include RL_LOOP(quick_dequantize)

#endif
