// SPDX-License-Identifier: Apache-2.0
// Words from and to any address, where compilers make one instruction of it, or of bytes where the core has none. See
// RL_WORDS in isa.h.
#ifndef RL_KERNELS_SCALAR_WORDS_PLAIN_H
#define RL_KERNELS_SCALAR_WORDS_PLAIN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t rl_load_word(const void *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline void rl_store_word(void *to, uint32_t word)
{
    memcpy(to, &word, sizeof word);
}

#endif
