// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices of floats on a host.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_HOST_MATRIX_FLOATS_H
#define RL_RUNTIME_OPERATORS_PORTABLE_HOST_MATRIX_FLOATS_H

#include <stddef.h>

#include "runtime/operators/portable/real.h"

// Vectors of floats: element k of vector i lies at data[i * vector + k * element].
struct rl_vectors {
    const rl_real *data;
    ptrdiff_t vector, element;
    int32_t count;
};

// to[i * row + j * column] = bias[j] + left[i][0] * right[j][0] + left[i][1] * right[j][1] + ..., in this order, for
// all vectors, which have `depth` elements. `bias` may be NULL. It pays from four vectors on each side on.
struct rl_matrix_product {
    struct rl_vectors left, right;
    const rl_real *bias;
    int32_t depth;
    rl_real *to;
    ptrdiff_t row, column;
};

void rl_multiply_floats(const struct rl_matrix_product *product);

#endif
