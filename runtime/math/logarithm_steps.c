// SPDX-License-Identifier: Apache-2.0
//
// The logarithms to other bases and of 1 + x, and the natural one in the steps of other families.
#include "runtime/math/functions.h"
#include "runtime/math/logarithm.h"

// ln(z) for x = 2^k z.
static struct rl_scaled split_logarithm(struct rl_scaled x, int *k)
{
    const struct rl_log_split parts = rl_split_for_log(x);
    *k = parts.k;
    return parts.distance == 0 ? rl_scaled_zero() : rl_log_of_split(parts);
}

struct rl_scaled rl_scaled_log(struct rl_scaled x)
{
    int k;
    const struct rl_scaled logarithm = split_logarithm(x, &k);
    return k == 0 ? logarithm : rl_add_multiple(logarithm, k, RL_LN_2, 0);
}

struct rl_scaled rl_scaled_log_series(struct rl_scaled x)
{
    return x.bits == 0 ? x : rl_log_series(x);
}

// 1 + x for x of -1 to -1/4, and from 1/4 on.
static struct rl_scaled one_more(struct rl_scaled x)
{
    if (x.negative) {
        return rl_scaled_of(-rl_scaled_fraction(x), 0, false);
    }
    if (x.exponent <= 0) {
        return (struct rl_scaled){RL_TOP_BIT + (rl_scaled_fraction(x) >> 1), 1, false};
    }
    const rl_word one = x.exponent <= RL_WORD_BITS ? RL_TOP_BIT >> (x.exponent - 1) : 0, sum = x.bits + one;
    return sum >= one ? (struct rl_scaled){sum, x.exponent, false}
                      : (struct rl_scaled){sum >> 1 | RL_TOP_BIT, x.exponent + 1, false};
}

struct rl_scaled rl_scaled_log1p(struct rl_scaled x)
{
    if (x.exponent >= -1) {
        return rl_scaled_log(one_more(x));
    }
    // x / (2 + x), below 1/7. A quarter of the divisor is near 1/2.
    const rl_word part = rl_scaled_fraction(x) >> 2;
    const struct rl_scaled divisor = rl_scaled_of(x.negative ? RL_TOP_BIT - part : RL_TOP_BIT + part, 2, false);
    return rl_scaled_log_series(rl_scaled_divide(x, divisor));
}

// Whether the logarithm is not that of a finite positive number; `result` is then what it is.
static bool is_special(rl_real x, rl_real *result)
{
    if (rl_is_zero(x)) {
        *result = rl_infinity(true);
        return true;
    }
    if (rl_is_nan(x) || rl_is_negative(x)) {
        *result = rl_not_a_number();
        return true;
    }
    *result = x;
    return rl_is_infinite(x);
}

// k + ln(z) log2(e), exact for powers of two.
rl_real RL_MATH(log2)(rl_real x)
{
    static const struct rl_scaled log2_of_e = {RL_LOG2_E, 1, false};
    rl_real result;
    if (is_special(x, &result)) {
        return result;
    }
    int k;
    const struct rl_scaled rest = rl_scaled_multiply(split_logarithm(rl_scaled_unpack(x), &k), log2_of_e);
    return rl_scaled_pack(k == 0 ? rest : rl_add_multiple(rest, k, RL_TOP_BIT, 1));
}

// k log10(2) + ln(z) log10(e)
rl_real RL_MATH(log10)(rl_real x)
{
    static const struct rl_scaled log10_of_e = {RL_LOG10_E, -1, false};
    rl_real result;
    if (is_special(x, &result)) {
        return result;
    }
    int k;
    const struct rl_scaled rest = rl_scaled_multiply(split_logarithm(rl_scaled_unpack(x), &k), log10_of_e);
    return rl_scaled_pack(k == 0 ? rest : rl_add_multiple(rest, k, RL_LOG10_2, -1));
}

rl_real RL_MATH(log1p)(rl_real x)
{
    rl_real result;
    if (rl_is_zero(x)) {
        return x;
    }
    return is_special(x + 1, &result) ? result : rl_scaled_pack(rl_scaled_log1p(rl_scaled_unpack(x)));
}
