// SPDX-License-Identifier: Apache-2.0
// rl_packed_dot in portable C. Included by scalar/packed_dot.h.
#ifndef RL_KERNELS_SCALAR_PACKED_DOT_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_DOT_PLAIN_H

static inline void rl_packed_dot(const uint32_t *words, int32_t pairs, const int8_t *filter, ptrdiff_t step,
                                 struct rl_packed_sums *sums, int32_t channels)
{
    for (; channels > 0; channels--, filter += step, sums++) {
        const uint32_t *word = words;
        for (int32_t k = 0; k < 2 * pairs; k += 2, word += 4) {
            const uint32_t weight_0 = (uint32_t)filter[k], weight_1 = (uint32_t)filter[k + 1];
            rl_packed_add(sums, 0, word[0] * weight_0 + word[1] * weight_1);
            rl_packed_add(sums, 1, word[2] * weight_0 + word[3] * weight_1);
        }
    }
}

#endif
