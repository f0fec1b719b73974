// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "requantize.h"
#include "rushlight/kernels/activation.h"

enum { FRACTION = 8 }; // bits of the int8 results in the table

// Between two places of one half of the table, whose results have `fraction` bits of fraction; `x` is at most 32768.
// The last place has no bits behind it.
static inline int32_t interpolated(const int16_t *results, uint32_t x, int32_t fraction)
{
    const int32_t shift = 26 - RL_LEADING_ZEROS(x | 63);
    const int16_t *place = results + 32 * shift + (int32_t)(x >> shift);
    const int32_t bits = (int32_t)(x & ((UINT32_C(1) << shift) - 1));
    const int32_t step = bits > 0 ? place[1] - place[0] : 0;
    const int32_t value = place[0] * (1 << shift) + step * bits;
    fraction += shift;
    return (value + ((1 << fraction) >> 1)) >> fraction;
}

static inline int32_t result_of(const struct rl_curve *layer, int32_t x, int32_t fraction)
{
    const int16_t *results = layer->results;
    if (x >= 0) {
        return interpolated(results, (uint32_t)x, fraction);
    }
    return layer->has_negative ? interpolated(results + RL_CURVE_PLACES, (uint32_t)-x, fraction)
                               : interpolated(results, 0, fraction);
}

void rl_curve_run(const struct rl_curve *layer, const int16_t *input, int8_t *output)
{
    const struct rl_curve curve = *layer;
    for (int32_t i = 0; i < curve.count; i++) {
        output[i] = (int8_t)rl_clamp_s32(result_of(&curve, input[i], FRACTION), INT8_MIN, INT8_MAX);
    }
}

// Between two int16 lies no other number.
void rl_curve_s16_run(const struct rl_curve *layer, const int16_t *input, int16_t *output)
{
    const struct rl_curve curve = *layer;
    for (int32_t i = 0; i < curve.count; i++) {
        output[i] = (int16_t)result_of(&curve, input[i], 0);
    }
}
