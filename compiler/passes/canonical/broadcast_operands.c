// SPDX-License-Identifier: Apache-2.0
//
// broadcast_operands: sums, differences, products and quotients get operands of sizes that the integer kernels pair.
//   needs   canonical operators; sequences as images (widen_1d)
//   keeps   values (a quotient by a constant: up to rounding); the names of the results
//   breaks  nothing
//
// The kernels take equal sizes, a number, or one value for each channel of an image. So an operand
//   with as many elements as the result            becomes a view of it
//   with one value for each index of the last      makes the result's channels of that dimension: the image of one
//   dimension, or of the second of a sequence      column, or of one row, lies in memory as the tensor does
//   of any other sizes                             is expanded, which moves bytes
// A constant divisor becomes a factor. Runs only if the graph will be quantized.
#include "compiler/passes/passes.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- operands

static bool is_constant(const struct rl_value *value)
{
    return value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value);
}

// The elements in row-major order under other sizes.
static struct rl_value *reshaped(const struct rl_build *at, struct rl_value *value, int rank, const int64_t *sizes)
{
    static const int in_order[RL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (!is_constant(value)) {
        return rl_build_view(at, value, rank, sizes);
    }
    struct rl_value *copy = rl_constant_permuted(at->graph, value, in_order, value->name);
    copy->type = rl_tensor_type_make(value->type.dtype, rank, sizes);
    return copy;
}

// A constant of the reciprocals; NULL if one of them is not a number that matters.
static struct rl_value *reciprocal(const struct rl_build *at, const struct rl_value *value)
{
    const size_t count = (size_t)rl_tensor_numel(&value->type);
    const float *from = value->data;
    float *to = rl_arena_array(at->graph->arena, count, sizeof *to);
    for (size_t i = 0; i < count; i++) {
        to[i] = 1.0f / from[i];
        if (!isfinite(to[i])) {
            return NULL;
        }
    }
    return rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_factor", at->node->name),
                                 &value->type, to);
}

static bool is_number(const struct rl_value *value)
{
    return is_constant(value) && rl_tensor_numel(&value->type) == 1;
}

static bool is_channel_vector(const struct rl_value *value, const struct rl_tensor_type *image)
{
    return image->rank == 4 && value->type.rank == 4 && value->type.sizes[1] == image->sizes[1] &&
           rl_tensor_numel(&value->type) == image->sizes[1];
}

// Whether a kernel takes this pair as it is, or none can.
static bool is_paired(const struct rl_node *node, struct rl_value *const *operands)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    const bool divides = node->op == RL_OP_aten_div_tensor;
    bool same[2];
    for (int i = 0; i < 2; i++) {
        if (operands[i]->type.dtype != RL_FLOAT32 || rl_tensor_numel(type) == 0) {
            return true;
        }
        same[i] = rl_tensor_same_sizes(&operands[i]->type, type);
    }
    for (int i = 0; i < 2; i++) {
        if (same[1 - i] && (same[i] || is_number(operands[i]) || (!divides && is_channel_vector(operands[i], type)))) {
            return true;
        }
    }
    return false;
}

// ---- channels

// The image whose channels are the dimension along which the smaller operand varies; false if there is none.
struct image {
    int64_t viewed[4];          // of the larger operand
    bool is_permuted;           // then its last dimension becomes the channels
    struct rl_tensor_type type; // of the result, with channels as dimension 1
};

static bool find_image(const struct rl_tensor_type *type, const struct rl_tensor_type *small, struct image *image)
{
    const int64_t count = rl_tensor_numel(small), numel = rl_tensor_numel(type);
    const int last = type->rank - 1;
    if (count == 1 || type->rank < 2) {
        return false;
    }
    if (small->rank > 0 && small->sizes[small->rank - 1] == count && type->sizes[last] == count) {
        const int64_t viewed[4] = {1, numel / count, 1, count}, sizes[4] = {1, count, numel / count, 1};
        memcpy(image->viewed, viewed, sizeof viewed);
        image->is_permuted = true;
        image->type = rl_tensor_type_make(RL_FLOAT32, 4, sizes);
        return true;
    }
    if (type->rank == 3 && small->rank >= 2 && small->sizes[small->rank - 2] == count && type->sizes[1] == count) {
        const int64_t viewed[4] = {type->sizes[0], count, 1, type->sizes[2]};
        memcpy(image->viewed, viewed, sizeof viewed);
        image->is_permuted = false;
        image->type = rl_tensor_type_make(RL_FLOAT32, 4, viewed);
        return true;
    }
    return false;
}

