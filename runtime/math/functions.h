// SPDX-License-Identifier: Apache-2.0
//
// Mathematical functions that give the same bits everywhere: on every core, with every compiler, and whatever its
// options for floats, because they compute with integers. The portable operators, the compiler's tables and reports
// use these in place of <math.h>, whose results differ from one C library to the next.
//
// The names are those of <math.h> behind `rl_math_`; a final `f` is the form for floats. rl_math_sigmoid is the
// logistic function 1 / (1 + e^-x).
//
// Accuracy. Each result lies less than one unit in the last place from the exact one. Measured against MPFR
// (tests/runtime/math/accuracy_test.c) it is at most 0.55 units in floats and 0.51 in doubles, where 0.5 is the best
// that rounding allows. That holds for subnormal arguments and results, and for arguments of any size: sine, cosine
// and tangent reduce the largest float exactly.
//
// Special cases are those of Annex F of the C standard. A domain error, such as the logarithm of a negative number, and
// a NaN as argument give one NaN: positive, quiet, all other bits zero. pow(x, 0) and pow(1, y) are 1 for any x and y.
// Results that are too large are infinite, and those that are too small become subnormal, then zero, with their sign.
// The rounding mode has no effect; errno and the flags of floating point are not part of the interface.
#ifndef RL_RUNTIME_MATH_FUNCTIONS_H
#define RL_RUNTIME_MATH_FUNCTIONS_H

// Powers, e^x - 1, and logarithms: natural, to base 2 and 10, and of 1 + x. log2 is exact for powers of two.
float rl_math_expf(float x);
float rl_math_expm1f(float x);
float rl_math_powf(float x, float y);
float rl_math_logf(float x);
float rl_math_log2f(float x);
float rl_math_log10f(float x);
float rl_math_log1pf(float x);
double rl_math_exp(double x);
double rl_math_exp2(double x);
double rl_math_expm1(double x);
double rl_math_pow(double x, double y);
double rl_math_log(double x);
double rl_math_log2(double x);
double rl_math_log10(double x);
double rl_math_log1p(double x);

// Trigonometric functions of angles in radians, and their inverses. atan2 is the angle of the point (x, y).
float rl_math_sinf(float x);
float rl_math_cosf(float x);
float rl_math_tanf(float x);
float rl_math_asinf(float x);
float rl_math_acosf(float x);
float rl_math_atanf(float x);
float rl_math_atan2f(float y, float x);
double rl_math_sin(double x);
double rl_math_cos(double x);
double rl_math_tan(double x);
double rl_math_asin(double x);
double rl_math_acos(double x);
double rl_math_atan(double x);
double rl_math_atan2(double y, double x);

// Hyperbolic functions and their inverses, and the logistic function.
float rl_math_sinhf(float x);
float rl_math_coshf(float x);
float rl_math_tanhf(float x);
float rl_math_asinhf(float x);
float rl_math_acoshf(float x);
float rl_math_atanhf(float x);
float rl_math_sigmoidf(float x);
double rl_math_sinh(double x);
double rl_math_cosh(double x);
double rl_math_tanh(double x);
double rl_math_asinh(double x);
double rl_math_acosh(double x);
double rl_math_atanh(double x);
double rl_math_sigmoid(double x);

// The error function and one less it; the latter keeps all bits where it is small.
float rl_math_erff(float x);
double rl_math_erf(double x);
double rl_math_erfc(double x);

#endif
