// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices on hosts give the bits of plain sums, product after product: random sizes, strides and biases,
// blocks and parts of the depth that overflow, and every kind of float.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operators/portable/host/matrix_floats.h"
#include "runtime/operators/portable/number.h"

enum { TRIALS = 400 };

static uint32_t next(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)*state * below) >> 32);
}

static rl_real *new_reals(uint32_t *random, size_t count, bool hurts)
{
    static const rl_real special[] = {0, -(rl_real)0, (rl_real)INFINITY, (rl_real)NAN, (rl_real)1e-38, (rl_real)3e38};
    rl_real *reals = malloc((count + 1) * sizeof *reals);
    assert_non_null(reals);
    for (size_t i = 0; i < count; i++) {
        reals[i] = hurts && next(random, 9) == 0
                       ? special[next(random, sizeof special / sizeof special[0])]
                       : (rl_real)((int32_t)next(random, 20001) - 10000) / (rl_real)(1 + next(random, 999));
    }
    return reals;
}

static rl_real sum_at(const struct rl_matrix_product *p, int32_t i, int32_t j)
{
    rl_real sum = p->bias ? p->bias[j] : 0;
    for (int32_t k = 0; k < p->depth; k++) {
        sum += p->left.data[i * p->left.vector + k * p->left.element] *
               p->right.data[j * p->right.vector + k * p->right.element];
    }
    return sum;
}

static struct rl_vectors random_vectors(uint32_t *random, int32_t count, int32_t depth, bool hurts)
{
    const bool turned = next(random, 2);
    return (struct rl_vectors){new_reals(random, (size_t)count * (size_t)depth, hurts), turned ? 1 : depth,
                               turned ? count : 1, count};
}

static void check(uint32_t *random, bool hurts)
{
    const int32_t depth = (int32_t)next(random, next(random, 4) ? 40 : 400);
    const int32_t rows = 1 + (int32_t)next(random, next(random, 4) ? 20 : 300), columns = 1 + (int32_t)next(random, 20);
    const bool turned = next(random, 2);
    const size_t count = (size_t)rows * (size_t)columns;
    struct rl_matrix_product p = {.left = random_vectors(random, rows, depth, hurts),
                                  .right = random_vectors(random, columns, depth, hurts),
                                  .depth = depth,
                                  .to = new_reals(random, count, false),
                                  .row = turned ? 1 : columns,
                                  .column = turned ? rows : 1};
    rl_real *bias = new_reals(random, (size_t)columns, hurts);
    p.bias = next(random, 2) ? bias : NULL;
    rl_multiply_floats(&p);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            rl_real expected;
            rl_put_real(&expected, sum_at(&p, i, j));
            assert_memory_equal(&expected, p.to + i * p.row + j * p.column, sizeof expected);
        }
    }
    free((void *)(uintptr_t)p.left.data);
    free((void *)(uintptr_t)p.right.data);
    free(p.to);
    free(bias);
}

static void test_same_bits(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int i = 0; i < TRIALS; i++) {
        check(&random, i % 2 == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
