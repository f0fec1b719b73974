// SPDX-License-Identifier: Apache-2.0
#include "loops_dsp.h"

int32_t rl_products(const int32_t *values, const int8_t *weights, int32_t depth)
{
    int32_t sum = 0;
    for (int32_t k = 0; k < depth; k++) {
        sum += values[k] * weights[k];
    }
    return sum;
}

void rl_set_half(uint32_t *word, int32_t half, int32_t value)
{
    const uint32_t shift = half != 0 ? 16 : 0;
    *word = (*word & ~(UINT32_C(0xffff) << shift)) | (uint32_t)(uint16_t)value << shift;
}

struct rl_rescale rl_random_rescale(struct rl_case *c, int32_t offset, int32_t *multiplier, int32_t *shift)
{
    struct rl_rescale scale = {0, 0, 0};
    // A power of two and a small shift meet ties of the rounding.
    *multiplier = rl_random_one_in(c, 3) ? 1 << 30 : rl_random_extreme(c, 1 << 30, INT32_MAX);
    *shift = rl_random_one_in(c, 2) ? rl_random_in(c, -6, -1) : rl_random_in(c, -22, -1);
    rl_case_expect(c, rl_rescale_init(offset, *multiplier, *shift, &scale), "a scale that can be folded");
    return scale;
}
