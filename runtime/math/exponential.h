// SPDX-License-Identifier: Apache-2.0
//
// The steps of exponential functions: e^x = 2^t with t = x log2(e) in two words, t = n + f with an integer n and
// |f| <= 1/2, and 2^f = 1 + f P(f) with a polynomial P. They are inline for the functions that models call for each
// element; others call rl_scaled_exp and its relatives.
#ifndef RL_RUNTIME_MATH_EXPONENTIAL_H
#define RL_RUNTIME_MATH_EXPONENTIAL_H

#include "runtime/math/constants.h"
#include "runtime/math/scaled.h"

// x has an effect on 1 + x only from 2^(RL_EXP_SMALLEST - 1) on, and e^x is neither 0 nor infinity only below
// 2^RL_EXP_LARGEST. So is 2^x.
enum { RL_EXP_SMALLEST = -RL_SIGNIFICAND_BITS - 1, RL_EXP_LARGEST = RL_WORD_BITS == 32 ? 7 : 11 };

// whole + fraction / 2^RL_WORD_BITS
struct rl_split {
    int whole;
    rl_signed fraction;
};

// x, whose exponent is at most 12, as the nearest integer and the rest.
static inline struct rl_split rl_split_pair(struct rl_pair x)
{
    rl_word whole = 0, fraction = 0;
    if (x.exponent > 0) {
        whole = x.high >> (RL_WORD_BITS - x.exponent);
        fraction = x.high << x.exponent | x.low >> (RL_WORD_BITS - x.exponent);
    } else if (x.exponent > -RL_WORD_BITS) {
        fraction = x.high >> -x.exponent;
    }
    if (x.negative) {
        whole = -whole - (fraction != 0);
        fraction = -fraction;
    }
    return (struct rl_split){(int)(rl_signed)(whole + (fraction >> (RL_WORD_BITS - 1))), (rl_signed)fraction};
}

// (2^f - 1) / f for the fraction f of t, as a fraction.
static inline rl_word rl_exp2_slope(struct rl_split t)
{
    return (rl_word)RL_POLYNOMIAL(exp2_terms, t.fraction) << 1;
}

// 2^t with that slope.
static inline struct rl_scaled rl_exp2_by_slope(struct rl_split t, rl_word slope)
{
    const rl_signed power = rl_signed_high(t.fraction, (rl_signed)(slope >> 1));
    const int below_one = power < 0;
    return (struct rl_scaled){(RL_TOP_BIT + (rl_word)power) << below_one, t.whole + 1 - below_one, false};
}

static inline struct rl_scaled rl_exp2_of_split(struct rl_split t)
{
    return rl_exp2_by_slope(t, rl_exp2_slope(t));
}

// x log2(e)
static inline struct rl_pair rl_in_powers_of_two(struct rl_scaled x)
{
    const rl_word tail = rl_high(x.bits, RL_LOG2_E_TAIL), low = x.bits * RL_LOG2_E + tail;
    return (struct rl_pair){rl_high(x.bits, RL_LOG2_E) + (low < tail), low, x.exponent + 1, x.negative};
}

#endif
