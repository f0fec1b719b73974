// SPDX-License-Identifier: Apache-2.0
//
// Sine, cosine and tangent. Method: x = (n + f) pi / 2 with |f| <= 1/2. f comes from the product of the significand
// with those bits of 2 / pi that count, three words of them, so that it is exact for the largest argument as well
// (Payne and Hanek). Then a polynomial for the sine or the cosine of f pi / 2.
#include "runtime/math/constants.h"
#include "runtime/math/functions.h"
#include "runtime/math/scaled.h"

// angle + quadrant * pi / 2
struct reduced {
    struct rl_scaled angle;
    unsigned quadrant;
};

// The word of 2 / pi whose first bit is number `at` of the list.
static rl_word bits_of_two_over_pi(int at)
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

static struct reduced reduce(struct rl_scaled x)
{
    if (x.exponent < 0 || (x.exponent == 0 && x.bits < RL_QUARTER_PI)) {
        return (struct reduced){x, 0};
    }
    // x = significand * 2^(exponent - RL_SIGNIFICAND_BITS). Bits of 2 / pi that make multiples of 4 are left out: the
    // product modulo 2^(3 words) is that of x and 2 / pi modulo 4. The list begins with 64 zeros.
    const rl_word significand = x.bits >> (RL_WORD_BITS - RL_SIGNIFICAND_BITS);
    const int at = 64 - 2 + x.exponent - RL_SIGNIFICAND_BITS;
    const rl_word second = bits_of_two_over_pi(at + RL_WORD_BITS);
    rl_word high = significand * bits_of_two_over_pi(at) + rl_high(significand, second), low = significand * second;
    // The third word counts where the fraction is near zero.
    const rl_word near = (rl_word)1 << (RL_WORD_BITS - 7);
    if ((high << 2) + near < 2 * near) {
        const rl_word third = rl_high(significand, bits_of_two_over_pi(at + 2 * RL_WORD_BITS));
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
    struct rl_scaled angle;
    if (high == 0) {
        angle = rl_scaled_of(low | 1, -RL_WORD_BITS, above);
    } else {
        angle = rl_scaled_of(high, 0, above);
        const int shift = -angle.exponent;
        angle.bits |= shift > 0 ? low >> (RL_WORD_BITS - shift) : 0;
    }
    static const struct rl_scaled half_pi = {RL_QUARTER_PI, 1, false};
    angle = rl_scaled_multiply(angle, half_pi);
    if (x.negative) {
        quadrant = -quadrant;
        angle.negative = !angle.negative;
    }
    return (struct reduced){angle, quadrant & 3};
}

// Half of the square of an angle below 1, as a fraction.
static rl_signed half_square(struct rl_scaled angle)
{
    const rl_word fraction = rl_scaled_fraction(angle);
    return (rl_signed)(rl_high(fraction, fraction) >> 1);
}

static struct rl_scaled sine_of(struct rl_scaled angle)
{
    const rl_signed half = half_square(angle);
    const rl_word tail = rl_high((rl_word)half << 1, (rl_word)RL_POLYNOMIAL(sine_terms, half) << 1);
    return rl_scaled_of(angle.bits - rl_high(angle.bits, tail), angle.exponent, angle.negative);
}

static struct rl_scaled cosine_of(struct rl_scaled angle)
{
    const rl_signed half = half_square(angle);
    const rl_word tail = rl_high((rl_word)half << 1, (rl_word)RL_POLYNOMIAL(cosine_terms, half) << 1);
    return tail == 0 ? rl_scaled_one(false) : (struct rl_scaled){-tail, 0, false};
}

// The sine `quarters` quarters of a turn later.
static rl_real sine_after(rl_real x, unsigned quarters)
{
    const struct reduced part = reduce(rl_scaled_unpack(x));
    const unsigned quadrant = part.quadrant + quarters;
    struct rl_scaled result = quadrant & 1 ? cosine_of(part.angle) : sine_of(part.angle);
    result.negative = result.negative != ((quadrant & 2) != 0);
    return rl_scaled_pack(result);
}

rl_real RL_MATH(sin)(rl_real x)
{
    if (rl_is_zero(x)) {
        return x;
    }
    return rl_is_finite(x) ? sine_after(x, 0) : rl_not_a_number();
}

rl_real RL_MATH(cos)(rl_real x)
{
    if (rl_is_zero(x)) {
        return 1;
    }
    return rl_is_finite(x) ? sine_after(x, 1) : rl_not_a_number();
}

rl_real RL_MATH(tan)(rl_real x)
{
    if (rl_is_zero(x)) {
        return x;
    }
    if (!rl_is_finite(x)) {
        return rl_not_a_number();
    }
    const struct reduced part = reduce(rl_scaled_unpack(x));
    const struct rl_scaled sine = sine_of(part.angle), cosine = cosine_of(part.angle);
    if (part.quadrant & 1) {
        struct rl_scaled result = rl_scaled_divide(cosine, sine);
        result.negative = !result.negative;
        return rl_scaled_pack(result);
    }
    return rl_scaled_pack(rl_scaled_divide(sine, cosine));
}
