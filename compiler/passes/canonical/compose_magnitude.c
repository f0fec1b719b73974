// SPDX-License-Identifier: Apache-2.0
//
// compose_magnitude: magnitudes of complex numbers, and their squares, become one operator.
//   needs   one spelling for each operator (canonicalize); products of matrices as bmm and mm (decompose_product)
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
//   a * a + b * b                    magnitude(a, b)
//   sqrt(a * a + b * b + epsilon)    magnitude(a, b, root, epsilon)
//   hypot(a, b)                      magnitude(a, b, root)
//   sum(square(stack([a, b])))       magnitude(a, b), along the dimension of the stack; a norm has a root behind it
//
// A square may be a power or aten::square, the root a power of 0.5. The integers between the parts would round the
// squares to 256 steps.
//
// The logarithm of a square is taken of the magnitude, as log(m^2): an int16 holds twice the decibels of a magnitude.
//
// Bands of a spectrum, a constant matrix times magnitudes, become a convolution of single pixels, whose weights have a
// scale for each band:
//
//   bmm([1, M, K], [1, K, N])   becomes   view(conv2d(view([1, K, 1, N]), [M, K, 1, 1]))
//
// Runs only if the graph will be quantized, and not for ExecuTorch, which has no such operator.
#include "compiler/ir/functions.h"
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/expression.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool is_activation(const struct rl_value *value)
{
    return value && value->kind != RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32;
}

static bool is_pair(const struct rl_node *node, const struct rl_value *a, const struct rl_value *b)
{
    return is_activation(a) && is_activation(b) && a != b && rl_tensor_same_sizes(&a->type, &b->type) &&
           rl_tensor_numel(&a->type) == rl_tensor_numel(&node->results[0]->type);
}

// What a value shows in another shape, or itself.
static struct rl_value *behind_views(struct rl_value *value)
{
    while (rl_producer_of(value, RL_OP_aten_view_copy)) {
        value = rl_node_tensor(value->producer, "self");
    }
    return value;
}

// The value behind views that has the sizes of the result, if there is one.
static struct rl_value *sized_as(const struct rl_node *node, struct rl_value *value)
{
    struct rl_value *whole = behind_views(value);
    return rl_tensor_same_sizes(&whole->type, &node->results[0]->type) ? whole : value;
}

// The result may have dimensions of size 1 more or less than the parts.
static bool become_magnitude(struct rl_graph *graph, struct rl_node *node, struct rl_value *real,
                             struct rl_value *imaginary, bool root, double epsilon)
{
    const struct rl_build at = {graph, node};
    const struct rl_arg args[] = {rl_arg_value(real), rl_arg_value(imaginary), rl_arg_bool(root),
                                  rl_arg_double(epsilon)};
    if (!is_pair(node, real, imaginary)) {
        return false;
    }
    if (rl_tensor_same_sizes(&real->type, &node->results[0]->type)) {
        rl_build_end(&at, RL_OP_rl_magnitude, args, 4);
    } else {
        rl_build_end_view(&at, rl_build(&at, RL_OP_rl_magnitude, &real->type, args, 4));
    }
    return true;
}

static bool compose_sum(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_value *self, *other;
    return rl_read_pair(node->results[0], RL_OP_aten_add, &self, &other) &&
           become_magnitude(pass->graph, node, rl_root_of_square(self), rl_root_of_square(other), false, 0.0);
}

// The two parts that stand behind each other along the dimension that is summed up.
static bool compose_sum_of_pairs(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg *dims = rl_node_arg(node, "dim");
    const struct rl_value *square = rl_node_tensor(node, "self");
    const struct rl_node *pairs = rl_producer_of(rl_root_of_square(square), RL_OP_aten_cat);
    const struct rl_arg *parts = pairs ? rl_node_arg(pairs, "tensors") : NULL;
    const int rank = square->type.rank;
    if (!parts || parts->count != 2 || dims->kind != RL_ARG_INTS || dims->count != 1) {
        return false;
    }
    const int dim = rl_dim_normalized(dims->as.integers[0], rank);
    return dim >= 0 && dim == rl_dim_normalized(rl_node_int(pairs, "dim"), rank) && square->type.sizes[dim] == 2 &&
           become_magnitude(pass->graph, node, sized_as(node, parts->as.values[0]), sized_as(node, parts->as.values[1]),
                            false, 0.0);
}

static bool compose_hypot(const struct rl_pass *pass, struct rl_node *node)
{
    return become_magnitude(pass->graph, node, rl_node_tensor(node, "self"), rl_node_tensor(node, "other"), true, 0.0);
}

static const struct rl_node *square_behind(struct rl_value *value)
{
    const struct rl_node *node = rl_producer_of(behind_views(value), RL_OP_rl_magnitude);
    return node && !rl_node_bool(node, "root") ? node : NULL;
}

// The squared magnitude below a root, and the number that is added to it.
static const struct rl_node *read_square(struct rl_value *value, double *epsilon)
{
    struct rl_value *square;
    if (rl_read_epsilon(value, &square, epsilon)) {
        return square_behind(square);
    }
    *epsilon = 0.0;
    return square_behind(value); // not a sum, or nothing behind it
}

