// SPDX-License-Identifier: Apache-2.0
//
// compose_norm: layer norms and RMS norms that a model writes out become one operator.
//   needs   no copies that change nothing (remove_identity)
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
//   (x - mean(x)) / sqrt(var(x) + eps) * weight + bias     layer_norm(x, weight, bias, eps)
//   x * rsqrt(mean(x * x) + eps) * weight                  rms_norm(x, weight, eps)
//
// A variance may be var or var_mean without correction, or the mean of the squares of x - mean(x). A root may be a
// division by sqrt, a product with rsqrt, or a power of -0.5. Weight and bias may be missing. Norms over other
// dimensions than the last ones get permutations around them.
//
// The integers between the parts would round the squares to 256 steps, and the result twice more. Runs only if the
// graph will be quantized, and not for ExecuTorch, which has no integer norms.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/expression.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "rushlight/kernels/normalization.h"

struct norm {
    struct rl_value *x;
    bool is_over[RL_MAX_RANK]; // which dimensions
    double epsilon;
    bool centered;
    struct rl_value *weight, *bias; // constants, or NULL
};

// ---- single steps

// Reads the dimensions of a reduction of `x` that keeps them with size 1.
static bool read_dims(const struct rl_node *node, const struct rl_value *x, bool is_over[RL_MAX_RANK])
{
    const struct rl_arg *dims = rl_node_arg(node, "dim");
    const int rank = x->type.rank, dtype = rl_op_argument(rl_op_get(node->op), "dtype");
    if (!rl_node_bool(node, "keepdim") || dims->kind != RL_ARG_INTS || dims->count == 0 ||
        (dtype >= 0 && node->args[dtype].kind != RL_ARG_NONE)) {
        return false;
    }
    for (int d = 0; d < RL_MAX_RANK; d++) {
        is_over[d] = false;
    }
    for (int i = 0; i < dims->count; i++) {
        const int d = rl_dim_normalized(dims->as.integers[i], rank);
        if (d < 0) {
            return false;
        }
        is_over[d] = true;
    }
    return true;
}

static bool same_dims(const bool a[RL_MAX_RANK], const bool b[RL_MAX_RANK])
{
    for (int d = 0; d < RL_MAX_RANK; d++) {
        if (a[d] != b[d]) {
            return false;
        }
    }
    return true;
}

// What `value` is the mean of.
static struct rl_value *operand_of_mean(const struct rl_value *value, bool is_over[RL_MAX_RANK])
{
    struct rl_node *node = rl_producer_of(value, RL_OP_aten_mean);
    if (!node) {
        node = rl_producer_of(value, RL_OP_aten_var_mean_correction);
        node = node && node->results[1] == value ? node : NULL;
    }
    struct rl_value *x = node ? rl_node_tensor(node, "self") : NULL;
    return x && read_dims(node, x, is_over) ? x : NULL;
}

// The x of x - mean(x); NULL if `value` is none.
static struct rl_value *operand_of_centered(const struct rl_value *value, bool is_over[RL_MAX_RANK])
{
    struct rl_value *x, *mean;
    return rl_read_pair(value, RL_OP_aten_sub_tensor, &x, &mean) && operand_of_mean(mean, is_over) == x ? x : NULL;
}

// ---- a norm

static bool read_variance(const struct rl_value *value, struct norm *norm)
{
    static const enum rl_op_id ops[] = {RL_OP_aten_var_dim, RL_OP_aten_var_correction, RL_OP_aten_var_mean_correction};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        struct rl_node *node = rl_producer_of(value, ops[i]);
        if (node && node->results[0] == value) {
            norm->x = rl_node_tensor(node, "self");
            norm->centered = true;
            return rl_variance_correction(node) == 0.0 && read_dims(node, norm->x, norm->is_over);
        }
    }
    struct rl_value *square = operand_of_mean(value, norm->is_over);
    struct rl_value *root = square && rl_producer_of(value, RL_OP_aten_mean) ? rl_root_of_square(square) : NULL;
    if (!root) {
        return false;
    }
    bool is_over[RL_MAX_RANK];
    struct rl_value *x = operand_of_centered(root, is_over);
    norm->centered = x && same_dims(is_over, norm->is_over);
    norm->x = norm->centered ? x : root;
    return true;
}

