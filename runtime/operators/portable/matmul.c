// SPDX-License-Identifier: Apache-2.0
//
// aten::mm, aten::bmm and, in float only, aten::addmm, on matrices of any layout.
#include <stddef.h>

#include "runtime/operators/portable/dot.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/walk.h"

enum { AT_ONCE = 4 };

// output[r][c] = alpha * (left[r] . right[c]) + beta * addend[r][c]; steps in elements.
struct product {
    const float *left, *right, *addend;
    float *output;
    uint32_t left_row, left_step, right_step, right_column, output_row, output_column, addend_row,
        addend_column;
    int32_t rows, columns, depth;
    float alpha, beta;
};

// Order of each sum: along the depth.
static void multiply(const struct product *p)
{
    for (int32_t r = 0; r < p->rows; r++) {
        for (int32_t first = 0; first < p->columns; first += AT_ONCE) {
            const float *left[AT_ONCE], *right[AT_ONCE];
            float sums[AT_ONCE] = {0};
            for (int32_t k = 0; k < AT_ONCE; k++) {
                int32_t column =
                    first + (k < p->columns - first ? k : 0); // surplus sums repeat the first one
                left[k] = p->left + (size_t)r * p->left_row;
                right[k] = p->right + (size_t)column * p->right_column;
            }
            rl_dot4(sums, left, p->left_step, right, p->right_step, p->depth);
            for (int32_t k = 0; k < AT_ONCE && k < p->columns - first; k++) {
                size_t column = (size_t)(first + k);
                float sum = p->alpha * sums[k];
                if (p->addend)
                    sum = p->beta * p->addend[(size_t)r * p->addend_row + column * p->addend_column] + sum;
                p->output[(size_t)r * p->output_row + column * p->output_column] = sum;
            }
        }
    }
}

// The same of integers, which wrap around; `start` is the first element of each matrix.
static void multiply_integers(const struct product *p, const struct rl_tensor tensors[3],
                              const size_t start[3])
{
    for (int32_t r = 0; r < p->rows; r++) {
        for (int32_t c = 0; c < p->columns; c++) {
            const size_t left = start[0] + (size_t)r * p->left_row,
                         right = start[1] + (size_t)c * p->right_column;
            union rl_number sum = {.integer = 0};
            for (int32_t k = 0; k < p->depth; k++) {
                uint64_t a =
                    (uint64_t)rl_load_one(&tensors[0], left + (size_t)k * p->left_step, false).integer;
                uint64_t b =
                    (uint64_t)rl_load_one(&tensors[1], right + (size_t)k * p->right_step, false).integer;
                sum.integer = (int64_t)((uint64_t)sum.integer + a * b);
            }
            rl_store(&tensors[2], start[2] + (size_t)r * p->output_row + (size_t)c * p->output_column, 0,
                     false, &sum, 1);
        }
    }
}

// Takes the last two dimensions of each tensor; refuses matrices that do not go together.
static void read_matrices(struct rl_call *call, uint32_t first_argument, uint32_t output_argument, int rank,
                          struct rl_tensor tensors[3], struct product *p)
{
    uint32_t strides[3][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, first_argument, &tensors[0]);
    rl_call_tensor(call, first_argument + 1, &tensors[1]);
    rl_call_output(call, output_argument, &tensors[2]);
    const int dtype = tensors[0].dtype;
    rl_expect_numbers(call, first_argument, &tensors[0]);
    rl_expect_type(call, first_argument, &tensors[0], dtype, rank);
    rl_expect_type(call, first_argument + 1, &tensors[1], dtype, rank);
    rl_expect_type(call, output_argument, &tensors[2], dtype, rank);
    if (call->status != RL_OK)
        return;
    const int32_t *left = tensors[0].sizes + rank - 2, *right = tensors[1].sizes + rank - 2;
    const int32_t *output = tensors[2].sizes + rank - 2;
    for (uint32_t i = 0; i < 3; i++)
        rl_tensor_element_strides(&tensors[i], strides[i]);
    *p = (struct product){.left_row = strides[0][rank - 2],
                          .left_step = strides[0][rank - 1],
                          .right_step = strides[1][rank - 2],
                          .right_column = strides[1][rank - 1],
                          .output_row = strides[2][rank - 2],
                          .output_column = strides[2][rank - 1],
                          .rows = left[0],
                          .columns = right[1],
                          .depth = left[1],
                          .alpha = 1};
    rl_expect(call, left[1] == right[0], first_argument + 1, "the matrices do not go together");
    rl_expect(call, output[0] == left[0] && output[1] == right[1], output_argument,
              "the output's shape is not that of the product");
    rl_expect_apart(call, output_argument, &tensors[2], &tensors[0]);
    rl_expect_apart(call, output_argument, &tensors[2], &tensors[1]);
    p->left = tensors[0].data;
    p->right = tensors[1].data;
    p->output = tensors[2].data;
}

