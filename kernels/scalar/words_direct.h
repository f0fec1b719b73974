// SPDX-License-Identifier: Apache-2.0
// words_plain.h for compilers that would make four bytes of a word at any address, although the core has LDR and STR
// for it: clang for bare metal, unless it is given -munaligned-access, which took up to three times as long.
#ifndef RL_KERNELS_SCALAR_WORDS_DIRECT_H
#define RL_KERNELS_SCALAR_WORDS_DIRECT_H

#include <stdint.h>

static inline uint32_t rl_load_word(const void *from)
{
    uint32_t word;
    __asm__("ldr %0, %1" : "=r"(word) : "m"(*(const uint8_t(*)[4])from));
    return word;
}

static inline void rl_store_word(void *to, uint32_t word)
{
    __asm__("str %1, %0" : "=m"(*(uint8_t(*)[4])to) : "r"(word));
}

#endif
