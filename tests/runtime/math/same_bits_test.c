// SPDX-License-Identifier: Apache-2.0
//
// The mathematical functions give the same bits everywhere. The same source runs on the host and on every core:
// checksums of the results over floats and doubles of all sizes, and of the functions of <math.h> that runtime and
// compiler use because their results are fixed. `math_same_bits_test --print` prints the table below.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "functions_list.h"
#include "runtime/math/functions.h"

enum { SAMPLES = 2000 };

struct random {
    uint32_t state;
};

static uint32_t next_random(struct random *random)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 17;
    random->state ^= random->state << 5;
    return random->state;
}

// Half of them of any size, half with exponents at which functions are not trivial.
static float next_float(struct random *random, int i)
{
    uint32_t bits = next_random(random);
    if (i % 2) {
        bits = (bits & UINT32_C(0x807fffff)) | (127 - 20 + (bits >> 23) % 28) << 23;
    }
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double next_double(struct random *random, int i)
{
    uint64_t bits = (uint64_t)next_random(random) << 32;
    bits |= next_random(random);
    if (i % 2) {
        bits = (bits & UINT64_C(0x800fffffffffffff)) | (1023 - 40 + (bits >> 52) % 51) << 52;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// FNV-1a. All NaNs count as one, because those of <math.h> differ; ours are compared by their bits in `check_nan`.
static uint32_t with_float(uint32_t sum, float x)
{
    uint32_t bits = UINT32_C(0x7fc00000);
    if (x == x) {
        memcpy(&bits, &x, sizeof bits);
    }
    for (int i = 0; i < 32; i += 8) {
        sum = (sum ^ (bits >> i & 255)) * UINT32_C(16777619);
    }
    return sum;
}

static uint32_t with_double(uint32_t sum, double x)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    if (x == x) {
        memcpy(&bits, &x, sizeof bits);
    }
    for (int i = 0; i < 64; i += 8) {
        sum = (sum ^ (uint32_t)(bits >> i & 255)) * UINT32_C(16777619);
    }
    return sum;
}

struct function {
    const char *name;
    float (*narrow)(float);
    double (*wide)(double);
    float (*narrow_of_two)(float, float);
    double (*wide_of_two)(double, double);
};

#define OF_BOTH(name)   {"rl_math_" #name, rl_math_##name##f, rl_math_##name, NULL, NULL},
#define OF_DOUBLE(name) {"rl_math_" #name, NULL, rl_math_##name, NULL, NULL},
#define OF_TWO(name)    {"rl_math_" #name, NULL, NULL, rl_math_##name##f, rl_math_##name},
#define EXACT(name)     {#name, name##f, name, NULL, NULL},

static const struct function functions[] = {
    // clang-format off
    RL_MATH_OF_ONE(OF_BOTH)
    RL_MATH_OF_ONE_DOUBLE(OF_DOUBLE)
    RL_MATH_OF_TWO(OF_TWO)
    EXACT(sqrt) EXACT(fabs) EXACT(floor) EXACT(ceil) EXACT(trunc) EXACT(rint) EXACT(nearbyint) EXACT(round)
    {"fmod", NULL, NULL, fmodf, fmod},
    {"copysign", NULL, NULL, copysignf, copysign},
    // clang-format on
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// What the host gives, whose results accuracy_test.c compares with exact ones: for floats, for doubles.
static const uint32_t expected[FUNCTIONS][2] = {
    {UINT32_C(0xd70130ff), UINT32_C(0x781d2654)}, // rl_math_exp
    {UINT32_C(0x85100a37), UINT32_C(0xde8f6fdb)}, // rl_math_expm1
    {UINT32_C(0xc4590149), UINT32_C(0xc84812d1)}, // rl_math_log
    {UINT32_C(0xfb150923), UINT32_C(0x994c2c0a)}, // rl_math_log2
    {UINT32_C(0xf67e0270), UINT32_C(0x8437a249)}, // rl_math_log10
    {UINT32_C(0x797cfc6c), UINT32_C(0xdda65391)}, // rl_math_log1p
    {UINT32_C(0x49ee670f), UINT32_C(0x3c93635e)}, // rl_math_sin
    {UINT32_C(0x4340a86a), UINT32_C(0xebe9ee47)}, // rl_math_cos
    {UINT32_C(0xc9d7a66a), UINT32_C(0xddbdc5ce)}, // rl_math_tan
    {UINT32_C(0xff87355b), UINT32_C(0xd75743e8)}, // rl_math_asin
    {UINT32_C(0xd62e3ded), UINT32_C(0x578a65e2)}, // rl_math_acos
    {UINT32_C(0x46cd8571), UINT32_C(0xaefba4ae)}, // rl_math_atan
    {UINT32_C(0x3ba05ce4), UINT32_C(0x392ee6cc)}, // rl_math_sinh
    {UINT32_C(0xa28fb999), UINT32_C(0x26c2edc9)}, // rl_math_cosh
    {UINT32_C(0x44bb1e7b), UINT32_C(0xaa2c035e)}, // rl_math_tanh
    {UINT32_C(0x18d63102), UINT32_C(0x5727a250)}, // rl_math_asinh
    {UINT32_C(0x4512faa2), UINT32_C(0x5e2ea87a)}, // rl_math_acosh
    {UINT32_C(0x1c1225df), UINT32_C(0x7eaa084a)}, // rl_math_atanh
    {UINT32_C(0x62bcb9c5), UINT32_C(0x5af9b9ba)}, // rl_math_erf
    {UINT32_C(0x9a167d1e), UINT32_C(0x3866f619)}, // rl_math_sigmoid
    {UINT32_C(0x811c9dc5), UINT32_C(0xac23b109)}, // rl_math_exp2
    {UINT32_C(0x811c9dc5), UINT32_C(0x418f4144)}, // rl_math_erfc
    {UINT32_C(0x02f88286), UINT32_C(0xafffd774)}, // rl_math_pow
    {UINT32_C(0xcff8cfae), UINT32_C(0x6369d411)}, // rl_math_atan2
    {UINT32_C(0xd8c39242), UINT32_C(0x303f0778)}, // sqrt
    {UINT32_C(0x05901fb5), UINT32_C(0x7d7ee808)}, // fabs
    {UINT32_C(0xae866ae9), UINT32_C(0x3035c3a6)}, // floor
    {UINT32_C(0x343fe092), UINT32_C(0x2eaa0f7e)}, // ceil
    {UINT32_C(0x1a6936bb), UINT32_C(0xaa0fbf93)}, // trunc
    {UINT32_C(0xcf1d58bb), UINT32_C(0x465b6a1d)}, // rint
    {UINT32_C(0xcf1d58bb), UINT32_C(0x465b6a1d)}, // nearbyint
    {UINT32_C(0xe7725bcf), UINT32_C(0x465b6a1d)}, // round
    {UINT32_C(0x92eb6c7c), UINT32_C(0x5e91836e)}, // fmod
    {UINT32_C(0x62c20035), UINT32_C(0xf2ec358d)}, // copysign
};

static uint32_t sum_of_floats(const struct function *f)
{
    struct random random = {1};
    uint32_t sum = UINT32_C(2166136261);
    for (int i = 0; i < SAMPLES && (f->narrow || f->narrow_of_two); i++) {
        const float x = next_float(&random, i);
        sum = with_float(sum, f->narrow ? f->narrow(x) : f->narrow_of_two(x, next_float(&random, i)));
    }
    return sum;
}

static uint32_t sum_of_doubles(const struct function *f)
{
    struct random random = {1};
    uint32_t sum = UINT32_C(2166136261);
    for (int i = 0; i < SAMPLES; i++) {
        const double x = next_double(&random, i);
        sum = with_double(sum, f->wide ? f->wide(x) : f->wide_of_two(x, next_double(&random, i)));
    }
    return sum;
}

// Whether our functions return their one NaN for any NaN.
static bool check_nan(const struct function *f)
{
    static const uint32_t others[] = {0, UINT32_C(0x80000000), UINT32_C(0x12345), UINT32_C(0x8003ffff)};
    for (int i = 0; i < 4; i++) {
        uint32_t bits = UINT32_C(0x7fc00000) | others[i];
        uint64_t wide_bits = UINT64_C(0x7ff8000000000000) | (uint64_t)others[i] << 32 | others[i];
        float x;
        double wide;
        memcpy(&x, &bits, sizeof x);
        memcpy(&wide, &wide_bits, sizeof wide);
        wide = f->wide ? f->wide(wide) : f->wide_of_two(1.5, wide);
        memcpy(&wide_bits, &wide, sizeof wide);
        if (f->narrow || f->narrow_of_two) {
            x = f->narrow ? f->narrow(x) : f->narrow_of_two(x, 2.5f);
            memcpy(&bits, &x, sizeof bits);
        } else {
            bits = UINT32_C(0x7fc00000);
        }
        if (bits != UINT32_C(0x7fc00000) || wide_bits != UINT64_C(0x7ff8000000000000)) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    const bool print = argc > 1 && strcmp(argv[1], "--print") == 0;
    int failures = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        const uint32_t sums[] = {sum_of_floats(&functions[i]), sum_of_doubles(&functions[i])};
        if (print) {
            printf("    {UINT32_C(0x%08lx), UINT32_C(0x%08lx)}, // %s\n", (unsigned long)sums[0],
                   (unsigned long)sums[1], functions[i].name);
            continue;
        }
        for (int wide = 0; wide < 2; wide++) {
            if (sums[wide] != expected[i][wide]) {
                printf("FAIL: %s of %s: checksum %08lx, on the host %08lx\n", functions[i].name,
                       wide ? "doubles" : "floats", (unsigned long)sums[wide], (unsigned long)expected[i][wide]);
                failures++;
            }
        }
        if (strncmp(functions[i].name, "rl_", 3) == 0 && !check_nan(&functions[i])) {
            printf("FAIL: %s: a NaN with other bits\n", functions[i].name);
            failures++;
        }
    }
    return failures > 0;
}
