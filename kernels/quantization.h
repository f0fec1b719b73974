// SPDX-License-Identifier: Apache-2.0
// The inner loops of rushlight/kernels/quantization.h, which has the formulas.
//
// rl_quantize_many and rl_dequantize_many convert `count` elements in the core's fastest way. They return false when
// that way is not exact for these elements or is left out of small code; the output then holds anything. `wide` chooses
// int16. Input and output must not overlap.
#ifndef RL_KERNELS_QUANTIZATION_H
#define RL_KERNELS_QUANTIZATION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa.h"
#include "rushlight/kernels/quantization.h"

static inline uint32_t rl_bits_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Whether a scale is ordinary: the scale and its reciprocal are normal numbers, and so far from the ends of the range
// that the treatment of subnormal elements does not matter, because their product with the reciprocal is below a half.
static inline bool rl_scale_is_ordinary(float scale)
{
    return scale >= 0x1p-125f && scale <= 0x1p125f;
}

#include RL_FLOAT_TILE(quantization_tile.h)

#endif
