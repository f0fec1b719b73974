// SPDX-License-Identifier: Apache-2.0
// Instructions of the DSP extension that neither C nor arm_acle.h expresses. Each function is one instruction, or two
// that must stay together, and is named after the mnemonic. A word holds four int8 or two int16, the first one in the
// low bits.
#ifndef RL_KERNELS_DSP_INSTRUCTIONS_H
#define RL_KERNELS_DSP_INSTRUCTIONS_H

#include <stdint.h>

// (addend * 2^32 + a * b + 2^31) / 2^32, rounded down.
static inline int32_t rl_smmlar(int32_t a, int32_t b, int32_t addend)
{
    int32_t result;
    __asm__("smmlar %0, %1, %2, %3" : "=r"(result) : "r"(a), "r"(b), "r"(addend));
    return result;
}

// a * b / 2^16, rounded down; b is within int16.
static inline int32_t rl_smulwb(int32_t a, int32_t b)
{
    int32_t result;
    __asm__("smulwb %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
    return result;
}

// a.low * b.low + a.high * b.high added to a 64-bit sum.
static inline int64_t rl_smlald(uint32_t a, uint32_t b, int64_t sum)
{
    __asm__("smlald %Q0, %R0, %1, %2" : "+r"(sum) : "r"(a), "r"(b));
    return sum;
}

// The word with a.low as its low half and b.low as its high half.
static inline uint32_t rl_pkhbt(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(result) : "r"(a), "r"(b));
    return result;
}

// The word with a.high as its high half and b.high as its low half.
static inline uint32_t rl_pkhtb(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(result) : "r"(a), "r"(b));
    return result;
}

// `sum` plus the four unsigned bytes of a word.
static inline int32_t rl_usada8(uint32_t bytes, int32_t sum)
{
    int32_t result;
    __asm__("usada8 %0, %1, %2, %3" : "=r"(result) : "r"(bytes), "r"(0), "r"(sum));
    return result;
}

// `sum` plus the magnitudes of the differences of the unsigned bytes of two words.
static inline int32_t rl_usada8_of(uint32_t a, uint32_t b, int32_t sum)
{
    int32_t result;
    __asm__("usada8 %0, %1, %2, %3" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
}

// 2 * value, saturated to int32.
static inline int32_t rl_double_saturated(int32_t value)
{
    int32_t result;
    __asm__("qadd %0, %1, %1" : "=r"(result) : "r"(value));
    return result;
}

// value, saturated to int8.
static inline int32_t rl_ssat8(int32_t value)
{
    int32_t result;
    __asm__("ssat %0, #8, %1" : "=r"(result) : "r"(value));
    return result;
}

// value, saturated to int16.
static inline int32_t rl_ssat16(int32_t value)
{
    int32_t result;
    __asm__("ssat %0, #16, %1" : "=r"(result) : "r"(value));
    return result;
}

// Two int16, each saturated to int8.
static inline uint32_t rl_ssat8_s16x2(uint32_t values)
{
    uint32_t result;
    __asm__("ssat16 %0, #8, %1" : "=r"(result) : "r"(values));
    return result;
}

// *sum = a + b, of two int16 each. Returns, for each of them, that of `positive` if the sum is 0 or more, else that of
// `negative`.
static inline uint32_t rl_add_and_select(uint32_t a, uint32_t b, uint32_t positive, uint32_t negative, uint32_t *sum)
{
    uint32_t result;
    __asm__("sadd16 %1, %2, %3\n\tsel %0, %4, %5"
            : "=r"(result), "=&r"(*sum)
            : "r"(a), "r"(b), "r"(positive), "r"(negative)
            : "cc");
    return result;
}

// a - b, of four int8 each.
static inline uint32_t rl_ssub8(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("ssub8 %0, %1, %2" : "=r"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

// The larger (and below, the smaller) int8 of each pair. SSUB8 leaves the comparisons in flags that only SEL reads.
static inline uint32_t rl_maximum_s8x4(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

static inline uint32_t rl_minimum_s8x4(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

// The same for two int16.
static inline uint32_t rl_maximum_s16x2(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("ssub16 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

static inline uint32_t rl_minimum_s16x2(uint32_t a, uint32_t b)
{
    uint32_t result;
    __asm__("ssub16 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

#endif
