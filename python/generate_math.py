#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes runtime/math/constants.h: the constants and polynomials of the mathematical functions.

usage: python/generate_math.py > runtime/math/constants.h

Needs nothing but Python. All numbers are computed here, in decimals of 90 digits, from power series and continued
fractions. A polynomial interpolates its function at Chebyshev nodes, which is within a bit of the best polynomial of
its degree. It is written for an argument a in [-1/2, 1/2] with coefficients below 1, so that both fit signed fractions
of one word. The script fails if a polynomial, with its coefficients rounded to words, is further from its function
than the bound given for it.
"""
from decimal import Decimal, getcontext

getcontext().prec = 90
ONE = Decimal(1)
WIDTHS = (32, 64)


def series(term, start):
    """The sum of terms: start, and term(k, previous) for k = 1, 2, ... until they vanish."""
    total, value, k = start, start, 0
    while abs(value) > Decimal(10) ** -88:
        k += 1
        value = term(k, value)
        total += value
    return total


def power_series(coefficient, z):
    """The sum of coefficient(k) z^k for |z| < 1."""
    total, power, k = Decimal(0), ONE, 0
    while abs(power) > Decimal(10) ** -88:
        total += coefficient(k) * power
        power *= z
        k += 1
    return total


def arctangent(x):
    return x * power_series(lambda k: Decimal((-1) ** k) / (2 * k + 1), x * x)


PI = 16 * arctangent(ONE / 5) - 4 * arctangent(ONE / 239)
LN2 = Decimal(2).ln()
LN10 = Decimal(10).ln()


def factorial(n):
    return ONE if n == 0 else n * factorial(n - 1)


# ---- the functions that polynomials stand for


def power_of_two(f):
    """(2^f - 1) / f"""
    return series(lambda k, t: t * f * LN2 / (k + 1), LN2)


def logarithm(z):
    """(atanh(s) / s - 1) / s^2 with z = s^2"""
    return power_series(lambda k: ONE / (2 * k + 3), z)


def sine(z):
    """(1 - sin(r) / r) / r^2 with z = r^2"""
    return series(lambda k, t: -t * z / ((2 * k + 2) * (2 * k + 3)), ONE / 6)


def cosine(z):
    """(1 - cos(r)) / r^2 with z = r^2"""
    return series(lambda k, t: -t * z / ((2 * k + 1) * (2 * k + 2)), ONE / 2)


def inverse_tangent(z):
    """(1 - atan(s) / s) / s^2 with z = s^2"""
    return power_series(lambda k: Decimal((-1) ** k) / (2 * k + 3), z)


def inverse_sine(z):
    """(asin(s) / s - 1) / s^2 with z = s^2"""
    total, factor, power, k = Decimal(0), ONE / 2, ONE, 1
    while abs(factor * power) > Decimal(10) ** -88:
        total += factor * power / (2 * k + 1)
        factor *= Decimal(2 * k + 1) / (2 * k + 2)
        power *= z
        k += 1
    return total


def error_function(z):
    """erf(x) / (2 x) with z = x^2"""
    scale = ONE / PI.sqrt()
    total, power, k = Decimal(0), scale, 0
    while abs(power) > Decimal(10) ** -88:
        total += power / (2 * k + 1)
        k += 1
        power *= -z / k
    return total


def complement(x):
    """erfc(x)"""
    if x < 3:
        return 1 - 2 * x * error_function(x * x)
    return (-x * x).exp() * scaled_complement(x)


def scaled_complement(x):
    """exp(x^2) erfc(x)"""
    if x < 3:
        return (x * x).exp() * complement(x)
    fraction = x
    for k in range(1200, 0, -1):
        fraction = x + Decimal(k) / 2 / fraction
    return 1 / (PI.sqrt() * fraction)


def complement_by_reciprocal(r):
    """exp(x^2) erfc(x) (x + 3) / 2 with r = 1 / (x + 3)"""
    x = 1 / r - 3
    return scaled_complement(x) / r / 2


# Squares are taken negative, because compilers multiply numbers that they know to be positive in more steps.
#
# name, function, middle and width of the interval in which a = (z - middle) / width is within [-1/2, 1/2], the part of
# it that is used, degree, and bound of the error in bits below the largest value, for each width (None: not needed).
POLYNOMIALS = (
    ("exp2_terms", power_of_two, 0, 1, (-0.5, 0.5), (6, 30), (12, 62)),
    ("log_terms", logarithm, 0, -1, (0, 0.02945), (4, 27), (10, 60)),
    ("sine_terms", sine, 0, -2, (0, 0.6169), (3, 28), (7, 60)),
    ("cosine_terms", cosine, 0, -2, (0, 0.6169), (4, 30), (8, 61)),
    ("arctangent_terms", inverse_tangent, 0, -1, (0, 0.1718), (6, 29), (13, 60)),
    ("arcsine_terms", inverse_sine, 0, -1, (0, 0.25), (8, 29), (16, 60)),
    ("erf_terms", error_function, 0, -2, (0, 1), (7, 30), (15, 61)),
    ("erfc_terms_from_1", complement, 1.5, 1, (1, 2), (9, 25), None),
    ("erfc_terms_from_2", complement, 3, 2, (2, 4), (12, 20), None),
    ("erfc_terms", complement_by_reciprocal, 0.15625, 0.25, (1 / 32.0, 0.25), None, (23, 62)),
)


def cosine_of(angle):
    return series(lambda k, t: -t * angle * angle / ((2 * k - 1) * (2 * k)), ONE)


def interpolate(function, low, high, middle, width, degree):
    """Coefficients for a, by Newton's divided differences at Chebyshev nodes of [low, high]."""
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cosine_of(PI * (2 * i + 1) / (2 * count)) for i in range(count)]
    places = [(node - middle) / width for node in nodes]
    differences = [function(node) for node in nodes]
    for order in range(1, count):
        for i in range(degree, order - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (places[i] - places[i - order])
    result = [Decimal(0)]
    for i in range(degree, -1, -1):
        result = [Decimal(0)] + result
        for j in range(len(result) - 1):
            result[j] -= places[i] * result[j + 1]
        result[0] += differences[i]
    return result[:count]


def check(name, function, words, bits, low, high, middle, width, bound):
    worst = largest = Decimal(0)
    for i in range(101):
        z = low + (high - low) * i / 100
        a = (z - middle) / width
        assert abs(a) <= Decimal("0.5")
        value = Decimal(0)
        for word in reversed(words):
            value = value * a + Decimal(word) / 2 ** (bits - 1)
        worst = max(worst, abs(value - function(z)))
        largest = max(largest, abs(function(z)))
    worst /= largest
    assert worst < Decimal(2) ** -bound, "%s: the error is 2^%.1f" % (name, worst.ln() / LN2)


def literal(word, bits):
    digits = "INT%d_C(0x%0*x)" % (bits, bits // 4, abs(word))
    return "-" + digits if word < 0 else digits


def write_list(head, items, per_line):
    print(head + " = {")
    for i in range(0, len(items), per_line):
        print("    " + ", ".join(items[i : i + per_line]) + ",")
    print("};")


def write_polynomials(bits):
    index = WIDTHS.index(bits)
    for name, function, middle, width, used, *needs in POLYNOMIALS:
        if needs[index] is None:
            continue
        degree, bound = needs[index]
        low, high, middle, width = (Decimal(x) for x in (*used, middle, width))
        terms = interpolate(function, low, high, middle, width, degree)
        words = [int((term * 2 ** (bits - 1)).to_integral_value()) for term in terms]
        assert all(abs(word) < 2 ** (bits - 1) for word in words), name
        check(name, function, words, bits, low, high, middle, width, bound)
        print("\n// %s" % function.__doc__)
        words.reverse()
        write_list("static const rl_signed %s[]" % name, [literal(w, bits) for w in words], 128 // bits)


# What it is, and its value as a fraction in [1/2, 1) of a power of two.
NUMBERS = (
    ("LOG2_E", "log2(e) / 2", 1 / LN2 / 2),
    ("LN_2", "ln(2)", LN2),
    ("LOG10_E", "2 log10(e)", 2 / LN10),
    ("LOG10_2", "2 log10(2)", 2 * LN2 / LN10),
    ("QUARTER_PI", "pi / 4", PI / 4),
)


def write_numbers(bits):
    for name, meaning, value in NUMBERS:
        assert ONE / 2 <= value < 1
        whole = int(value * 2 ** (2 * bits))
        upper, lower = whole >> bits, whole & (2**bits - 1)
        needs_tail = name in ("LOG2_E",)
        if not needs_tail:
            upper += lower >> (bits - 1)
        print("#define RL_%s UINT%d_C(0x%0*x) // %s" % (name, bits, bits // 4, upper, meaning))
        if needs_tail:
            print("#define RL_%s_TAIL UINT%d_C(0x%0*x) // its next word" % (name, bits, bits // 4, lower))


def write_two_over_pi():
    """2 / pi behind two words of zeros, for exponents up to that of the largest double."""
    getcontext().prec = 450
    value = 2 / pi_of_many_digits()
    words = 38
    bits = int(value * Decimal(2) ** (32 * words))
    list_of_words = ["0x%08x" % ((bits >> (32 * (words - 1 - i))) & 0xFFFFFFFF) for i in range(words)]
    for head, count in (("#ifdef RL_WIDE", words), ("#else", 8)):
        print(head)
        write_list("static const uint32_t two_over_pi[]", ["0", "0"] + list_of_words[:count], 8)
    print("#endif")
    getcontext().prec = 90


def pi_of_many_digits():
    def inverse(n):
        total, power, k = Decimal(0), ONE / n, 0
        while power > Decimal(10) ** -445:
            total += power / (2 * k + 1) * (-1) ** k
            power /= n * n
            k += 1
        return total

    return 16 * inverse(5) - 4 * inverse(239)


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("//")
    print("// Constants of the mathematical functions. python/generate_math.py writes this file and finds them.")
    print("// Polynomials: signed fractions of one word, the highest power first. Numbers: unsigned fractions.")
    print("#ifndef RL_RUNTIME_MATH_CONSTANTS_H")
    print("#define RL_RUNTIME_MATH_CONSTANTS_H")
    print('\n#include "runtime/math/word.h"\n')
    print("// clang-format off")
    for head, bits in (("#ifdef RL_WIDE\n", 64), ("\n#else\n", 32)):
        print(head)
        write_numbers(bits)
        write_polynomials(bits)
    print("\n#endif\n")
    print("// The bits of 2 / pi behind 64 zeros.")
    write_two_over_pi()
    print("// clang-format on\n")
    print("#endif")


main()