enum rl_status rl_run_aten_mm(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct rl_tensor tensors[3];
    struct product p;
    read_matrices(call, 0, OUTPUT, 2, tensors, &p);
    const size_t start[3] = {0, 0, 0};
    if (call->status == RL_OK && !rl_is_real(tensors[0].dtype))
        multiply_integers(&p, tensors, start);
    else if (call->status == RL_OK)
        multiply(&p);
    return call->status;
}

enum rl_status rl_run_aten_bmm(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct rl_tensor tensors[3];
    uint32_t strides[3][RL_TENSOR_MAX_RANK];
    struct product p;
    read_matrices(call, 0, OUTPUT, 3, tensors, &p);
    if (call->status != RL_OK)
        return call->status;
    int32_t batches = tensors[2].sizes[0];
    rl_expect(call, tensors[0].sizes[0] == batches && tensors[1].sizes[0] == batches, OUTPUT,
              "the tensors differ in the batch");
    for (uint32_t i = 0; i < 3; i++)
        rl_tensor_element_strides(&tensors[i], strides[i]);
    for (int32_t batch = 0; batch < batches && call->status == RL_OK; batch++) {
        const size_t at = (size_t)batch,
                     start[3] = {at * strides[0][0], at * strides[1][0], at * strides[2][0]};
        if (!rl_is_real(tensors[0].dtype)) {
            multiply_integers(&p, tensors, start);
            continue;
        }
        multiply(&p);
        p.left += strides[0][0];
        p.right += strides[1][0];
        p.output += strides[2][0];
    }
    return call->status;
}

enum rl_status rl_run_aten_addmm(struct rl_call *call)
{
    enum { ADDEND, LEFT, BETA = 3, ALPHA, OUTPUT };
    struct rl_tensor tensors[3], addend;
    uint32_t strides[RL_TENSOR_MAX_RANK];
    struct product p;
    read_matrices(call, LEFT, OUTPUT, 2, tensors, &p);
    rl_expect_type(call, LEFT, &tensors[0], RL_FLOAT32, 2);
    rl_call_tensor(call, ADDEND, &addend);
    rl_expect_type(call, ADDEND, &addend, RL_FLOAT32, -1);
    float beta = rl_call_scalar_as(call, BETA, true).real, alpha = rl_call_scalar_as(call, ALPHA, true).real;
    if (call->status != RL_OK)
        return call->status;
    rl_expect(call, rl_broadcast_strides(&addend, &tensors[2], strides), ADDEND,
              "the addend does not broadcast to the output's shape");
    rl_expect_apart(call, OUTPUT, &tensors[2], &addend);
    if (call->status != RL_OK)
        return call->status;
    p.addend = beta != 0 ? addend.data : NULL; // whose NaNs then do not count
    p.addend_row = strides[0];
    p.addend_column = strides[1];
    p.alpha = alpha;
    p.beta = beta;
    multiply(&p);
    return RL_OK;
}
