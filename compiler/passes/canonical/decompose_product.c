// SPDX-License-Identifier: Apache-2.0
//
// decompose_product: all matrix products become bmm, mm or linear.
//   needs   canonical operators
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   matmul            linear with transposed weights if the second operand is a constant matrix, else bmm of both
//                     operands, expanded to the same batch
//   mv, dot, outer    the same products of matrices of one row or column
//   mm, addmm         the same as matmul, and a sum, where they will be quantized: mm has no integer kernel
//   tensordot         one of matrices, of the remaining and the summed dimensions
//   baddbmm           bmm and add
//   bilinear          linear with all of the weights, and bmm of its result with the second input
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// The operand as a batch of matrices of `rows` and `columns`, expanded to the result's batch.
static struct rl_value *batched(const struct rl_build *at, struct rl_value *value, const int64_t *batch, int batch_rank,
                                int64_t rows, int64_t columns)
{
    int64_t sizes[RL_MAX_RANK];
    int64_t wide[RL_MAX_RANK];
    int64_t count = 1;
    for (int d = 0; d < batch_rank; d++) {
        const int from = d - (batch_rank + 2 - value->type.rank);
        sizes[d] = value->type.rank < 2 || from < 0 ? 1 : value->type.sizes[from];
        wide[d] = batch[d];
        count *= batch[d];
    }
    sizes[batch_rank] = wide[batch_rank] = rows;
    sizes[batch_rank + 1] = wide[batch_rank + 1] = columns;
    const struct rl_tensor_type type = rl_tensor_type_make(value->type.dtype, batch_rank + 2, sizes);
    if (!rl_tensor_same_sizes(&type, &value->type)) {
        value = rl_build_view(at, value, batch_rank + 2, sizes);
    }
    value = rl_build_expand(at, value, batch_rank + 2, wide);
    const int64_t flat[3] = {count, rows, columns};
    return batch_rank == 1 ? value : rl_build_view(at, value, 3, flat);
}

// Weights of a linear layer written as a product; NULL when they are not a constant matrix.
static struct rl_value *transposed_constant(struct rl_graph *graph, const struct rl_value *value)
{
    static const int swap[2] = {1, 0};
    return value->kind == RL_VALUE_CONSTANT && value->type.rank == 2
               ? rl_constant_permuted(graph, value, swap, value->name)
               : NULL;
}

static bool decompose_matmul(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *a = node->args[0].as.value;
    struct rl_value *b = node->args[1].as.value;
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (a->type.rank < 1 || b->type.rank < 1) {
        return rl_decline(graph, node, "a product of tensors that are not vectors");
    }
    const bool is_row = a->type.rank == 1;
    const bool is_column = b->type.rank == 1;
    const int64_t rows = is_row ? 1 : a->type.sizes[a->type.rank - 2];
    const int64_t inner = a->type.sizes[a->type.rank - 1];
    const int64_t columns = is_column ? 1 : b->type.sizes[b->type.rank - 1];
    const int batch_rank = type->rank - (is_row ? 0 : 1) - (is_column ? 0 : 1);
    if (batch_rank < 0 || batch_rank + 2 > RL_MAX_RANK || a->type.rank > batch_rank + 2 ||
        b->type.rank > batch_rank + 2 || (is_column ? b->type.sizes[0] : b->type.sizes[b->type.rank - 2]) != inner) {
        return rl_decline(graph, node, "operands whose sizes do not fit each other");
    }
    struct rl_value *weight = a->type.rank >= 2 ? transposed_constant(graph, b) : NULL;
    if (weight) {
        const struct rl_arg args[] = {rl_arg_value(a), rl_arg_value(weight)};
        rl_build_end(&at, RL_OP_aten_linear, args, 2);
        return true;
    }
    struct rl_value *left = batched(&at, a, type->sizes, batch_rank, rows, inner);
    struct rl_value *right = batched(&at, b, type->sizes, batch_rank, inner, columns);
    if (type->rank == 3 && batch_rank == 1) {
        const struct rl_arg args[] = {rl_arg_value(left), rl_arg_value(right)};
        rl_build_end(&at, RL_OP_aten_bmm, args, 2);
        return true;
    }
    rl_build_end_view(&at, rl_build_product(&at, RL_OP_aten_bmm, left, right));
    return true;
}

static bool will_be_integers(const struct rl_pass *pass)
{
    return pass->options->quantization != RL_QUANTIZE_NONE && !rl_quantizes_as_stock(pass);
}

