// SPDX-License-Identifier: Apache-2.0
//
// Powers. Method: x^y = 2^(y log2(x)) with the logarithm and its product with y in two words, because the whole part of
// the exponent takes its bits from the front.
#include "runtime/math/functions.h"
#include "runtime/math/logarithm.h"

// a * b, both fractions of two words but for the exponent.
static struct rl_pair multiply(rl_word a, struct rl_pair b, rl_word a_tail)
{
    const rl_word parts[] = {rl_high(a, b.low), rl_high(a_tail, b.high)};
    b.low = a * b.high;
    b.high = rl_high(a, b.high);
    for (int i = 0; i < 2; i++) {
        b.low += parts[i];
        b.high += b.low < parts[i];
    }
    return b;
}

// a / b / 2 of two fractions, both with their top bits set.
static struct rl_pair divide(rl_word a, rl_word b)
{
    const rl_word reciprocal = rl_reciprocal(b);
    rl_word high = rl_high(a, reciprocal);
    // What is left of a / 2: two words, negative while the quotient is too large, at most a few units.
    const rl_word product_low = high * b, half_low = a << (RL_WORD_BITS - 1);
    rl_word rest = half_low - product_low, rest_high = (a >> 1) - rl_high(high, b) - (half_low < product_low);
    while (rest_high >> (RL_WORD_BITS - 1)) {
        high--;
        rest += b;
        rest_high += rest < b;
    }
    while (rest_high != 0 || rest >= b) {
        high++;
        rest_high -= rest < b;
        rest -= b;
    }
    return (struct rl_pair){high, rl_high(rest, reciprocal) << 1, 0, false};
}

static struct rl_pair normalised(struct rl_pair x)
{
    if (x.high == 0) {
        x = (struct rl_pair){x.low, 0, x.exponent - RL_WORD_BITS, x.negative};
    }
    if (x.high != 0) {
        const int zeros = rl_leading_zeros(x.high);
        x.high = x.high << zeros | (zeros > 0 ? x.low >> (RL_WORD_BITS - zeros) : 0);
        x.low <<= zeros;
        x.exponent -= zeros;
    }
    return x;
}

// The words of x, further right by `shift`, which is at least 1.
static struct rl_pair shifted(struct rl_pair x, int shift)
{
    if (shift >= RL_WORD_BITS) {
        x.low = shift < 2 * RL_WORD_BITS ? x.high >> (shift - RL_WORD_BITS) : 0;
        x.high = 0;
        return x;
    }
    x.low = x.high << (RL_WORD_BITS - shift) | x.low >> shift;
    x.high >>= shift;
    return x;
}

// 2 atanh(s) log2(e) for |s| < 0.172.
static struct rl_pair log2_series(struct rl_pair s)
{
    const struct rl_scaled x = rl_scaled_of(s.high, s.exponent, false);
    const struct rl_scaled square = rl_scaled_multiply(x, x);
    const rl_signed fraction = (rl_signed)rl_scaled_fraction(square);
    const struct rl_scaled tail = {rl_high(square.bits, (rl_word)RL_POLYNOMIAL(log_terms, -fraction) << 1),
                                   square.exponent, false};
    // s * tail, at the place of s
    const struct rl_pair part =
        shifted((struct rl_pair){rl_high(s.high, tail.bits), s.high * tail.bits, 0, false}, -tail.exponent);
    s.low += part.low;
    s.high += part.high + (s.low < part.low);
    s = multiply(RL_LOG2_E, s, RL_LOG2_E_TAIL);
    s.exponent += 2;
    return normalised(s);
}

// k + x for |x| <= 1/2 and an integer k that is not zero.
static struct rl_pair add_integer(struct rl_pair x, int k)
{
    const bool negative = k < 0;
    const rl_word size = (rl_word)(negative ? -k : k);
    const int zeros = rl_leading_zeros(size), exponent = RL_WORD_BITS - zeros;
    struct rl_pair sum = {size << zeros, 0, exponent, negative};
    const struct rl_pair part = shifted(x, exponent - x.exponent);
    if (x.negative == negative) {
        sum.low = part.low;
        sum.high += part.high;
    } else {
        sum.low = -part.low;
        sum.high -= part.high + (part.low != 0);
    }
    return sum;
}

// log2(x) for x > 0
static struct rl_pair binary_logarithm(struct rl_scaled x)
{
    const struct rl_log_split parts = rl_split_for_log(x);
    struct rl_pair result = {0, 0, 0, false};
    if (parts.distance != 0) {
        const struct rl_scaled distance = rl_scaled_of(parts.distance, 0, !parts.above);
        result = divide(distance.bits, parts.sum);
        result.exponent = distance.exponent - parts.above;
        result.negative = distance.negative;
        result = log2_series(result);
    }
    return parts.k == 0 ? result : add_integer(result, parts.k);
}

// Whether y is an integer, and an odd one.
static bool is_integer(rl_real y, bool *odd)
{
    *odd = false;
    if (rl_is_zero(y)) {
        return true;
    }
    const struct rl_scaled number = rl_scaled_unpack(y);
    if (number.exponent <= 0) {
        return false;
    }
    if (number.exponent > RL_SIGNIFICAND_BITS) {
        return true;
    }
    if (number.bits << (number.exponent - 1) << 1 != 0) { // bits behind the point
        return false;
    }
    *odd = number.bits >> (RL_WORD_BITS - number.exponent) & 1;
    return true;
}

// |x|^y for finite numbers that are not zero.
static struct rl_scaled power(struct rl_scaled x, struct rl_scaled y)
{
    const struct rl_pair logarithm = binary_logarithm(x);
    struct rl_pair product = multiply(y.bits, logarithm, 0);
    product.exponent += y.exponent;
    product.negative = logarithm.negative != y.negative;
    if (product.high == 0 || product.exponent < -RL_SIGNIFICAND_BITS - 1) {
        return rl_scaled_one(false);
    }
    if (product.exponent > 12) {
        return (struct rl_scaled){RL_TOP_BIT, product.negative ? -4 * RL_LARGEST_EXPONENT : 4 * RL_LARGEST_EXPONENT,
                                  false};
    }
    return rl_scaled_exp2(product);
}

// x^y where x or y is zero or infinite.
static rl_real limit(rl_real x, rl_real y, bool negative)
{
    if (rl_is_infinite(y)) {
        const rl_word size = rl_word_of(x) << 1, one = rl_word_of(1) << 1;
        if (size == one) {
            return 1;
        }
        return (size > one) != rl_is_negative(y) ? rl_infinity(false) : 0;
    }
    if (rl_is_zero(x) == rl_is_negative(y)) {
        return rl_infinity(negative);
    }
    return rl_real_of(negative ? RL_TOP_BIT : 0);
}

rl_real RL_MATH(pow)(rl_real x, rl_real y)
{
    if (rl_is_zero(y) || rl_word_of(x) == rl_word_of(1)) {
        return 1;
    }
    if (rl_is_nan(x) || rl_is_nan(y)) {
        return rl_not_a_number();
    }
    bool odd = false;
    const bool whole = rl_is_infinite(y) || is_integer(y, &odd);
    const bool negative = rl_is_negative(x) && odd;
    if (rl_is_zero(x) || rl_is_infinite(x) || rl_is_infinite(y)) {
        return limit(x, y, negative);
    }
    if (rl_is_negative(x) && !whole) {
        return rl_not_a_number();
    }
    struct rl_scaled result = power(rl_scaled_unpack(x), rl_scaled_unpack(y));
    result.negative = negative;
    return rl_scaled_pack(result);
}
