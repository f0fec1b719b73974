// SPDX-License-Identifier: Apache-2.0
//
// The loop of hosts over the innermost elements of a walk, for a function that the compiler may inline.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_HOST_ELEMENT_LOOP_H
#define RL_RUNTIME_OPERATORS_PORTABLE_HOST_ELEMENT_LOOP_H

#include <string.h>

#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/host/products.h"

// Tensors: the output, then the operands. Operands that do not vary may have any type.
__attribute__((always_inline)) static inline void rl_loop_over_floats(rl_real (*reals)(const union rl_number *x),
                                                                      const struct rl_elementwise *op,
                                                                      const struct rl_tensor *tensors,
                                                                      const struct rl_walk *walk)
{
    union rl_number x[RL_ELEMENT_OPERANDS] = {0};
    const rl_real *from[RL_ELEMENT_OPERANDS];
    uint32_t place[RL_ELEMENT_OPERANDS], step[RL_ELEMENT_OPERANDS], varying = 0;
    rl_real *to = (rl_real *)tensors[0].data + walk->offset[0];
    for (uint32_t k = 0; k < op->operands; k++) {
        x[k] = rl_load_one(&tensors[1 + k], walk->offset[1 + k], true);
        if (walk->step[1 + k] != 0) {
            place[varying] = k;
            from[varying] = (const rl_real *)tensors[1 + k].data + walk->offset[1 + k];
            step[varying++] = walk->step[1 + k];
        }
    }
    // Mostly; the first form becomes vectors.
    if (varying == 1 && place[0] == 0 && step[0] == 1 && walk->step[0] == 1) {
        enum { AT_ONCE = 64 };
        const rl_real one = x[1].real, two = x[2].real, three = x[3].real;
        for (uint32_t first = 0; first < walk->count; first += AT_ONCE) {
            const uint32_t left = walk->count - first, count = left < AT_ONCE ? left : AT_ONCE;
            rl_real values[AT_ONCE] = {0}, results[AT_ONCE];
            memcpy(values, from[0] + first, count * sizeof *values);
            for (uint32_t i = 0; i < AT_ONCE; i++) {
                const union rl_number y[RL_ELEMENT_OPERANDS] = {
                    {.real = values[i]}, {.real = one}, {.real = two}, {.real = three}};
                results[i] = reals(y);
            }
            rl_put_sums(to + first, results, (int32_t)count);
        }
        return;
    }
    if (varying == 1 && place[0] == 0) {
        for (uint32_t i = 0; i < walk->count; i++) {
            x[0].real = from[0][(size_t)i * step[0]];
            rl_put_real(to + (size_t)i * walk->step[0], reals(x));
        }
        return;
    }
    if (varying == 2 && place[1] == 1) {
        for (uint32_t i = 0; i < walk->count; i++) {
            x[0].real = from[0][(size_t)i * step[0]];
            x[1].real = from[1][(size_t)i * step[1]];
            rl_put_real(to + (size_t)i * walk->step[0], reals(x));
        }
        return;
    }
    for (uint32_t i = 0; i < walk->count; i++) {
        for (uint32_t k = 0; k < varying; k++) {
            x[place[k]].real = from[k][(size_t)i * step[k]];
        }
        rl_put_real(to + (size_t)i * walk->step[0], reals(x));
    }
}

#endif
