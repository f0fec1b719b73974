// SPDX-License-Identifier: Apache-2.0
//
// aten::mm, bmm and addmm, on matrices of any layout.
#include "runtime/operators/portable/dot.h"
#include "runtime/operators/portable/host/matrix_floats.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { AT_ONCE = 4 };

// The element in row r, column c lies at `at` + r * `row` + c * `column`.
struct matrix {
    struct rl_tensor tensor;
    size_t at;
    uint32_t row, column;
};

// output[r][c] = alpha * (left[r] . right[c]) + beta * addend[r][c], all of one type.
struct product {
    struct matrix left, right, output, addend;
    int32_t rows, columns, depth;
    union rl_number alpha, beta;
    bool real, adds;
};

static const rl_real *floats_of(const struct matrix *matrix)
{
    return (const rl_real *)matrix->tensor.data + matrix->at;
}

// alpha * sum + beta * addend for an element of the output, which gets it.
static void put_element(const struct product *p, const rl_real *addend, size_t row, size_t column, rl_real sum)
{
    rl_real *output = (rl_real *)p->output.tensor.data + p->output.at;
    sum = p->alpha.real * sum;
    if (p->adds) {
        sum = p->beta.real * addend[row * p->addend.row + column * p->addend.column] + sum;
    }
    rl_put_real(output + row * p->output.row + column * p->output.column, sum);
}

static void multiply_on_host(const struct product *p)
{
    rl_real *output = (rl_real *)p->output.tensor.data + p->output.at;
    const rl_real *addend = p->adds ? floats_of(&p->addend) : NULL;
    rl_multiply_floats(&(struct rl_matrix_product){
        .left = {floats_of(&p->left), (ptrdiff_t)p->left.row, (ptrdiff_t)p->left.column, p->rows},
        .right = {floats_of(&p->right), (ptrdiff_t)p->right.column, (ptrdiff_t)p->right.row, p->columns},
        .depth = p->depth,
        .to = output,
        .row = (ptrdiff_t)p->output.row,
        .column = (ptrdiff_t)p->output.column});
    for (int32_t r = 0; r < p->rows && (p->adds || p->alpha.real != 1); r++) {
        for (int32_t c = 0; c < p->columns; c++) {
            const size_t row = (size_t)r, column = (size_t)c;
            put_element(p, addend, row, column, output[row * p->output.row + column * p->output.column]);
        }
    }
}

// Each sum is added up along the depth.
static void multiply_floats(const struct product *p)
{
    const rl_real *addend = p->adds ? floats_of(&p->addend) : NULL;
    for (int32_t r = 0; r < p->rows; r++) {
        for (int32_t first = 0; first < p->columns; first += AT_ONCE) {
            const rl_real *left[AT_ONCE], *right[AT_ONCE];
            rl_real sums[AT_ONCE] = {0};
            for (int32_t k = 0; k < AT_ONCE; k++) {
                int32_t column = first + (k < p->columns - first ? k : 0); // surplus sums repeat the first one
                left[k] = floats_of(&p->left) + (size_t)r * p->left.row;
                right[k] = floats_of(&p->right) + (size_t)column * p->right.column;
            }
            rl_dot4(sums, left, (ptrdiff_t)p->left.column, right, (ptrdiff_t)p->right.row, p->depth);
            for (int32_t k = 0; k < AT_ONCE && k < p->columns - first; k++) {
                put_element(p, addend, (size_t)r, (size_t)(first + k), sums[k]);
            }
        }
    }
}

static size_t place_in(const struct matrix *matrix, int32_t row, int32_t column)
{
    return matrix->at + (size_t)row * matrix->row + (size_t)column * matrix->column;
}

// alpha * sum + beta * addend
static union rl_number combine(const struct product *p, union rl_number sum, union rl_number addend)
{
    if (!p->real) {
        sum.integer = (int64_t)((uint64_t)p->alpha.integer * (uint64_t)sum.integer +
                                (uint64_t)p->beta.integer * (uint64_t)addend.integer);
    } else if (p->adds) {
        sum.real = p->beta.real * addend.real + p->alpha.real * sum.real;
    } else {
        sum.real *= p->alpha.real;
    }
    return sum;
}

// The same for elements of any type.
static void multiply_numbers(const struct product *p)
{
    for (int32_t r = 0; r < p->rows; r++) {
        for (int32_t c = 0; c < p->columns; c++) {
            const struct rl_vector left = {&p->left.tensor, place_in(&p->left, r, 0), p->left.column},
                                   right = {&p->right.tensor, place_in(&p->right, 0, c), p->right.row};
            union rl_number addend = rl_zero(p->real), sum = addend;
            if (p->adds) {
                addend = rl_load_one(&p->addend.tensor, place_in(&p->addend, r, c), p->real);
            }
            sum = rl_dot_numbers(sum, &left, &right, p->real, (uint32_t)p->depth);
            sum = combine(p, sum, addend);
            rl_store(&p->output.tensor, place_in(&p->output, r, c), 0, p->real, &sum, 1);
        }
    }
}