static bool read_variance_and_epsilon(const struct rl_value *value, struct norm *norm)
{
    struct rl_value *variance;
    return rl_read_epsilon(value, &variance, &norm->epsilon) && read_variance(variance, norm);
}

// Whether a value is 1 / sqrt(variance + epsilon).
static bool read_inverse(const struct rl_value *value, struct norm *norm)
{
    struct rl_node *node = rl_producer_of(value, RL_OP_aten_rsqrt);
    if (node) {
        return read_variance_and_epsilon(rl_node_tensor(node, "self"), norm);
    }
    node = rl_producer_of(value, RL_OP_aten_pow_tensor_scalar);
    if (node) {
        return rl_node_number(node, "exponent") == -0.5 &&
               read_variance_and_epsilon(rl_node_tensor(node, "self"), norm);
    }
    node = rl_producer_of(value, RL_OP_aten_reciprocal);
    node = node ? rl_producer_of(rl_node_tensor(node, "self"), RL_OP_aten_sqrt) : NULL;
    return node && read_variance_and_epsilon(rl_node_tensor(node, "self"), norm);
}

static bool is_normalized(const struct rl_value *value, const struct norm *norm)
{
    bool is_over[RL_MAX_RANK];
    if (!norm->centered) {
        return value == norm->x;
    }
    return operand_of_centered(value, is_over) == norm->x && same_dims(is_over, norm->is_over);
}

static bool read_norm(const struct rl_node *node, struct norm *norm)
{
    struct rl_value *self, *other;
    *norm = (struct norm){0};
    if (node->op != RL_OP_aten_mul && node->op != RL_OP_aten_div_tensor) {
        return false;
    }
    if (!rl_read_pair(node->results[0], node->op, &self, &other)) {
        return false;
    }
    if (node->op == RL_OP_aten_div_tensor) {
        const struct rl_node *root = rl_producer_of(other, RL_OP_aten_sqrt);
        return root && read_variance_and_epsilon(rl_node_tensor(root, "self"), norm) && is_normalized(self, norm);
    }
    return (read_inverse(other, norm) && is_normalized(self, norm)) ||
           (read_inverse(self, norm) && is_normalized(other, norm));
}

// ---- weight and bias

// Whether a constant differs along the dimensions of the norm alone.
static bool follows_norm(const struct rl_value *constant, const struct norm *norm)
{
    const int rank = norm->x->type.rank, missing = rank - constant->type.rank;
    if (missing < 0) {
        return false;
    }
    for (int d = 0; d < rank; d++) {
        const int64_t size = d < missing ? 1 : constant->type.sizes[d - missing];
        if (size != 1 && (!norm->is_over[d] || size != norm->x->type.sizes[d])) {
            return false;
        }
    }
    return true;
}

// The constant that the only user of `value` adds or multiplies by; that user in *user. NULL if there is none.
static struct rl_value *constant_behind(const struct rl_graph *graph, const struct rl_value *value, enum rl_op_id op,
                                        const struct norm *norm, struct rl_node **user)
{
    struct rl_value *self, *other;
    struct rl_node *node = rl_value_only_user(graph, value);
    if (!node || node->op != op || !rl_read_pair(node->results[0], op, &self, &other)) {
        return NULL;
    }
    struct rl_value *constant = self == value ? other : self;
    if (!rl_is_float_constant(constant) || !follows_norm(constant, norm) ||
        !rl_tensor_same_sizes(&node->results[0]->type, &value->type)) {
        return NULL;
    }
    *user = node;
    return constant;
}

