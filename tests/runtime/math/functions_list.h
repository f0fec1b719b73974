// SPDX-License-Identifier: Apache-2.0
//
// All functions of runtime/math/functions.h, for tests that go through them.
#ifndef RL_TESTS_RUNTIME_MATH_FUNCTIONS_LIST_H
#define RL_TESTS_RUNTIME_MATH_FUNCTIONS_LIST_H

// EACH(name): functions of one number that exist for float and double
#define RL_MATH_OF_ONE(EACH)                                                                                           \
    EACH(exp)                                                                                                          \
    EACH(expm1)                                                                                                        \
    EACH(log)                                                                                                          \
    EACH(log2)                                                                                                         \
    EACH(log10)                                                                                                        \
    EACH(log1p)                                                                                                        \
    EACH(sin)                                                                                                          \
    EACH(cos)                                                                                                          \
    EACH(tan)                                                                                                          \
    EACH(asin)                                                                                                         \
    EACH(acos)                                                                                                         \
    EACH(atan)                                                                                                         \
    EACH(sinh)                                                                                                         \
    EACH(cosh)                                                                                                         \
    EACH(tanh)                                                                                                         \
    EACH(asinh)                                                                                                        \
    EACH(acosh)                                                                                                        \
    EACH(atanh)                                                                                                        \
    EACH(erf)                                                                                                          \
    EACH(sigmoid)

// EACH(name): those that exist for double only
#define RL_MATH_OF_ONE_DOUBLE(EACH)                                                                                    \
    EACH(exp2)                                                                                                         \
    EACH(erfc)

// EACH(name): functions of two numbers, for float and double
#define RL_MATH_OF_TWO(EACH)                                                                                           \
    EACH(pow)                                                                                                          \
    EACH(atan2)

#endif
