// SPDX-License-Identifier: Apache-2.0
//
// Numbers between the steps of a function: a word of significant bits, eight or eleven more than the result keeps, and
// an exponent that cannot overflow. Each operation is exact to about two units in the last place of the word.
#ifndef RL_RUNTIME_MATH_SCALED_H
#define RL_RUNTIME_MATH_SCALED_H

#include "runtime/math/word.h"

#ifdef RL_WIDE
#define rl_scaled_pack_rare  rl_wide_scaled_pack_rare
#define rl_scaled_add        rl_wide_scaled_add
#define rl_scaled_divide     rl_wide_scaled_divide
#define rl_scaled_root       rl_wide_scaled_root
#define rl_scaled_exp2       rl_wide_scaled_exp2
#define rl_scaled_exp        rl_wide_scaled_exp
#define rl_scaled_expm1      rl_wide_scaled_expm1
#define rl_scaled_log        rl_wide_scaled_log
#define rl_scaled_log1p      rl_wide_scaled_log1p
#define rl_scaled_log_series rl_wide_scaled_log_series
#endif

// bits / 2^RL_WORD_BITS * 2^exponent, negated if `negative`. The top bit of `bits` is set, unless the number is zero;
// so the fraction is in [1/2, 1).
struct rl_scaled {
    rl_word bits;
    int exponent;
    bool negative;
};

// The number whose fraction is `bits`, not zero, after its leading zeros are shifted out.
static inline struct rl_scaled rl_scaled_of(rl_word bits, int exponent, bool negative)
{
    const int zeros = rl_leading_zeros(bits);
    return (struct rl_scaled){bits << zeros, exponent - zeros, negative};
}

// Its exponent is below that of any other number.
static inline struct rl_scaled rl_scaled_zero(void)
{
    return (struct rl_scaled){0, -0x4000, false};
}

static inline struct rl_scaled rl_scaled_one(bool negative)
{
    return (struct rl_scaled){RL_TOP_BIT, 1, negative};
}

// A normal float.
static inline struct rl_scaled rl_scaled_unpack_normal(rl_real x)
{
    const rl_word word = rl_word_of(x), bits = word << (RL_WORD_BITS - RL_SIGNIFICAND_BITS);
    const int field = (int)(word >> (RL_SIGNIFICAND_BITS - 1)) & (2 * RL_LARGEST_EXPONENT - 1);
    return (struct rl_scaled){bits | RL_TOP_BIT, field + 2 - RL_LARGEST_EXPONENT, rl_is_negative(x)};
}

// A float that is finite and not zero.
static inline struct rl_scaled rl_scaled_unpack(rl_real x)
{
    if (rl_is_beyond(x, 2 - RL_LARGEST_EXPONENT)) {
        return rl_scaled_unpack_normal(x);
    }
    const rl_word bits = rl_word_of(x) << (RL_WORD_BITS - RL_SIGNIFICAND_BITS);
    return rl_scaled_of(bits, 3 - RL_LARGEST_EXPONENT, rl_is_negative(x));
}

// The nearest float: infinity beyond the largest, subnormals and zero with the sign of `x`. Ties go up: numbers here
// are near the exact ones, and a tie means no more than its neighbours do. The first function is for the rare results
// that are not normal floats.
rl_real rl_scaled_pack_rare(struct rl_scaled x);

static inline rl_real rl_scaled_pack(struct rl_scaled x)
{
    enum { EXTRA = RL_WORD_BITS - RL_SIGNIFICAND_BITS };
    const unsigned field = (unsigned)(x.exponent + RL_LARGEST_EXPONENT - 3); // less one, which the top bit adds
    if (field >= 2 * RL_LARGEST_EXPONENT - 2) {
        return rl_scaled_pack_rare(x);
    }
    // A carry of the rounding goes into the exponent.
    const rl_word kept = (x.bits >> EXTRA) + (x.bits >> (EXTRA - 1) & 1);
    const rl_word sign = (rl_word)x.negative << (RL_WORD_BITS - 1);
    return rl_real_of((((rl_word)field << (RL_SIGNIFICAND_BITS - 1)) + kept) | sign);
}

struct rl_scaled rl_scaled_add(struct rl_scaled a, struct rl_scaled b);

static inline struct rl_scaled rl_scaled_multiply(struct rl_scaled a, struct rl_scaled b)
{
    const rl_word bits = rl_high(a.bits, b.bits);
    return bits == 0 ? rl_scaled_zero() : rl_scaled_of(bits, a.exponent + b.exponent, a.negative != b.negative);
}

// 2^(2 * RL_WORD_BITS - 1) / bits, limited to a word; the top bit of `bits` is set.
static inline rl_word rl_reciprocal(rl_word bits)
{
    // Sixteen bits by a division, then twice as many with each of Newton's steps: r += r * (1 - bits * r).
    const uint32_t divisor = (uint32_t)((bits >> (RL_WORD_BITS - 17)) + 1) >> 1;
    const uint32_t quotient = (UINT32_C(0x80000000) + divisor / 2) / divisor;
    rl_word result = (rl_word)(quotient - (quotient >> 16)) << (RL_WORD_BITS - 16);
    for (int known = 16; known < RL_WORD_BITS; known *= 2) {
        const rl_signed error = (rl_signed)(RL_TOP_BIT - rl_high(bits, result));
        result += (rl_word)rl_signed_high((rl_signed)(result >> 1), error * 4);
    }
    return result;
}

// `b` is not zero.
struct rl_scaled rl_scaled_divide(struct rl_scaled a, struct rl_scaled b);

// The square root of a number that is not negative.
struct rl_scaled rl_scaled_root(struct rl_scaled x);

// The number as a fraction of a word, for exponents up to 0.
static inline rl_word rl_scaled_fraction(struct rl_scaled x)
{
    return x.exponent > -RL_WORD_BITS ? x.bits >> -x.exponent : 0;
}

// ---- steps that several families share

// Two words: (high + low / 2^RL_WORD_BITS) / 2^RL_WORD_BITS * 2^exponent, negated if `negative`.
struct rl_pair {
    rl_word high, low;
    int exponent;
    bool negative;
};

// 2^x, where the exponent of x is at most 12.
struct rl_scaled rl_scaled_exp2(struct rl_pair x);

// e^x and e^x - 1 for finite x of magnitude below 4096; the latter has all its bits near zero, too.
struct rl_scaled rl_scaled_exp(struct rl_scaled x);
struct rl_scaled rl_scaled_expm1(struct rl_scaled x);

// The natural logarithm of x > 0, of 1 + x for x > -1, and of (1 + x) / (1 - x) for |x| < 0.172. They have all their
// bits near zero.
struct rl_scaled rl_scaled_log(struct rl_scaled x);
struct rl_scaled rl_scaled_log1p(struct rl_scaled x);
struct rl_scaled rl_scaled_log_series(struct rl_scaled x);

#endif
