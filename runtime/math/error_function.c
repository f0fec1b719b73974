// SPDX-License-Identifier: Apache-2.0
//
// The error function. Method: below 1 a series in x^2. Above, 1 less the complement: in float a polynomial for each of
// two intervals, in double e^-x^2 and a polynomial in 1 / (x + 3), which has all bits of small complements, too.
#include "runtime/math/constants.h"
#include "runtime/math/functions.h"
#include "runtime/math/scaled.h"

// erf(x) for 0 < x < 1
static struct rl_scaled inner(struct rl_scaled x)
{
    const rl_word fraction = rl_scaled_fraction(x), square = rl_high(fraction, fraction);
    const rl_word slope = (rl_word)RL_POLYNOMIAL(erf_terms, -(rl_signed)(square >> 1)) << 1;
    return rl_scaled_of(rl_high(x.bits, slope), x.exponent + 1, x.negative);
}

#ifdef RL_WIDE

// e^-x^2 with the square in two words, so that its error is small beside the power.
static struct rl_scaled power_of_square(struct rl_scaled x)
{
    const rl_word high = rl_high(x.bits, x.bits), low = x.bits * x.bits;
    struct rl_pair t = {rl_high(high, RL_LOG2_E), high * RL_LOG2_E, 2 * x.exponent + 1, true};
    const rl_word parts[] = {rl_high(high, RL_LOG2_E_TAIL), rl_high(low, RL_LOG2_E)};
    for (int i = 0; i < 2; i++) {
        t.low += parts[i];
        t.high += t.low < parts[i];
    }
    return rl_scaled_exp2(t);
}

// erfc(x) for 1 <= x < 28
static struct rl_scaled complement(struct rl_scaled x)
{
    static const struct rl_scaled three = {(rl_word)3 << (RL_WORD_BITS - 2), 2, false};
    const struct rl_scaled reciprocal = rl_scaled_divide(rl_scaled_one(false), rl_scaled_add(x, three));
    // (reciprocal - 5 / 32) * 4
    const rl_signed place = (rl_signed)((rl_scaled_fraction(reciprocal) << 2) - ((rl_word)5 << (RL_WORD_BITS - 3)));
    const struct rl_scaled scale = rl_scaled_of((rl_word)RL_POLYNOMIAL(erfc_terms, place), 2, false);
    return rl_scaled_multiply(power_of_square(x), rl_scaled_multiply(scale, reciprocal));
}

#else

// erfc(x) for 1 <= x < 4, exact enough for one less it.
static struct rl_scaled complement(struct rl_scaled x)
{
    // (x - 3/2), or (x - 3) / 2 from 2 on
    const rl_signed place = (rl_signed)((x.bits << 1) - RL_TOP_BIT);
    const rl_signed result =
        x.exponent == 1 ? RL_POLYNOMIAL(erfc_terms_from_1, place) : RL_POLYNOMIAL(erfc_terms_from_2, place);
    return rl_scaled_of((rl_word)result, 1, false);
}

#endif

// From here on erf(x) is 1.
enum { END = RL_WORD_BITS == 32 ? 2 : 3 };

rl_real RL_MATH(erf)(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x)) {
        return x;
    }
    struct rl_scaled size = rl_scaled_unpack(x), result = rl_scaled_one(false);
    const bool negative = size.negative;
    size.negative = false;
    if (size.exponent <= 0) {
        result = inner(size);
    } else if (size.exponent <= END) {
        struct rl_scaled less = complement(size);
        less.negative = true;
        result = rl_scaled_add(result, less);
    }
    result.negative = negative;
    return rl_scaled_pack(result);
}

#ifdef RL_WIDE

double rl_math_erfc(double x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x)) {
        return 1;
    }
    struct rl_scaled number = rl_scaled_unpack(x);
    const bool negative = number.negative;
    if (x >= 28 || x <= -28) {
        return negative ? 2 : 0;
    }
    if (number.exponent <= 0) {
        struct rl_scaled less = inner(number);
        less.negative = !negative;
        return rl_scaled_pack(rl_scaled_add(rl_scaled_one(false), less));
    }
    number.negative = false;
    struct rl_scaled result = complement(number);
    if (negative) {
        result.negative = true;
        result = rl_scaled_add((struct rl_scaled){RL_TOP_BIT, 2, false}, result);
    }
    return rl_scaled_pack(result);
}

#endif
