// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "requantize.h"
#include "rushlight/kernels/activation.h"

enum { FRACTION = 8 }; // bits of the results in the table

// Between two places of one half of the table; `x` is at most 32768. The last place has no bits behind it.
static inline int32_t interpolated(const int16_t *results, uint32_t x)
{
    const int32_t shift = 26 - RL_LEADING_ZEROS(x | 63);
    const int16_t *place = results + 32 * shift + (int32_t)(x >> shift);
    const int32_t bits = (int32_t)(x & ((UINT32_C(1) << shift) - 1));
    const int32_t step = bits > 0 ? place[1] - place[0] : 0;
    const int32_t value = place[0] * (1 << shift) + step * bits;
    const int32_t fraction = FRACTION + shift;
    return (value + (1 << (fraction - 1))) >> fraction;
}

void rl_curve_run(const struct rl_curve *layer, const int16_t *input, int8_t *output)
{
    const int16_t *results = layer->results;
    const bool has_negative = layer->has_negative;
    for (int32_t i = 0; i < layer->count; i++) {
        const int32_t x = input[i];
        int32_t value;
        if (x >= 0) {
            value = interpolated(results, (uint32_t)x);
        } else {
            value = has_negative ? interpolated(results + RL_CURVE_PLACES, (uint32_t)-x) : interpolated(results, 0);
        }
        output[i] = (int8_t)rl_clamp_s32(value, INT8_MIN, INT8_MAX);
    }
}
