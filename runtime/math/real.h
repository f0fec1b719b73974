// SPDX-License-Identifier: Apache-2.0
//
// The type with which floats are computed. Files that include this are compiled twice: with rl_real as float, and with
// RL_WIDE and rl_real as double. The second form has names of its own, so that a firmware without float64 does not
// link it.
//
//   RL_MATH(exp)     the function of runtime/math/functions.h for rl_real: rl_math_expf or rl_math_exp
//   RL_EXACT(sqrt)   the function of <math.h> for rl_real: sqrtf or sqrt. Only those whose result IEEE 754 or the C
//                    standard fixes to the bit: sqrt, fabs, copysign, floor, ceil, trunc, rint, fmod.
#ifndef RL_RUNTIME_MATH_REAL_H
#define RL_RUNTIME_MATH_REAL_H

#ifdef RL_WIDE
typedef double rl_real;
#define RL_MATH(function)  rl_math_##function
#define RL_EXACT(function) function
#else
typedef float rl_real;
#define RL_MATH(function)  rl_math_##function##f
#define RL_EXACT(function) function##f
#endif

#endif