// Computes on the image; operand number `small` has one value for each of its channels.
static void compute_on(const struct rl_build *at, const struct image *image, struct rl_value **operands, int small)
{
    static const int64_t there[4] = {0, 3, 1, 2}, back[4] = {0, 2, 3, 1};
    const int64_t vector[4] = {1, image->type.sizes[1], 1, 1};
    struct rl_value *large = rl_build_view(at, operands[1 - small], 4, image->viewed);
    operands[1 - small] = image->is_permuted ? rl_build_permute(at, large, there) : large;
    operands[small] = reshaped(at, operands[small], 4, vector);
    struct rl_arg args[3] = {rl_arg_value(operands[0]), rl_arg_value(operands[1])};
    const int count = at->node->arg_count;
    if (count == 3) {
        args[2] = at->node->args[2]; // alpha
    }
    struct rl_value *result = rl_build(at, at->node->op, &image->type, args, count);
    rl_build_end_view(at, image->is_permuted ? rl_build_permute(at, result, back) : result);
}

// ---- nodes

// Whether operands of the result's sizes can exist: a result of int8 may be too large to be of floats.
static bool may_be_expanded(const struct rl_value *operand, const struct rl_tensor_type *type)
{
    struct rl_tensor_type expanded = *type;
    expanded.dtype = operand->type.dtype;
    return rl_tensor_type_is_valid(&expanded);
}

static bool broadcast(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_tensor_type type = node->results[0]->type;
    if (node->args[0].kind != RL_ARG_VALUE || node->args[1].kind != RL_ARG_VALUE || node->arg_count > 3) {
        return false;
    }
    struct rl_value *operands[2] = {node->args[0].as.value, node->args[1].as.value};
    struct image image;
    if (is_paired(node, operands) || !may_be_expanded(operands[0], &type) || !may_be_expanded(operands[1], &type)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (rl_tensor_numel(&operands[i]->type) == rl_tensor_numel(&type) &&
            !rl_tensor_same_sizes(&operands[i]->type, &type)) {
            operands[i] = reshaped(&at, operands[i], type.rank, type.sizes);
        }
    }
    const int small = rl_tensor_same_sizes(&operands[0]->type, &type) ? 1 : 0;
    if (!rl_tensor_same_sizes(&operands[1 - small]->type, &type)) {
        operands[1] = rl_build_expand(&at, operands[1], type.rank, type.sizes);
    }
    if (!rl_tensor_same_sizes(&operands[small]->type, &type) && !is_number(operands[small])) {
        if (node->op != RL_OP_aten_div_tensor && find_image(&type, &operands[small]->type, &image)) {
            compute_on(&at, &image, operands, small);
            return true;
        }
        operands[small] = rl_build_expand(&at, operands[small], type.rank, type.sizes);
    }
    node->args[0] = rl_arg_value(operands[0]);
    node->args[1] = rl_arg_value(operands[1]);
    return true;
}

static bool multiply(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *divisor = node->args[1].as.value;
    if (!is_constant(divisor) || divisor->type.dtype != RL_FLOAT32 || rl_tensor_numel(&divisor->type) <= 1 ||
        node->args[0].as.value->type.dtype != RL_FLOAT32) {
        return false;
    }
    struct rl_value *factor = reciprocal(&at, divisor);
    if (!factor) {
        return false;
    }
    const struct rl_arg args[] = {node->args[0], rl_arg_value(factor)};
    rl_build_end(&at, RL_OP_aten_mul, args, 2);
    return true;
}

enum rl_status rl_pass_broadcast_operands(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_div_tensor, multiply);
    rl_lower_each(pass, RL_OP_aten_add, broadcast);
    rl_lower_each(pass, RL_OP_aten_sub_tensor, broadcast);
    rl_lower_each(pass, RL_OP_aten_mul, broadcast);
    rl_lower_each(pass, RL_OP_aten_div_tensor, broadcast);
    return RL_OK;
}