static void multiply(const struct product *p)
{
    if (p->output.tensor.bytes == 0) {
        return;
    }
    if (RL_HAS_HOST_LOOPS && p->output.tensor.dtype == RL_REAL && p->rows >= AT_ONCE && p->columns >= AT_ONCE) {
        multiply_on_host(p);
    } else if (p->output.tensor.dtype == RL_REAL) {
        multiply_floats(p);
    } else {
        multiply_numbers(p);
    }
}

// Strides of a matrix in the last two dimensions of its tensor.
static void lay_out(struct matrix *matrix)
{
    uint32_t strides[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(&matrix->tensor, strides);
    matrix->row = strides[matrix->tensor.rank - 2];
    matrix->column = strides[matrix->tensor.rank - 1];
}

// Reads tensors of `rank` dimensions. Refuses matrices whose sizes do not match.
static void read_matrices(struct rl_call *call, uint32_t first_argument, uint32_t output_argument, int rank,
                          struct product *p)
{
    *p = (struct product){.adds = false};
    struct rl_tensor *left = &p->left.tensor, *right = &p->right.tensor, *output = &p->output.tensor;
    rl_call_tensor(call, first_argument, left);
    rl_call_tensor(call, first_argument + 1, right);
    rl_call_output(call, output_argument, output);
    const enum rl_scalar_type dtype = (enum rl_scalar_type)left->dtype;
    rl_expect_numbers(call, first_argument, left);
    rl_expect_type(call, first_argument, left, dtype, rank);
    rl_expect_type(call, first_argument + 1, right, dtype, rank);
    rl_expect_type(call, output_argument, output, dtype, rank);
    if (call->status != RL_OK) {
        return;
    }
    struct rl_shape shape = rl_shape_of(left);
    shape.sizes[rank - 1] = right->sizes[rank - 1];
    rl_resize(call, output_argument, output, &shape);
    lay_out(&p->left);
    lay_out(&p->right);
    lay_out(&p->output);
    p->rows = left->sizes[rank - 2];
    p->depth = left->sizes[rank - 1];
    p->columns = right->sizes[rank - 1];
    p->real = rl_is_real(dtype);
    p->alpha = p->beta = rl_one(p->real);
    rl_expect(call, p->depth == right->sizes[rank - 2], first_argument + 1, "the matrices do not go together");
    rl_expect_disjoint(call, output_argument, output, left);
    rl_expect_disjoint(call, output_argument, output, right);
}

enum rl_status RL_RUN(aten_mm)(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct product p;
    read_matrices(call, 0, OUTPUT, 2, &p);
    if (rl_call_ready(call)) {
        multiply(&p);
    }
    return call->status;
}

enum rl_status RL_RUN(aten_bmm)(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct product p;
    struct matrix *const matrices[] = {&p.left, &p.right, &p.output};
    uint32_t strides[3][RL_TENSOR_MAX_RANK];
    read_matrices(call, 0, OUTPUT, 3, &p);
    if (call->status != RL_OK) {
        return call->status;
    }
    const int32_t batches = p.output.tensor.sizes[0];
    for (uint32_t i = 0; i < 3; i++) {
        rl_expect(call, matrices[i]->tensor.sizes[0] == batches, OUTPUT, "the tensors differ in the batch");
        rl_tensor_element_strides(&matrices[i]->tensor, strides[i]);
    }
    for (int32_t batch = 0; rl_call_ready(call) && p.output.tensor.bytes > 0 && batch < batches; batch++) {
        multiply(&p);
        for (uint32_t i = 0; i < 3; i++) {
            matrices[i]->at += strides[i][0];
        }
    }
    return call->status;
}

enum rl_status RL_RUN(aten_addmm)(struct rl_call *call)
{
    enum { ADDEND, LEFT, BETA = 3, ALPHA, OUTPUT };
    uint32_t strides[RL_TENSOR_MAX_RANK];
    struct product p;
    read_matrices(call, LEFT, OUTPUT, 2, &p);
    rl_call_tensor(call, ADDEND, &p.addend.tensor);
    rl_expect_type(call, ADDEND, &p.addend.tensor, p.output.tensor.dtype, -1);
    p.beta = rl_call_scalar_as(call, BETA, p.real);
    p.alpha = rl_call_scalar_as(call, ALPHA, p.real);
    if (call->status != RL_OK) {
        return call->status;
    }
    rl_expect(call, rl_broadcast_strides(&p.addend.tensor, &p.output.tensor, strides), ADDEND,
              "the addend does not broadcast to the output's shape");
    rl_expect_disjoint(call, OUTPUT, &p.output.tensor, &p.addend.tensor);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    p.addend.row = strides[0];
    p.addend.column = strides[1];
    p.adds = p.real ? p.beta.real != 0 : p.beta.integer != 0; // a NaN times 0 is ignored
    multiply(&p);
    return RL_OK;
}
