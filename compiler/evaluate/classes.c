// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/classes.h"

#include <math.h>

#include "compiler/passes/rewrite/rewrite.h"
#include "runtime/math/functions.h"

enum { NO_AXIS = -1, NOT_KNOWN = -2 };

static const struct rl_value *first_operand(const struct rl_node *node)
{
    return node->arg_count > 0 && node->args[0].kind == RL_ARG_VALUE ? node->args[0].as.value : NULL;
}

static bool is_log_softmax(const struct rl_node *node)
{
    return node->op == RL_OP_aten_log_softmax_internal || node->op == RL_OP_aten_log_softmax_int;
}

static bool is_softmax(const struct rl_node *node)
{
    return rl_op_get(node->op)->layer == RL_LAYER_SOFTMAX || is_log_softmax(node);
}

static int64_t product(const struct rl_tensor_type *type, int first, int end)
{
    int64_t count = 1;

    for (int i = first; i < end; i++) {
        count *= type->sizes[i];
    }
    return count;
}

// The axis of a reshaped tensor that has as many elements and as many behind it.
static int reshaped_axis(const struct rl_tensor_type *from, int axis, const struct rl_tensor_type *to)
{
    const int64_t inner = product(from, axis + 1, from->rank);

    for (int i = 0; i < to->rank; i++) {
        if (to->sizes[i] == from->sizes[axis] && product(to, i + 1, to->rank) == inner) {
            return i;
        }
    }
    return NOT_KNOWN;
}

static int permuted_axis(const struct rl_node *node, int axis, int rank)
{
    const struct rl_arg *dims = node->arg_count > 1 ? &node->args[1] : NULL;

    if (!dims || dims->kind != RL_ARG_INTS || dims->count != rank) {
        return NOT_KNOWN;
    }
    for (int i = 0; i < rank; i++) {
        if (rl_dim_normalized(dims->as.integers[i], rank) == axis) {
            return i;
        }
    }
    return NOT_KNOWN;
}

static int exchanged_axis(const struct rl_node *node, int axis, int rank)
{
    if (node->arg_count < 3 || node->args[1].kind != RL_ARG_INT || node->args[2].kind != RL_ARG_INT) {
        return NOT_KNOWN;
    }
    const int a = rl_dim_normalized(node->args[1].as.integer, rank);
    const int b = rl_dim_normalized(node->args[2].as.integer, rank);
    if (axis != a) {
        return axis == b ? a : axis;
    }
    return b;
}

// The axis of classes of the node's operand, seen in its result.
static int carried_axis(const struct rl_node *node, const struct rl_tensor_type *from, int axis)
{
    const struct rl_tensor_type *to = &node->results[0]->type;

    switch (rl_op_get(node->op)->rearranges) {
    case RL_REARRANGES_RESHAPE:
        return reshaped_axis(from, axis, to);
    case RL_REARRANGES_PERMUTE:
        return permuted_axis(node, axis, from->rank);
    case RL_REARRANGES_EXCHANGE:
        return exchanged_axis(node, axis, from->rank);
    default: // elementwise operators, pools and upsampling of images
        return from->rank == to->rank && from->sizes[axis] == to->sizes[axis] ? axis : NOT_KNOWN;
    }
}

static int axis_of_value(const struct rl_value *value)
{
    const struct rl_node *node = value->kind == RL_VALUE_RESULT ? value->producer : NULL;

    if (!node) {
        return NOT_KNOWN;
    }
    if (is_softmax(node)) {
        return rl_dim_normalized(rl_node_int(node, "dim"), value->type.rank);
    }
    switch (rl_op_get(node->op)->layer) {
    case RL_LAYER_LINEAR:
        return value->type.rank - 1;
    case RL_LAYER_CONVOLUTION:
        return value->type.rank > 1 ? 1 : NOT_KNOWN;
    default:
        break;
    }
    const struct rl_value *operand = first_operand(node);
    const int axis = operand ? axis_of_value(operand) : NOT_KNOWN;
    return axis < 0 ? axis : carried_axis(node, &operand->type, axis);
}

// Whether a node only moves values, or puts them on a grid and back.
static bool passes_on(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);

    return !is_softmax(node) && (op->rearranges != RL_REARRANGES_OTHERWISE || op->quantizes || op->dequantizes);
}

static const struct rl_node *softmax_of(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && passes_on(value->producer) && first_operand(value->producer)) {
        value = first_operand(value->producer);
    }
    return value->kind == RL_VALUE_RESULT && is_softmax(value->producer) ? value->producer : NULL;
}

static bool has_sizes_of_input(const struct rl_graph *graph, const struct rl_tensor_type *type)
{
    for (int i = 0; i < graph->input_count; i++) {
        if (rl_tensor_same_sizes(&graph->inputs[i]->type, type)) {
            return true;
        }
    }
    return false;
}

struct rl_classes rl_classes_of_output(const struct rl_graph *graph, int output)
{
    const struct rl_value *value = graph->outputs[output];
    const struct rl_tensor_type *type = &value->type;
    const struct rl_node *softmax = softmax_of(value);
    struct rl_classes classes = {.axis = NO_AXIS};
    int axis = axis_of_value(value);

    if (axis == NOT_KNOWN && type->rank >= 1 && type->rank <= 2) {
        axis = type->rank - 1;
    }
    if (type->dtype != RL_FLOAT32 || axis < 0 || type->sizes[axis] < 2 ||
        (!softmax && has_sizes_of_input(graph, type))) {
        return classes;
    }
    classes.axis = axis;
    classes.outer = product(type, 0, axis);
    classes.classes = type->sizes[axis];
    classes.inner = product(type, axis + 1, type->rank);
    if (softmax) {
        classes.form = is_log_softmax(softmax) ? RL_CLASSES_LOG_PROBABILITIES : RL_CLASSES_PROBABILITIES;
        classes.logits = first_operand(softmax);
    }
    return classes;
}

static const float *answer(const struct rl_classes *classes, const float *values, int64_t index)
{
    return values + index / classes->inner * classes->classes * classes->inner + index % classes->inner;
}

int64_t rl_classes_choice(const struct rl_classes *classes, const float *values, int64_t index)
{
    const float *numbers = answer(classes, values, index);
    int64_t largest = 0;

    for (int64_t i = 1; i < classes->classes; i++) {
        largest = numbers[i * classes->inner] > numbers[largest * classes->inner] ? i : largest;
    }
    return largest;
}

void rl_classes_probabilities(const struct rl_classes *classes, const float *values, int64_t index,
                              double *probabilities)
{
    const float *numbers = answer(classes, values, index);
    const double largest = numbers[rl_classes_choice(classes, values, index) * classes->inner];
    double sum = 0;

    for (int64_t i = 0; i < classes->classes; i++) {
        const double number = numbers[i * classes->inner];
        probabilities[i] = classes->form == RL_CLASSES_PROBABILITIES ? number : rl_math_exp(number - largest);
        sum += probabilities[i];
    }
    for (int64_t i = 0; i < classes->classes && classes->form != RL_CLASSES_PROBABILITIES; i++) {
        probabilities[i] /= sum;
    }
}
