// SPDX-License-Identifier: Apache-2.0
// There is no rl_sum_words here; see scalar/sum_words.h, which includes this.
#ifndef RL_KERNELS_SCALAR_SUM_WORDS_PLAIN_H
#define RL_KERNELS_SCALAR_SUM_WORDS_PLAIN_H

enum { RL_HAS_SUM_WORDS = 0 };

static inline int32_t rl_sum_words(const int8_t *values, int32_t count)
{
    (void)values;
    (void)count;
    return 0;
}

#endif
