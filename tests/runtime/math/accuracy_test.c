// SPDX-License-Identifier: Apache-2.0
//
// usage: math_accuracy_test [--every STEP [FUNCTION]]
// The mathematical functions against MPFR: every result is less than one unit in the last place from the exact one,
// and special results are those of C's Annex F. A sample of all floats, random doubles, hard cases of both. With
// --every, each STEP-th float, all of them with --every 1 (some minutes a function); there a result close to the C
// library's double needs no MPFR.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "functions_list.h"
#include "runtime/math/functions.h"

typedef int mpfr_function(mpfr_t result, const mpfr_t x, mpfr_rnd_t round);
typedef int mpfr_function_of_two(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);

static int mpfr_sigmoid(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_t power;
    mpfr_init2(power, mpfr_get_prec(result));
    mpfr_neg(power, x, round);
    mpfr_exp(power, power, round);
    mpfr_add_ui(power, power, 1, round);
    const int ternary = mpfr_ui_div(result, 1, power, round);
    mpfr_clear(power);
    return ternary;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

struct function {
    const char *name;
    float (*narrow)(float);
    double (*wide)(double);
    double (*library)(double);
    mpfr_function *exact;
};

struct function_of_two {
    const char *name;
    float (*narrow)(float, float);
    double (*wide)(double, double);
    mpfr_function_of_two *exact;
};

#define OF_BOTH(name)   {#name, rl_math_##name##f, rl_math_##name, name, mpfr_##name},
#define OF_DOUBLE(name) {#name, NULL, rl_math_##name, name, mpfr_##name},
#define OF_TWO(name)    {#name, rl_math_##name##f, rl_math_##name, mpfr_##name},
static const struct function functions[] = {RL_MATH_OF_ONE(OF_BOTH) RL_MATH_OF_ONE_DOUBLE(OF_DOUBLE)};
static const struct function_of_two functions_of_two[] = {RL_MATH_OF_TWO(OF_TWO)};

enum {
    FUNCTIONS = sizeof functions / sizeof functions[0],
    FUNCTIONS_OF_TWO = sizeof functions_of_two / sizeof functions_of_two[0],
    FLOAT_BITS = 24,
    DOUBLE_BITS = 53,
    LOWEST_FLOAT = -149,
    LOWEST_DOUBLE = -1074,
    PRECISION = 53 + 60,
    MOST_FAILURES = 20
};

static mpfr_t exact, first, second, difference;
static int failures;
static double worst;

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t next_random(void)
{
    static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static void report(const char *name, double x, double y, double result)
{
    if (++failures <= MOST_FAILURES) {
        mpfr_printf("FAIL: %s(%a, %a) is %a, exactly %.20Ra\n", name, x, y, result, exact);
    }
}

// Compares `result`, a float or a double by `bits`, with `exact`.
static void check(const char *name, double x, double y, double result, int bits, int lowest)
{
    const double nearest = bits == FLOAT_BITS ? (double)mpfr_get_flt(exact, MPFR_RNDN) : mpfr_get_d(exact, MPFR_RNDN);
    if (isnan(nearest) || isnan(result) || isinf(nearest) || isinf(result)) {
        if (isnan(nearest) ? !isnan(result) : result != nearest) {
            report(name, x, y, result);
        }
        return;
    }
    mpfr_exp_t unit = mpfr_zero_p(exact) ? lowest : mpfr_get_exp(exact) - bits;
    unit = unit < lowest ? lowest : unit;
    mpfr_set_d(difference, result, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDA);
    mpfr_mul_2si(difference, difference, -unit, MPFR_RNDA);
    const double error = fabs(mpfr_get_d(difference, MPFR_RNDA));
    if (error > worst) {
        worst = error;
    }
    if (error >= 1 || (signbit(result) != 0) != (mpfr_signbit(exact) != 0)) {
        report(name, x, y, result);
    }
}

static void check_float(const struct function *f, float x)
{
    mpfr_set_flt(first, x, MPFR_RNDN);
    f->exact(exact, first, MPFR_RNDN);
    check(f->name, (double)x, 0, (double)f->narrow(x), FLOAT_BITS, LOWEST_FLOAT);
}

static void check_double(const struct function *f, double x)
{
    mpfr_set_d(first, x, MPFR_RNDN);
    f->exact(exact, first, MPFR_RNDN);
    check(f->name, x, 0, f->wide(x), DOUBLE_BITS, LOWEST_DOUBLE);
}

static void check_pair(const struct function_of_two *f, double x, double y, int bits)
{
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    f->exact(exact, first, second, MPFR_RNDN);
    if (bits == FLOAT_BITS) {
        check(f->name, x, y, (double)f->narrow((float)x, (float)y), FLOAT_BITS, LOWEST_FLOAT);
    } else {
        check(f->name, x, y, f->wide(x, y), DOUBLE_BITS, LOWEST_DOUBLE);
    }
}

// Zeros, infinities, NaN, the ends of the subnormals and of all numbers, and places where a method changes.
static const double special[] = {
    0.0,
    0x1p-149,
    0x1.fffffcp-127,
    0x1p-126,
    0x1p-64,
    0x1p-31,
    0x1p-26,
    0x1p-25,
    0x1p-24,
    0x1p-13,
    0x1p-12,
    0.125,
    0.171875,
    0.25,
    0x1.6a09e6p-2,
    0x1.a8279ap-2,
    0.4140625,
    0.5,
    0x1.6a09e4p-1,
    0x1.6a09e6p-1,
    0x1.6a09e8p-1,
    0x1.921fb4p-1,
    0x1.921fb6p-1,
    0x1.fffffep-1,
    1.0,
    0x1.000002p0,
    0x1.6a09e6p0,
    0x1.921fb6p0,
    1.5,
    2.0,
    0x1.2d97c8p1,
    3.0,
    0x1.921fb6p1,
    3.9,
    0x1.fffffep1,
    4.0,
    5.0,
    9.0,
    10.0,
    16.0,
    22.0,
    32.0,
    86.0,
    87.33655,
    88.0,
    88.72283,
    88.722839,
    89.415985,
    89.41599,
    100.0,
    103.27892,
    103.97207,
    103.972084,
    104.0,
    127.0,
    128.0,
    129.0,
    149.0,
    150.0,
    1000.0,
    8388607.0,
    8388608.0,
    16777215.0,
    0x1p31,
    0x1.47d0fep34,
    0x1p64,
    0x1.45c91p83,
    0x1.fffffep127,
    (double)INFINITY,
    (double)NAN,
};
static const double special_doubles[] = {
    0x1p-1074,
    0x1.ffffffffffffep-1023,
    0x1p-1022,
    0x1p-54,
    0x1p-53,
    0x1p-28,
    0x1.fffffffffffffp-1,
    0x1.0000000000001p0,
    0x1.921fb54442d18p-1,
    0x1.921fb54442d18p0,
    0x1.921fb54442d18p1,
    5.9,
    6.0,
    26.0,
    26.54,
    27.0,
    27.2,
    27.22,
    27.3,
    28.0,
    29.0,
    36.7,
    37.5,
    40.0,
    707.0,
    708.3,
    709.0,
    709.78,
    709.782712893384,
    710.47,
    710.4758600739439,
    711.0,
    744.0,
    745.13,
    745.1332191019411,
    745.14,
    1022.0,
    1023.0,
    1024.0,
    1074.0,
    1074.5,
    1075.0,
    1076.0,
    0x1.fffffffffffffp1023,
    0x1.6ac5b262ca1ffp849,
    0x1.0fffffffffffep62,
    9007199254740991.0,
    9007199254740992.0,
    4503599627370497.5,
};

enum {
    SPECIAL = sizeof special / sizeof special[0],
    SPECIAL_DOUBLES = sizeof special_doubles / sizeof special_doubles[0]
};

static double special_number(int i)
{
    const int size = i / 2;
    const double number = size < SPECIAL ? special[size] : special_doubles[size - SPECIAL];
    return i % 2 ? -number : number;
}

static void print(const char *name, const char *type)
{
    printf("%-8s %-6s %.3f units in the last place\n", name, type, worst);
    worst = 0;
}

static void check_function(const struct function *f)
{
    enum { STEP = 0x80000 };
    for (uint64_t bits = next_random() % STEP; f->narrow && bits >> 32 == 0; bits += 1 + next_random() % (2 * STEP)) {
        check_float(f, float_of((uint32_t)bits));
    }
    for (int i = 0; f->narrow && i < 2 * SPECIAL; i++) {
        check_float(f, (float)special_number(i));
    }
    if (f->narrow) {
        print(f->name, "float");
    }
    for (int i = 0; i < 2 * (SPECIAL + SPECIAL_DOUBLES); i++) {
        check_double(f, special_number(i));
    }
    for (int i = 0; i < 4000; i++) {
        const uint64_t random = next_random();
        check_double(f, double_of(random));
        // exponents at which most functions are not trivial
        const uint64_t exponent = 1023 - 40 + (random >> 52) % 52;
        check_double(f, double_of((random & UINT64_C(0x800fffffffffffff)) | exponent << 52));
    }
    print(f->name, "double");
}

static void check_function_of_two(const struct function_of_two *f)
{
    for (int bits = FLOAT_BITS; bits <= DOUBLE_BITS; bits += DOUBLE_BITS - FLOAT_BITS) {
        const int count = bits == FLOAT_BITS ? 2 * SPECIAL : 2 * (SPECIAL + SPECIAL_DOUBLES);
        for (int i = 0; i < count * count; i++) {
            const double x = special_number(i / count), y = special_number(i % count);
            check_pair(f, bits == FLOAT_BITS ? (double)(float)x : x, bits == FLOAT_BITS ? (double)(float)y : y, bits);
        }
        for (int i = 0; i < 6000; i++) {
            // Both of any size; then powers that are neither 0 nor infinity, and points near the axes and diagonals.
            const uint64_t a = next_random(), b = next_random();
            double x = double_of(a), y = double_of(b);
            if (i % 2) {
                x = fabs(double_of((a & UINT64_C(0x800fffffffffffff)) | (1023 - 12 + (a >> 52) % 24) << 52));
                y = double_of((b & UINT64_C(0x800fffffffffffff)) | (1023 - 12 + (b >> 52) % 20) << 52);
            }
            if (bits == FLOAT_BITS) {
                x = (double)(i % 2 ? (float)x : float_of((uint32_t)a));
                y = (double)(i % 2 ? (float)y : float_of((uint32_t)b));
            }
            check_pair(f, x, y, bits);
            check_pair(f, 1 + x * 0x1p-20 == 1 ? 1.5 : (double)(float)(1 + x * 0x1p-20), y, bits);
        }
        print(f->name, bits == FLOAT_BITS ? "float" : "double");
    }
}

// Every STEP-th float. The C library's double is right to some 2^-50: a float closer to it than 0.99 units is right.
static void check_many_floats(const struct function *f, uint32_t step)
{
    uint64_t bits = step - 1;
    do {
        const float x = float_of((uint32_t)bits), result = f->narrow(x);
        const double near = f->library((double)x), error = fabs((double)result - near);
        const float nearest = (float)near;
        int exponent;
        frexp(near, &exponent);
        const double unit = ldexp(1, exponent - FLOAT_BITS < LOWEST_FLOAT ? LOWEST_FLOAT : exponent - FLOAT_BITS);
        if (isfinite(result) && error / unit > worst) {
            worst = error / unit;
        }
        const bool same = isnan(near) ? isnan(result) : memcmp(&result, &nearest, sizeof result) == 0;
        if (!same && !(error < 0.99 * unit && result != 0)) {
            check_float(f, x);
        }
        bits += step;
    } while (bits >> 32 == 0);
    print(f->name, "float");
}

int main(int argc, char **argv)
{
    mpfr_inits2(PRECISION, exact, first, second, difference, (mpfr_ptr)NULL);
    const bool many = argc > 2 && strcmp(argv[1], "--every") == 0;
    const uint32_t step = many ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (argc > 1 && step == 0) {
        fprintf(stderr, "usage: math_accuracy_test [--every STEP [FUNCTION]]\n");
        return 2;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        if (argc > 3 && strcmp(argv[3], functions[i].name) != 0) {
            continue;
        }
        if (!many) {
            check_function(&functions[i]);
        } else if (functions[i].narrow) {
            check_many_floats(&functions[i], step);
        }
    }
    for (int i = 0; !many && i < FUNCTIONS_OF_TWO; i++) {
        check_function_of_two(&functions_of_two[i]);
    }
    if (failures > 0) {
        printf("%d results are wrong\n", failures);
    }
    mpfr_clears(exact, first, second, difference, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return failures > 0;
}
