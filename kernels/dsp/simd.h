// SPDX-License-Identifier: Apache-2.0
// The DSP instructions the tiles use, on int8 and int16 values packed in 32-bit words.
#ifndef RL_KERNELS_DSP_SIMD_H
#define RL_KERNELS_DSP_SIMD_H

#include <arm_acle.h>
#include <stdint.h>

#include "isa.h"

#include RL_WORDS(words)

// Four int8 from any address.
static inline uint32_t rl_load_s8x4(const int8_t *from)
{
    return rl_load_word(from);
}

// Two int16 from any address.
static inline uint32_t rl_load_s16x2(const int16_t *from)
{
    return rl_load_word(from);
}

// Values 0 and 2 of four int8, sign-extended to int16.
static inline int16x2_t rl_even_s16(uint32_t word)
{
    return __sxtb16((int32_t)word);
}

// Values 1 and 3. In assembler because compilers do not fold the rotation into the extension.
static inline int16x2_t rl_odd_s16(uint32_t word)
{
    int16x2_t result;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(word));
    return result;
}

// Bytes 0 and 2 of a word, and bytes 1 and 3, with zeros above each. In assembler, too, because the types of the
// intrinsic differ between compilers.
static inline uint32_t rl_even_u16(uint32_t word)
{
    uint32_t result;
    __asm__("uxtb16 %0, %1" : "=r"(result) : "r"(word));
    return result;
}

static inline uint32_t rl_odd_u16(uint32_t word)
{
    uint32_t result;
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(result) : "r"(word));
    return result;
}

// An int16 in both places of a word.
static inline uint32_t rl_repeat_s16x2(int32_t value)
{
    return (uint16_t)value * UINT32_C(0x00010001);
}

// Both values of a pair, doubled.
static inline uint32_t rl_double_pair(int16x2_t pair)
{
    return (uint32_t)__sadd16(pair, pair);
}

// Values 0 and 2, each added to its half of an int16 pair.
static inline int16x2_t rl_even_s16_add(int16x2_t addend, uint32_t word)
{
    return __sxtab16(addend, (int32_t)word);
}

static inline int16x2_t rl_odd_s16_add(int16x2_t addend, uint32_t word)
{
    int16x2_t result;
    __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(result) : "r"(addend), "r"(word));
    return result;
}

#endif