// A product of two matrices as one of batches of one matrix, or as a linear layer.
static struct rl_value *product_of_matrices(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    struct rl_value *weight = transposed_constant(at->graph, b);
    if (weight) {
        return rl_build_linear(at, a, weight, NULL);
    }
    const int64_t left[3] = {1, a->type.sizes[0], a->type.sizes[1]}, right[3] = {1, b->type.sizes[0], b->type.sizes[1]};
    const int64_t sizes[2] = {left[1], right[2]};
    struct rl_value *first = rl_build_view(at, a, 3, left);
    struct rl_value *product = rl_build_product(at, RL_OP_aten_bmm, first, rl_build_view(at, b, 3, right));
    return rl_build_view(at, product, 2, sizes);
}

static bool are_matrices(const struct rl_value *a, const struct rl_value *b)
{
    return a->type.rank == 2 && b->type.rank == 2 && a->type.dtype == RL_FLOAT32 && b->type.dtype == RL_FLOAT32 &&
           a->type.sizes[1] == b->type.sizes[0];
}

static bool decompose_mm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = node->args[0].as.value, *b = node->args[1].as.value;
    if (!are_matrices(a, b)) {
        return false;
    }
    rl_build_end_view(&at, product_of_matrices(&at, a, b));
    return true;
}

static void product_of_views(const struct rl_build *at, int64_t rows, int64_t inner, int64_t columns)
{
    const int64_t left[2] = {rows, inner};
    const int64_t right[2] = {inner, columns};
    struct rl_value *first = rl_build_view(at, at->node->args[0].as.value, 2, left);
    struct rl_value *second = rl_build_view(at, at->node->args[1].as.value, 2, right);
    rl_build_end_view(at, rl_build_product(at, RL_OP_aten_mm, first, second));
}

static bool decompose_vectors(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type *a = &node->args[0].as.value->type;
    const struct rl_tensor_type *b = &node->args[1].as.value->type;
    const int rank = node->op == RL_OP_aten_mv ? 2 : 1;
    if (a->rank != rank || b->rank != 1) {
        return rl_decline(pass->graph, node, "operands of ranks %d and %d", a->rank, b->rank);
    }
    if (node->op == RL_OP_aten_mv) {
        product_of_views(&at, a->sizes[0], a->sizes[1], 1);
    } else if (node->op == RL_OP_aten_dot) {
        product_of_views(&at, 1, a->sizes[0], 1);
    } else {
        product_of_views(&at, a->sizes[0], 1, b->sizes[0]);
    }
    return true;
}

static struct rl_value *times(const struct rl_build *at, struct rl_value *value, double number)
{
    return number == 1.0 ? value : rl_build_scalar(at, RL_OP_aten_mul_scalar, value, number);
}

static bool decompose_addmm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "mat1"), *b = rl_node_tensor(node, "mat2");
    if (!are_matrices(a, b)) {
        return false;
    }
    struct rl_value *product = times(&at, product_of_matrices(&at, a, b), rl_node_number(node, "alpha"));
    struct rl_value *self = times(&at, node->args[0].as.value, rl_node_number(node, "beta"));
    const struct rl_arg args[] = {rl_arg_value(product), rl_arg_value(self)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

static bool decompose_baddbmm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "batch1");
    struct rl_value *b = rl_node_tensor(node, "batch2");
    if (a->type.rank != 3 || b->type.rank != 3) {
        return rl_decline(pass->graph, node, "operands of ranks %d and %d; accepted: 3", a->type.rank, b->type.rank);
    }
    struct rl_value *product = times(&at, rl_build_product(&at, RL_OP_aten_bmm, a, b), rl_node_number(node, "alpha"));
    struct rl_value *self = times(&at, node->args[0].as.value, rl_node_number(node, "beta"));
    const struct rl_arg args[] = {rl_arg_value(product), rl_arg_value(self)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

// A matrix of the dimensions that stay and of those in `summed`, which come last, or first. NULL if they do not fit.
static struct rl_value *as_matrix(const struct rl_build *at, struct rl_value *value, const struct rl_arg *summed,
                                  bool first)
{
    const int rank = value->type.rank;
    int64_t dims[RL_MAX_RANK], sizes[2] = {1, 1};
    unsigned is_summed = 0;
    if (summed->kind != RL_ARG_INTS || summed->count > rank) {
        return NULL;
    }
    for (int i = 0; i < summed->count; i++) {
        const int dim = rl_dim_normalized(summed->as.integers[i], rank);
        if (dim < 0 || (is_summed >> dim & 1u) != 0) {
            return NULL;
        }
        is_summed |= 1u << dim;
        dims[(first ? 0 : rank - summed->count) + i] = dim;
        sizes[first ? 0 : 1] *= value->type.sizes[dim];
    }
    int next = first ? summed->count : 0;
    for (int d = 0; d < rank; d++) {
        if ((is_summed >> d & 1u) == 0) {
            dims[next++] = d;
            sizes[first ? 1 : 0] *= value->type.sizes[d];
        }
    }
    if (value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value)) {
        int order[RL_MAX_RANK];
        for (int d = 0; d < rank; d++) {
            order[d] = (int)dims[d];
        }
        struct rl_value *constant = rl_constant_permuted(at->graph, value, order, value->name);
        constant->type = rl_tensor_type_make(value->type.dtype, 2, sizes);
        return constant;
    }
    return rl_build_view(at, rl_build_permute(at, value, dims), 2, sizes);
}