// The constant with a number for each value of a row, of these sizes.
static struct rl_value *spread(const struct rl_build *at, const struct rl_value *constant, const struct norm *norm,
                               int rank, const int64_t *sizes)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, rank, sizes);
    const int64_t count = rl_tensor_numel(&type);
    float *data = rl_arena_array(at->graph->arena, (size_t)count, sizeof *data);
    const int all = norm->x->type.rank, missing = all - constant->type.rank;
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, index = 0, step = 1;
        for (int d = all - 1; d >= missing; d--) {
            const int64_t place = norm->is_over[d] ? rest % norm->x->type.sizes[d] : 0;
            rest = norm->is_over[d] ? rest / norm->x->type.sizes[d] : rest;
            index += constant->type.sizes[d - missing] == 1 ? 0 : place * step;
            step *= constant->type.sizes[d - missing];
        }
        data[i] = ((const float *)constant->data)[rl_constant_offset(constant, index)];
    }
    return rl_graph_add_constant(at->graph, constant->name, &type, data);
}

// ---- the operator

static struct rl_value *build_norm(const struct rl_build *at, const struct norm *norm)
{
    const int rank = norm->x->type.rank;
    int64_t there[RL_MAX_RANK], back[RL_MAX_RANK], sizes[RL_MAX_RANK];
    int outer = 0, dims = 0;
    bool is_sorted = true;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < rank; d++) {
            if (norm->is_over[d] == (pass == 1)) {
                const int place = outer + dims;
                is_sorted = is_sorted && place == d;
                there[place] = d;
                back[d] = place;
                sizes[dims] = norm->x->type.sizes[d];
                outer += pass == 0 ? 1 : 0;
                dims += pass;
            }
        }
    }
    struct rl_value *x = is_sorted ? norm->x : rl_build_permute(at, norm->x, there);
    struct rl_value *weight = norm->weight ? spread(at, norm->weight, norm, dims, sizes) : NULL;
    struct rl_value *bias = norm->bias ? spread(at, norm->bias, norm, dims, sizes) : NULL;
    const struct rl_arg shape = rl_arg_ints(at->graph->arena, sizes, dims);
    struct rl_value *result;
    if (norm->centered) {
        const struct rl_arg args[] = {rl_arg_value(x), shape, rl_arg_value(weight), rl_arg_value(bias),
                                      rl_arg_double(norm->epsilon)};
        result = rl_build(at, RL_OP_aten_layer_norm, &x->type, args, 5);
    } else {
        const struct rl_arg args[] = {rl_arg_value(x), shape, rl_arg_value(weight), rl_arg_double(norm->epsilon)};
        result = rl_build(at, RL_OP_aten_rms_norm, &x->type, args, 4);
    }
    return is_sorted ? result : rl_build_permute(at, result, back);
}

// Whether the integer kernel takes rows of this many values.
static bool has_short_rows(const struct norm *norm)
{
    double values = 1.0;
    for (int d = 0; d < norm->x->type.rank; d++) {
        values *= norm->is_over[d] ? (double)norm->x->type.sizes[d] : 1.0;
    }
    return values >= 1.0 && values <= RL_NORM_MOST_VALUES;
}

// Replaces the norm that ends in `node`, if one does. Returns the last of the nodes that stand for it then, or `node`.
static struct rl_node *compose(struct rl_graph *graph, struct rl_node *node)
{
    struct norm norm;
    struct rl_node *last = node;
    if (!read_norm(node, &norm) || norm.x->type.dtype != RL_FLOAT32 || !has_short_rows(&norm) ||
        !rl_tensor_same_sizes(&norm.x->type, &node->results[0]->type)) {
        return node;
    }
    norm.weight = constant_behind(graph, last->results[0], RL_OP_aten_mul, &norm, &last);
    if (norm.centered) {
        norm.bias = constant_behind(graph, last->results[0], RL_OP_aten_add, &norm, &last);
    }
    const struct rl_build at = {graph, last};
    struct rl_value *result = build_norm(&at, &norm);
    rl_build_result(&at, 0, result);
    rl_graph_remove(graph, last);
    return result->producer;
}

enum rl_status rl_pass_compose_norm(struct rl_pass *pass)
{
    if (pass->options->target.flow == RL_FLOW_EXECUTORCH) {
        return RL_OK;
    }
    for (struct rl_node *node = pass->graph->first; node; node = node->next) {
        if (node->result_count == 1) {
            node = compose(pass->graph, node);
        }
    }
    rl_graph_remove_dead(pass->graph);
    return RL_OK;
}
