// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/rewrite.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rl_node_become(struct rl_graph *graph, struct rl_node *node, enum rl_op_id op)
{
    node->op = op;
    node->arg_count = rl_op_get(op)->arg_count;
    node->args = rl_arena_array(graph->arena, (size_t)node->arg_count, sizeof *node->args);
}

void rl_node_append_result(struct rl_graph *graph, struct rl_node *node, const char *suffix,
                           const struct rl_tensor_type *type)
{
    struct rl_value *value = rl_arena_alloc(graph->arena, sizeof *value);
    value->kind = RL_VALUE_RESULT;
    value->name = rl_graph_unique_name(graph, rl_arena_format(graph->arena, "%s_%s", node->name, suffix));
    value->type = *type;
    value->producer = node;
    struct rl_value **results = rl_arena_array(graph->arena, (size_t)node->result_count + 1, sizeof *results);
    memcpy(results, node->results, (size_t)node->result_count * sizeof *results);
    results[node->result_count] = value;
    node->results = results;
    node->result_count++;
}

void rl_node_set(struct rl_node *node, const char *name, struct rl_arg arg)
{
    *rl_node_arg(node, name) = arg;
}

struct rl_node *rl_insert_before(struct rl_graph *graph, struct rl_node *before, enum rl_op_id op, const char *name,
                                 const struct rl_node *like, const struct rl_tensor_type *type)
{
    return rl_graph_insert(graph, before, op, name, like, 1, type);
}

void rl_node_become_layout_copy(struct rl_graph *graph, struct rl_node *node, struct rl_value *value)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    int64_t order[RL_MAX_RANK];
    for (int i = 0; i < type->rank; i++) {
        order[i] = type->order[i];
    }
    rl_node_become(graph, node, RL_OP_dim_order_clone);
    rl_node_set(node, "self", rl_arg_value(value));
    rl_node_set(node, "non_blocking", rl_arg_bool(false));
    rl_node_set(node, "dim_order", rl_arg_ints(graph->arena, order, type->rank));
}

struct rl_node *rl_replace_node(struct rl_graph *graph, struct rl_node *node, struct rl_value *value)
{
    struct rl_node *next = node->next;
    struct rl_value *result = node->results[0];
    if (rl_value_is_output(graph, result) && !rl_tensor_same_layout(&result->type, &value->type)) {
        rl_node_become_layout_copy(graph, node, value);
        return next;
    }
    rl_graph_replace_uses(graph, result, value);
    rl_graph_remove(graph, node);
    return next;
}

bool rl_decline(struct rl_graph *graph, struct rl_node *node, const char *format, ...)
{
    if (!node->reason) {
        char text[256];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        node->reason = rl_arena_string(graph->arena, text);
    }
    return false;
}

bool rl_is_imported(const struct rl_pass *pass)
{
    return pass->options->quantization != RL_QUANTIZE_NONE && !pass->quantizer_report;
}

bool rl_may_use_rushlight(const struct rl_pass *pass, struct rl_node *node)
{
    if (pass->options->target.flow == RL_FLOW_EXECUTORCH) {
        return rl_decline(pass->graph, node, "ExecuTorch has no integer kernel for %s", rl_op_get(node->op)->name);
    }
    if (pass->options->quantizer == RL_QUANTIZER_STOCK) {
        return rl_decline(pass->graph, node, "the stock flow leaves it in floating point");
    }
    return true;
}

bool rl_has_quantized_weights(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_value *weight = rl_node_tensor(node, "weight");
    const struct rl_tensor_type *input = &rl_node_tensor(node, "input")->type;
    if (weight->kind != RL_VALUE_CONSTANT || !rl_scalar_is_floating(weight->type.dtype)) {
        return true;
    }
    if (!rl_is_imported(pass)) {
        return rl_decline(pass->graph, node, "it is not quantized");
    }
    if (input->rank == 4 && input->sizes[1] > 1 && input->sizes[2] > 1 && !rl_tensor_is_channels_last(input)) {
        return rl_decline(pass->graph, node,
                          "the quantizer of this graph left it out; CortexMQuantizer leaves out convolutions that are "
                          "not channels-last");
    }
    return rl_decline(pass->graph, node, "the quantizer of this graph left it out");
}