static bool decompose_tensordot(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = as_matrix(&at, node->args[0].as.value, rl_node_arg(node, "dims_self"), false);
    struct rl_value *b = as_matrix(&at, node->args[1].as.value, rl_node_arg(node, "dims_other"), true);
    if (!a || !b || a->type.sizes[1] != b->type.sizes[0] ||
        a->type.sizes[0] * b->type.sizes[1] != rl_tensor_numel(&node->results[0]->type)) {
        return rl_decline(pass->graph, node, "dimensions that do not fit each other");
    }
    rl_build_end_view(&at, rl_build_product(&at, RL_OP_aten_mm, a, b));
    return true;
}

// y[o] = sum over i, j of a[i] w[o, i, j] b[j]: the rows (o, j) of one linear layer, then their products with b.
static bool decompose_bilinear(const struct rl_pass *pass, struct rl_node *node)
{
    static const int input_last[3] = {0, 2, 1};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *a = rl_node_tensor(node, "input1"), *b = rl_node_tensor(node, "input2");
    struct rl_value *weight = rl_node_tensor(node, "weight"), *bias = rl_node_tensor(node, "bias");
    const int64_t *sizes = weight->type.sizes;
    if (weight->kind != RL_VALUE_CONSTANT || weight->type.rank != 3 || a->type.rank < 1 || b->type.rank < 1 ||
        rl_tensor_numel(&weight->type) == 0 || rl_tensor_numel(&a->type) == 0 ||
        a->type.sizes[a->type.rank - 1] != sizes[1] || b->type.sizes[b->type.rank - 1] != sizes[2]) {
        return rl_decline(graph, node, "weights that are not constants of the sizes of its inputs");
    }
    const int64_t rows = rl_tensor_numel(&a->type) / sizes[1];
    const int64_t flat[2] = {sizes[0] * sizes[2], sizes[1]}, left[2] = {rows, sizes[1]};
    const int64_t middle[3] = {rows, sizes[0], sizes[2]}, right[3] = {rows, sizes[2], 1};
    struct rl_value *matrix = rl_constant_permuted(graph, weight, input_last, weight->name);
    matrix->type = rl_tensor_type_make(weight->type.dtype, 2, flat);
    struct rl_value *products = rl_build_linear(&at, rl_build_view(&at, a, 2, left), matrix, NULL);
    struct rl_value *columns = rl_build_view(&at, b, 3, right);
    struct rl_value *result = rl_build_product(&at, RL_OP_aten_bmm, rl_build_view(&at, products, 3, middle), columns);
    if (!bias) {
        rl_build_end_view(&at, result);
        return true;
    }
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_arg args[] = {rl_arg_value(rl_build_view(&at, result, type->rank, type->sizes)),
                                  rl_arg_value(bias)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

enum rl_status rl_pass_decompose_product(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_matmul, decompose_matmul);
    rl_lower_each(pass, RL_OP_aten_mv, decompose_vectors);
    rl_lower_each(pass, RL_OP_aten_dot, decompose_vectors);
    rl_lower_each(pass, RL_OP_aten_outer, decompose_vectors);
    rl_lower_each(pass, RL_OP_aten_baddbmm, decompose_baddbmm);
    rl_lower_each(pass, RL_OP_aten_bilinear, decompose_bilinear);
    rl_lower_each(pass, RL_OP_aten_tensordot, decompose_tensordot);
    if (will_be_integers(pass)) {
        rl_lower_each(pass, RL_OP_aten_mm, decompose_mm);
        rl_lower_each(pass, RL_OP_aten_addmm, decompose_addmm);
    }
    return RL_OK;
}
