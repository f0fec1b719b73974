// SPDX-License-Identifier: Apache-2.0
// Hosts and plain C, which must not read beyond a filter, have no such loop: RL_HAS_WORDS_S4 is 0. Included by
// scalar/words_s4.h.
#ifndef RL_KERNELS_SCALAR_WORDS_S4_PLAIN_H
#define RL_KERNELS_SCALAR_WORDS_S4_PLAIN_H

static inline void rl_words_s4_run(struct rl_words_s4 *job)
{
    (void)job;
}

#endif
