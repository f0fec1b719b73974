// SPDX-License-Identifier: Apache-2.0
//
// e to the x and functions based on it. In float they give the same bits on every core, unlike the C libraries' expf.
// In double they are the C library's.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_EXPONENTIAL_H
#define RL_RUNTIME_OPERATORS_PORTABLE_EXPONENTIAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/operators/portable/real.h"

#ifdef RL_WIDE

static inline double rl_exponential(double x)
{
    return exp(x);
}

static inline double rl_power_less_one(double x)
{
    return expm1(x);
}

static inline double rl_hyperbolic_tangent(double x)
{
    return tanh(x);
}

#else

// Within 2 units in the last place for -87.3 <= x <= 88.7; 0 below, infinity above, NaN for NaN. Method: x = n ln 2 + r
// with |r| <= ln 2 / 2, e^r as a polynomial, 2^n by its bits. Constants: Cody and Waite's split of ln 2, and the
// polynomial of S. Moshier's Cephes library (expf).
static inline float rl_exponential(float x)
{
    if (!(x >= -87.3f)) {
        return x != x ? x : 0;
    }
    if (x > 88.7f) {
        return INFINITY;
    }
    float scaled = x * 1.44269504f;
    int32_t n = (int32_t)(scaled + (scaled < 0 ? -0.5f : 0.5f));
    float r = x - (float)n * 0.693359375f;
    r -= (float)n * -2.12194440e-4f;
    float sum = 1.9875691500e-4f;
    sum = sum * r + 1.3981999507e-3f;
    sum = sum * r + 8.3334519073e-3f;
    sum = sum * r + 4.1665795894e-2f;
    sum = sum * r + 1.6666665459e-1f;
    sum = sum * r + 5.0000001201e-1f;
    sum = sum * r * r + r + 1;
    // In two steps, because 2^128 is not a float.
    uint32_t half_bits = (uint32_t)(127 + n / 2) << 23, rest_bits = (uint32_t)(127 + n - n / 2) << 23;
    float half, rest;
    memcpy(&half, &half_bits, sizeof half);
    memcpy(&rest, &rest_bits, sizeof rest);
    return sum * half * rest;
}

// e to the x, minus 1. Near zero it uses the series, which keeps the digits that the difference would lose.
static inline float rl_power_less_one(float x)
{
    if (x < -0.3f || x > 0.3f) {
        return rl_exponential(x) - 1;
    }
    float tail = x / 5 * (1 + x / 6 * (1 + x / 7));
    return x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + tail))));
}

// Near zero, where one minus the power would lose digits, it uses the series up to x^9.
static inline float rl_hyperbolic_tangent(float x)
{
    float size = x < 0 ? -x : x;
    if (size < 0.3f) {
        float square = x * x;
        float tail = square * (-17.0f / 315.0f + square * (62.0f / 2835.0f));
        return x * (1 + square * (-1.0f / 3.0f + square * (2.0f / 15.0f + tail)));
    }
    float power = rl_exponential(-2 * size);
    float result = (1 - power) / (1 + power);
    return x < 0 ? -result : result;
}

#endif

// 1 / (1 + e^-x), from the exponential of a negative number, which cannot overflow.
static inline rl_real rl_sigmoid(rl_real x)
{
    rl_real power = rl_exponential(x < 0 ? x : -x);
    return (x < 0 ? power : 1) / (1 + power);
}

#endif
