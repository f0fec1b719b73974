// SPDX-License-Identifier: Apache-2.0
//
// Words: the integers with which the mathematical functions compute. A word has 32 bits in the functions of floats and
// 64 bits in those of doubles, eight and eleven more than the significand. Most stand for a fraction, the integer
// divided by 2^RL_WORD_BITS.
#ifndef RL_RUNTIME_MATH_WORD_H
#define RL_RUNTIME_MATH_WORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/isa.h"
#include "runtime/math/real.h"

#ifdef RL_WIDE
typedef uint64_t rl_word;
typedef int64_t rl_signed;
enum { RL_WORD_BITS = 64, RL_SIGNIFICAND_BITS = 53, RL_LARGEST_EXPONENT = 1024 };
#else
typedef uint32_t rl_word;
typedef int32_t rl_signed;
enum { RL_WORD_BITS = 32, RL_SIGNIFICAND_BITS = 24, RL_LARGEST_EXPONENT = 128 };
#endif

#define RL_TOP_BIT ((rl_word)1 << (RL_WORD_BITS - 1))

static inline rl_word rl_word_of(rl_real x)
{
    rl_word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline rl_real rl_real_of(rl_word bits)
{
    rl_real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Infinity, or its negative.
static inline rl_real rl_infinity(bool negative)
{
    const rl_word exponent = (rl_word)(2 * RL_LARGEST_EXPONENT - 1) << (RL_SIGNIFICAND_BITS - 1);
    return rl_real_of(exponent | (negative ? RL_TOP_BIT : 0));
}

// The one NaN that the functions return: positive and quiet, without other bits.
static inline rl_real rl_not_a_number(void)
{
    return rl_real_of((rl_word)(4 * RL_LARGEST_EXPONENT - 1) << (RL_SIGNIFICAND_BITS - 2));
}

static inline bool rl_is_negative(rl_real x)
{
    return rl_word_of(x) >> (RL_WORD_BITS - 1);
}

static inline bool rl_is_zero(rl_real x)
{
    return rl_word_of(x) << 1 == 0;
}

#define RL_INFINITY_TWICE ((rl_word)(2 * RL_LARGEST_EXPONENT - 1) << RL_SIGNIFICAND_BITS)

static inline bool rl_is_infinite(rl_real x)
{
    return rl_word_of(x) << 1 == RL_INFINITY_TWICE;
}

static inline bool rl_is_finite(rl_real x)
{
    return rl_word_of(x) << 1 < RL_INFINITY_TWICE;
}

static inline bool rl_is_nan(rl_real x)
{
    return rl_word_of(x) << 1 > RL_INFINITY_TWICE;
}

// Whether |x| is 2^exponent or more; so are infinity and NaN.
static inline bool rl_is_beyond(rl_real x, int exponent)
{
    return rl_word_of(x) << 1 >= (rl_word)(exponent + RL_LARGEST_EXPONENT - 1) << RL_SIGNIFICAND_BITS;
}

// Whether 2^(low - 1) <= |x| < 2^high.
static inline bool rl_is_between(rl_real x, int low, int high)
{
    const rl_word first = (rl_word)(low + RL_LARGEST_EXPONENT - 2) << RL_SIGNIFICAND_BITS;
    return (rl_word_of(x) << 1) - first < (rl_word)(high - low + 1) << RL_SIGNIFICAND_BITS;
}

// How many bits above the highest one are zero; `word` is not zero.
static inline int rl_leading_zeros(rl_word word)
{
#ifdef RL_WIDE
    return __builtin_clzll(word);
#else
    return __builtin_clz(word);
#endif
}

// floor(a * b / 2^RL_WORD_BITS)
static inline rl_word rl_high(rl_word a, rl_word b)
{
    if (RL_WORD_BITS == 32 && RL_HAS_LONG_MULTIPLY) {
        return (rl_word)((uint64_t)a * b >> 32);
    }
    enum { HALF = RL_WORD_BITS / 2 };
    const rl_word mask = ((rl_word)1 << HALF) - 1;
    const rl_word a_high = a >> HALF, a_low = a & mask, b_high = b >> HALF, b_low = b & mask;
    const rl_word first = a_high * b_low + ((a_low * b_low) >> HALF);
    const rl_word second = a_low * b_high + (first & mask);
    return a_high * b_high + (first >> HALF) + (second >> HALF);
}

// floor(a * b / 2^RL_WORD_BITS) of signed words.
static inline rl_signed rl_signed_high(rl_signed a, rl_signed b)
{
    if (RL_WORD_BITS == 32 && RL_HAS_LONG_MULTIPLY) {
        return (rl_signed)((int64_t)a * b >> 32);
    }
    const rl_word high = rl_high((rl_word)a, (rl_word)b);
    return (rl_signed)(high - (a < 0 ? (rl_word)b : 0) - (b < 0 ? (rl_word)a : 0));
}

// The polynomial of constants.h with `count` terms at `a`, a signed fraction of magnitude at most 1/2. The result is a
// signed number with RL_WORD_BITS - 1 bits behind the point.
static inline rl_signed rl_polynomial(const rl_signed *terms, int count, rl_signed a)
{
    rl_signed sum = terms[0];
    int i = 1;
    if (!RL_SMALL) { // written out, because compilers leave a loop as it is; `count` is constant
        for (; i + 2 < count; i += 3) {
            sum = rl_signed_high(sum, a) + terms[i];
            sum = rl_signed_high(sum, a) + terms[i + 1];
            sum = rl_signed_high(sum, a) + terms[i + 2];
        }
        if (i + 1 < count) {
            sum = rl_signed_high(sum, a) + terms[i];
            i++;
        }
        return i < count ? rl_signed_high(sum, a) + terms[i] : sum;
    }
    for (; i < count; i++) {
        sum = rl_signed_high(sum, a) + terms[i];
    }
    return sum;
}

#define RL_POLYNOMIAL(terms, a) rl_polynomial(terms, (int)(sizeof(terms) / sizeof(terms)[0]), a)

#endif