static bool compose_root(const struct rl_pass *pass, struct rl_node *node)
{
    double epsilon;
    if (node->op == RL_OP_aten_pow_tensor_scalar && rl_node_number(node, "exponent") != 0.5) {
        return false;
    }
    const struct rl_node *square = read_square(rl_node_tensor(node, "self"), &epsilon);
    return square && become_magnitude(pass->graph, node, rl_node_tensor(square, "self"),
                                      rl_node_tensor(square, "other"), true, epsilon);
}

// ---- squares of which only the logarithm counts

static bool compresses(const struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_log:
    case RL_OP_aten_log2:
    case RL_OP_aten_log10:
    case RL_OP_aten_log1p:
        return true;
    case RL_OP_aten_pow_tensor_scalar:
        return rl_node_number(node, "exponent") > 0.0 && rl_node_number(node, "exponent") < 1.0;
    default:
        return false;
    }
}

enum { MOST_FUNCTIONS = 8 }; // between a square and its logarithm

// Whether functions of one tensor, of which one compresses its range, are all that uses the value.
static bool is_compressed(const struct rl_graph *graph, const struct rl_value *value)
{
    for (int i = 0; i < MOST_FUNCTIONS; i++) {
        const struct rl_node *user = rl_value_only_user(graph, value);
        if (!user || !rl_function_is_smooth(user->op)) {
            return false;
        }
        if (compresses(user)) {
            return true;
        }
        value = user->results[0];
    }
    return false;
}

static bool take_root_first(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    if (rl_node_bool(node, "root") || !is_compressed(pass->graph, node->results[0])) {
        return false;
    }
    const struct rl_arg parts[] = {node->args[0], node->args[1], rl_arg_bool(true), rl_arg_double(0.0)};
    struct rl_value *root = rl_build(&at, RL_OP_rl_magnitude, &node->results[0]->type, parts, 4);
    const struct rl_arg args[] = {rl_arg_value(root), rl_arg_double(2.0)};
    rl_build_end(&at, RL_OP_aten_pow_tensor_scalar, args, 2);
    return true;
}

// ---- bands

// Whether the sizes of a product [rows, depth] * [depth, columns], of one batch if any, agree.
static bool is_product(const struct rl_value *matrix, const struct rl_tensor_type *spectrum,
                       const struct rl_tensor_type *result)
{
    if (result->rank < 2 || result->rank > 3 || spectrum->rank != result->rank ||
        (result->rank == 3 && (result->sizes[0] != 1 || spectrum->sizes[0] != 1))) {
        return false;
    }
    const int rows = result->rank - 2;
    const int64_t depth = spectrum->sizes[rows], weights = rl_tensor_numel(&matrix->type);
    return depth > 0 && weights > 0 && weights % depth == 0 && weights / depth == result->sizes[rows] &&
           spectrum->sizes[rows + 1] == result->sizes[rows + 1];
}

// bmm or mm of a constant matrix with magnitudes.
static bool convolve_bands(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *matrix = behind_views(node->args[0].as.value), *spectrum = node->args[1].as.value;
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (!rl_producer_of(behind_views(spectrum), RL_OP_rl_magnitude) || matrix->kind != RL_VALUE_CONSTANT ||
        matrix->type.dtype != RL_FLOAT32 || !is_product(matrix, &spectrum->type, type)) {
        return false;
    }
    const int rows = type->rank - 2;
    const int64_t depth = spectrum->type.sizes[rows];
    const int64_t filter[4] = {type->sizes[rows], depth, 1, 1}, image[4] = {1, depth, 1, type->sizes[rows + 1]};
    const int64_t result[4] = {1, type->sizes[rows], 1, type->sizes[rows + 1]};
    const struct rl_tensor_type filter_type = rl_tensor_type_make(RL_FLOAT32, 4, filter);
    const struct rl_tensor_type result_type = rl_tensor_type_make(RL_FLOAT32, 4, result);
    float *weights = rl_arena_array(graph->arena, (size_t)rl_tensor_numel(&filter_type), sizeof *weights);
    for (int64_t i = 0; i < rl_tensor_numel(&filter_type); i++) {
        weights[i] = ((const float *)matrix->data)[rl_constant_offset(matrix, i)];
    }
    const struct rl_arg args[] = {rl_arg_value(rl_build_view(&at, spectrum, 4, image)),
                                  rl_arg_value(rl_graph_add_constant(graph, matrix->name, &filter_type, weights))};
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_conv2d, &result_type, args, 2));
    return true;
}

enum rl_status rl_pass_compose_magnitude(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_add, compose_sum},
        {RL_OP_aten_sum_dim_intlist, compose_sum_of_pairs},
        {RL_OP_aten_hypot, compose_hypot},
        {RL_OP_aten_sqrt, compose_root},
        {RL_OP_aten_pow_tensor_scalar, compose_root},
        {RL_OP_aten_bmm, convolve_bands},
        {RL_OP_aten_mm, convolve_bands},
        {RL_OP_rl_magnitude, take_root_first},
    };
    if (pass->options->target.flow != RL_FLOW_EXECUTORCH) {
        rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    }
    return RL_OK;
}
