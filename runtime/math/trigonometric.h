// SPDX-License-Identifier: Apache-2.0
//
// The steps of sine, cosine and tangent: x = (n + f) pi / 2 with |f| <= 1/2. f comes from the product of the
// significand with those bits of 2 / pi that count, up to three words of them, so that it is exact for the largest
// argument as well (Payne and Hanek). Then a polynomial for the sine or the cosine of f pi / 2.
#ifndef RL_RUNTIME_MATH_TRIGONOMETRIC_H
#define RL_RUNTIME_MATH_TRIGONOMETRIC_H

#include "runtime/math/constants.h"
#include "runtime/math/scaled.h"

// From 2^(RL_ANGLE_SMALLEST - 1) on, x has an effect on cos(x), and sin(x) and tan(x) differ from x.
enum { RL_ANGLE_SMALLEST = -RL_SIGNIFICAND_BITS / 2 };

// angle + quadrant * pi / 2
struct rl_reduced {
    struct rl_scaled angle;
    unsigned quadrant; // its last two bits
};

// The word of 2 / pi whose first bit is number `at` of the list.
static inline rl_word rl_bits_of_two_over_pi(int at)
{
    const uint32_t *from = two_over_pi + at / 32;
    const int shift = at % 32;
    const uint32_t first = from[0] << shift | from[1] >> 1 >> (31 - shift);
#ifdef RL_WIDE
    const uint32_t second = from[1] << shift | from[2] >> 1 >> (31 - shift);
    return (rl_word)first << 32 | second;
#else
    return first;
#endif
}

// (high + low / 2^RL_WORD_BITS) / 2^RL_WORD_BITS times pi / 2; not zero.
static inline struct rl_scaled rl_angle_of_fraction(rl_word high, rl_word low, bool negative)
{
    static const struct rl_scaled half_pi = {RL_QUARTER_PI, 1, false};
    if (high == 0) {
        return rl_scaled_multiply(rl_scaled_of(low | 1, -RL_WORD_BITS, negative), half_pi);
    }
    struct rl_scaled fraction = rl_scaled_of(high, 0, negative);
    fraction.bits |= low >> 1 >> (RL_WORD_BITS - 1 + fraction.exponent);
    const rl_word bits = rl_high(fraction.bits, RL_QUARTER_PI);
    return rl_scaled_of(bits, fraction.exponent + 1, negative);
}

// A finite number from 1/2 on.
static inline struct rl_reduced rl_reduce_angle(struct rl_scaled x)
{
    // x = significand * 2^(exponent - RL_SIGNIFICAND_BITS). Bits of 2 / pi that make multiples of 4 are left out: the
    // product modulo 2^(3 words) is that of x and 2 / pi modulo 4. The list begins with 64 zeros.
    const rl_word significand = x.bits >> (RL_WORD_BITS - RL_SIGNIFICAND_BITS);
    const int at = 64 - 2 + x.exponent - RL_SIGNIFICAND_BITS;
    const rl_word second = rl_bits_of_two_over_pi(at + RL_WORD_BITS);
    rl_word high = significand * rl_bits_of_two_over_pi(at) + rl_high(significand, second), low = significand * second;
    // The third word counts where the fraction is near zero.
    const rl_word near = (rl_word)1 << (RL_WORD_BITS - 7);
    if ((high << 2) + near < 2 * near) {
        const rl_word third = rl_high(significand, rl_bits_of_two_over_pi(at + 2 * RL_WORD_BITS));
        low += third;
        high += low < third;
    }
    // Two bits are the quadrant, the rest is the fraction, which is rounded to the nearest integer.
    unsigned quadrant = (unsigned)(high >> (RL_WORD_BITS - 2));
    high = high << 2 | low >> (RL_WORD_BITS - 2);
    low <<= 2;
    const bool above = high >> (RL_WORD_BITS - 1);
    if (above) {
        quadrant++;
        high = ~high + (low == 0);
        low = -low;
    }
    return (struct rl_reduced){rl_angle_of_fraction(high, low, above != x.negative), x.negative ? -quadrant : quadrant};
}

// Half of the square of an angle below 1, negated, as a fraction.
static inline rl_signed rl_half_square(struct rl_scaled angle)
{
    const rl_word fraction = rl_scaled_fraction(angle);
    return -(rl_signed)(rl_high(fraction, fraction) >> 1);
}

static inline struct rl_scaled rl_sine_of(struct rl_scaled angle)
{
    const rl_signed half = rl_half_square(angle);
    const rl_word tail = rl_high((rl_word)-half << 1, (rl_word)RL_POLYNOMIAL(sine_terms, half) << 1);
    return rl_scaled_of(angle.bits - rl_high(angle.bits, tail), angle.exponent, angle.negative);
}

static inline struct rl_scaled rl_cosine_of(struct rl_scaled angle)
{
    const rl_signed half = rl_half_square(angle);
    const rl_word tail = rl_high((rl_word)-half << 1, (rl_word)RL_POLYNOMIAL(cosine_terms, half) << 1);
    return tail == 0 ? rl_scaled_one(false) : (struct rl_scaled){-tail, 0, false};
}

#endif
