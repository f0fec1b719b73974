// SPDX-License-Identifier: Apache-2.0
// rl_packed_outputs in portable C. Included by scalar/packed_outputs.h.
#ifndef RL_KERNELS_SCALAR_PACKED_OUTPUTS_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_OUTPUTS_PLAIN_H

static inline void rl_packed_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows,
                                     const uint32_t *words, int8_t *output)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    const int8_t *filter = m->filter;
    const int32_t pairs = m->depth >> 1;
    for (int32_t channel = 0; channel < m->channels; channel++, filter += m->depth, output++) {
        struct rl_packed_sums sums = rl_packed_start(m->bias[channel], (m->depth + 1) / 2);
        const uint32_t *word = words;
        for (int32_t k = 0; k < 2 * pairs; k += 2, word += 4) {
            const uint32_t weight_0 = (uint32_t)filter[k], weight_1 = (uint32_t)filter[k + 1];
            rl_packed_add(&sums, 0, word[0] * weight_0 + word[1] * weight_1);
            rl_packed_add(&sums, 1, word[2] * weight_0 + word[3] * weight_1);
        }
        if ((m->depth & 1) != 0) {
            const uint32_t weight = (uint32_t)filter[2 * pairs];
            rl_packed_add(&sums, 0, word[0] * weight);
            rl_packed_add(&sums, 1, word[1] * weight);
        }
        for (int32_t row = 0; row < RL_PACKED_OUTPUT_ROWS; row++) {
            const int32_t sum = row % 2 == 0 ? rl_packed_first(&sums, row / 2) : rl_packed_second(&sums, row / 2);
            output[rows->output[row]] = rl_limit_s8(rl_rescale(m->scale[channel], sum * 2), limits, false);
        }
    }
}

#endif