int64_t rl_constant_offset(const struct rl_value *constant, int64_t index)
{
    const struct rl_tensor_type *type = &constant->type;
    int64_t strides[RL_MAX_RANK];
    int64_t offset = 0, stride = 1, rest = index;
    rl_tensor_strides(type, strides);
    int d = type->rank - 1;
    for (; d >= 0 && strides[d] == stride; d--) { // most constants are row-major, and divisions slow
        stride *= type->sizes[d];
    }
    if (d < 0) {
        return index;
    }
    for (d = type->rank - 1; d >= 0; d--) {
        offset += rest % type->sizes[d] * strides[d];
        rest /= type->sizes[d];
    }
    return offset;
}

// Goes to the next element in row-major order, and keeps the offset of it.
static int64_t next_offset(const struct rl_tensor_type *type, const int64_t *strides, int64_t *index, int64_t offset)
{
    for (int d = type->rank - 1; d >= 0; d--) {
        offset += strides[d];
        if (++index[d] < type->sizes[d]) {
            break;
        }
        offset -= type->sizes[d] * strides[d];
        index[d] = 0;
    }
    return offset;
}

struct rl_value *rl_constant_permuted(struct rl_graph *graph, const struct rl_value *constant, const int *dims,
                                      const char *name)
{
    const struct rl_tensor_type *from = &constant->type;
    struct rl_tensor_type to = rl_tensor_type_make(from->dtype, from->rank, from->sizes);
    int64_t from_strides[RL_MAX_RANK];
    int64_t strides[RL_MAX_RANK];
    int64_t index[RL_MAX_RANK] = {0};
    rl_tensor_strides(from, from_strides);
    for (int d = 0; d < from->rank; d++) {
        to.sizes[d] = from->sizes[dims[d]];
        strides[d] = from_strides[dims[d]];
    }
    const size_t element = rl_scalar_size((int)from->dtype);
    const int64_t count = rl_tensor_numel(&to);
    const unsigned char *source = constant->data;
    unsigned char *data = rl_arena_array(graph->arena, (size_t)count, element);
    int64_t offset = 0;
    for (int64_t i = 0; i < count; i++) {
        memcpy(data + (size_t)i * element, source + (size_t)offset * element, element);
        offset = next_offset(&to, strides, index, offset);
    }
    return rl_graph_take_constant(graph, name, &to, data);
}

double rl_variance_correction(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    const int unbiased = rl_op_argument(op, "unbiased"), correction = rl_op_argument(op, "correction");
    if (unbiased >= 0) {
        return node->args[unbiased].as.boolean ? 1.0 : 0.0;
    }
    return node->args[correction].kind == RL_ARG_NONE ? 1.0 : rl_node_number(node, "correction");
}

int rl_dim_normalized(int64_t dim, int rank)
{
    const int64_t positive = dim < 0 ? dim + rank : dim;
    return positive < 0 || positive >= rank ? -1 : (int)positive;
}

bool rl_lower_to_form(const struct rl_pass *pass, struct rl_node *node)
{
    (void)pass; // part of the signature of rl_lower
    const struct rl_op *form = rl_op_get(node->op)->runs_as;
    if (form) {
        node->op = rl_op_id(form);
    }
    return form;
}

struct rl_node **rl_graph_calls(struct rl_graph *graph, enum rl_op_id op, size_t *count)
{
    *count = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        *count += node->op == op ? 1 : 0;
    }
    struct rl_node **nodes = rl_arena_array(graph->arena, *count, sizeof(struct rl_node *));
    size_t found = 0;
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (node->op == op) {
            nodes[found++] = node;
        }
    }
    return nodes;
}

void rl_lower_each(const struct rl_pass *pass, enum rl_op_id op, rl_lower *lower)
{
    size_t count;
    struct rl_node **nodes = rl_graph_calls(pass->graph, op, &count);
    for (size_t i = 0; i < count; i++) {
        lower(pass, nodes[i]);
    }
    rl_graph_remove_dead(pass->graph);
}

void rl_lower_table(const struct rl_pass *pass, const struct rl_lowering *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rl_lower_each(pass, table[i].op, table[i].lower);
    }
}
