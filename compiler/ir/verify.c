// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of graph.h.
#include "compiler/ir/graph.h"

#include <stdlib.h>
#include <string.h>

struct verifier {
    struct rl_context *context;
    const struct rl_graph *graph;
    const char *after;
    const struct rl_value **defined; // so far, in order; a value's mark is its place
    int count;
    const char **names;
    int name_count;
};

static enum rl_status refuse(const struct verifier *v, const char *kind, const char *name, const char *problem)
{
    return rl_fail(v->context, RL_ERROR_INTERNAL, "%s: graph broken after '%s' (please report this): %s '%s': %s",
                   v->graph->source, v->after, kind, name ? name : "(no name)", problem);
}

static enum rl_status refuse_arg(const struct verifier *v, const struct rl_node *node, const struct rl_op_arg *schema,
                                 const char *problem)
{
    return rl_fail(v->context, RL_ERROR_INTERNAL,
                   "%s: graph broken after '%s' (please report this): node '%s' (%s): argument '%s': %s",
                   v->graph->source, v->after, node->name, rl_op_get(node->op)->name, schema->name, problem);
}

static enum rl_status define(struct verifier *v, struct rl_value *value, enum rl_value_kind kind)
{
    if (!value || !value->name) {
        return refuse(v, "value", NULL, "is missing or has no name");
    }
    if (value->kind != kind) {
        return refuse(v, "value", value->name, "is of another kind than its place says");
    }
    if (!rl_tensor_type_is_valid(&value->type)) {
        return refuse(v, "value", value->name, "has an impossible type (dtype, rank, sizes or order)");
    }
    if (kind != RL_VALUE_RESULT && value->type.dtype == RL_COMPLEX64) {
        return refuse(v, "value", value->name, "has complex numbers, which only results may have");
    }
    if (value->is_turned && !rl_value_turns(value)) {
        return refuse(v, "value", value->name, "is turned, but not row-major, or by an impossible permutation");
    }
    if (kind == RL_VALUE_CONSTANT && !value->data) {
        return refuse(v, "constant", value->name, "has no data");
    }
    value->mark = v->count;
    v->defined[v->count++] = value;
    v->names[v->name_count++] = value->name;
    return RL_OK;
}

static bool is_defined(const struct verifier *v, const struct rl_value *value)
{
    return value->mark >= 0 && value->mark < v->count && v->defined[value->mark] == value;
}

static enum rl_status check_tensor(struct verifier *v, const struct rl_node *node, const struct rl_op_arg *schema,
                                   struct rl_value *value)
{
    if (schema->type == RL_TYPE_SCRATCH) {
        if (is_defined(v, value)) {
            return refuse_arg(v, node, schema, "its work space is used elsewhere, too");
        }
        return define(v, value, RL_VALUE_SCRATCH);
    }
    if (!is_defined(v, value)) {
        return refuse_arg(v, node, schema, "uses a value that is not defined before it");
    }
    return value->kind == RL_VALUE_SCRATCH ? refuse_arg(v, node, schema, "uses work space as a tensor") : RL_OK;
}

static enum rl_status check_tensors(struct verifier *v, const struct rl_node *node, const struct rl_op_arg *schema,
                                    const struct rl_arg *arg)
{
    for (int i = 0; i < arg->count; i++) {
        if (!arg->as.values[i]) {
            if (!schema->list_elements_optional) {
                return refuse_arg(v, node, schema, "has a None in its list");
            }
            continue;
        }
        const enum rl_status status = check_tensor(v, node, schema, arg->as.values[i]);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static bool kind_fits(enum rl_arg_type type, const struct rl_arg *arg)
{
    switch (type) {
    case RL_TYPE_TENSOR:
    case RL_TYPE_SCRATCH:
        return arg->kind == RL_ARG_VALUE;
    case RL_TYPE_TENSOR_LIST:
        return arg->kind == RL_ARG_VALUES;
    case RL_TYPE_INT:
        return arg->kind == RL_ARG_INT;
    case RL_TYPE_INT_LIST:
        return arg->kind == RL_ARG_INTS;
    case RL_TYPE_FLOAT:
        return arg->kind == RL_ARG_DOUBLE;
    case RL_TYPE_FLOAT_LIST:
        return arg->kind == RL_ARG_DOUBLES;
    case RL_TYPE_BOOL:
        return arg->kind == RL_ARG_BOOL;
    case RL_TYPE_STRING:
    case RL_TYPE_DEVICE:
        return arg->kind == RL_ARG_STRING;
    case RL_TYPE_SCALAR:
        return arg->kind == RL_ARG_INT || arg->kind == RL_ARG_DOUBLE || arg->kind == RL_ARG_BOOL;
    case RL_TYPE_DTYPE:
        return arg->kind == RL_ARG_INT && arg->as.integer >= 0 && arg->as.integer <= RL_UINT64 &&
               rl_scalar_size((int)arg->as.integer) != 0;
    case RL_TYPE_LAYOUT:
        return arg->kind == RL_ARG_INT && arg->as.integer == 0;
    case RL_TYPE_MEMORY_FORMAT:
        break;
    }
    return arg->kind == RL_ARG_INT && arg->as.integer >= RL_FORMAT_CONTIGUOUS &&
           arg->as.integer <= RL_FORMAT_CHANNELS_LAST_3D;
}

static enum rl_status check_arg(struct verifier *v, const struct rl_node *node, int index)
{
    const struct rl_op_arg *schema = &rl_op_get(node->op)->args[index];
    const struct rl_arg *arg = &node->args[index];
    if (arg->kind == RL_ARG_NONE) {
        // Work space comes last, when the target is known.
        const bool may_be_none = schema->optional || schema->type == RL_TYPE_SCRATCH;
        return may_be_none ? RL_OK : refuse_arg(v, node, schema, "is None");
    }
    if (!kind_fits(schema->type, arg)) {
        return refuse_arg(v, node, schema, "has another kind than the schema says");
    }
    if (arg->kind == RL_ARG_VALUE) {
        return check_tensor(v, node, schema, arg->as.value);
    }
    return arg->kind == RL_ARG_VALUES ? check_tensors(v, node, schema, arg) : RL_OK;
}

// Views share memory, which is planned for the viewed tensor. The sizes of both may come from the file.
static enum rl_status check_view(const struct verifier *v, const struct rl_node *node)
{
    const int64_t from = rl_tensor_numel(&node->args[0].as.value->type);
    const int64_t to = rl_tensor_numel(&node->results[0]->type);
    return from == to ? RL_OK
                      : rl_fail(v->context, RL_ERROR_FORMAT,
                                "%s: node '%s' (%s, after '%s'): views %lld elements as %lld: the shapes in "
                                "the file contradict one another",
                                v->graph->source, node->name, rl_op_get(node->op)->name, v->after, (long long)from,
                                (long long)to);
}

static enum rl_status check_node(struct verifier *v, const struct rl_node *node)
{
    if (!node->name || (unsigned)node->op >= RL_OP_COUNT) {
        return refuse(v, "node", node->name, "has no name or no operator");
    }
    const struct rl_op *op = rl_op_get(node->op);
    if ((!node->previous ? v->graph->first : node->previous->next) != node ||
        (!node->next ? v->graph->last : node->next->previous) != node) {
        return refuse(v, "node", node->name, "is linked wrongly");
    }
    if (node->arg_count != op->arg_count || (op->result_count >= 0 && node->result_count != op->result_count)) {
        return refuse(v, "node", node->name, "has another number of arguments or results than its operator");
    }
    for (int i = 0; i < node->arg_count; i++) {
        const enum rl_status status = check_arg(v, node, i);
        if (status != RL_OK) {
            return status;
        }
    }
    for (int i = 0; i < node->result_count; i++) {
        const enum rl_status status = define(v, node->results[i], RL_VALUE_RESULT);
        if (status != RL_OK) {
            return status;
        }
        if (node->results[i]->producer != node) {
            return refuse(v, "value", node->results[i]->name, "names another producer");
        }
    }
    return node->op == RL_OP_aten_view_copy ? check_view(v, node) : RL_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum rl_status check_unique(struct verifier *v, const char *kind)
{
    qsort(v->names, (size_t)v->name_count, sizeof *v->names, compare_names);
    for (int i = 1; i < v->name_count; i++) {
        if (strcmp(v->names[i - 1], v->names[i]) == 0) {
            return refuse(v, kind, v->names[i], "is the name of several");
        }
    }
    v->name_count = 0;
    return RL_OK;
}

static enum rl_status check_states(const struct verifier *v)
{
    for (int i = 0; i < rl_graph_source_count(v->graph); i++) {
        const struct rl_value *value = v->graph->inputs[i];
        if (rl_value_is_state(value) != (i >= v->graph->input_count)) {
            return refuse(v, "input", value->name, "is a state among the inputs, or a state without a first value");
        }
        if (i < v->graph->input_count || v->graph->writes_back) {
            continue;
        }
        const struct rl_value *next = v->graph->outputs[v->graph->output_count + i - v->graph->input_count];
        if (next->type.dtype != value->type.dtype || !rl_tensor_same_sizes(&next->type, &value->type)) {
            return rl_fail(v->context, RL_ERROR_FORMAT,
                           "%s: state '%s' gets the value of '%s' (after '%s'), which has another type",
                           v->graph->source, value->name, next->name, v->after);
        }
    }
    return RL_OK;
}

static enum rl_status check_values_and_nodes(struct verifier *v)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < rl_graph_source_count(v->graph) && status == RL_OK; i++) {
        status = define(v, v->graph->inputs[i], RL_VALUE_INPUT);
    }
    for (struct rl_value *value = v->graph->constants; value && status == RL_OK; value = value->next) {
        status = define(v, value, RL_VALUE_CONSTANT);
    }
    for (const struct rl_node *node = v->graph->first; node && status == RL_OK; node = node->next) {
        status = check_node(v, node);
    }
    for (int i = 0; i < rl_graph_target_count(v->graph) && status == RL_OK; i++) {
        const struct rl_value *output = v->graph->outputs[i];
        if (!output || !is_defined(v, output) || output->kind == RL_VALUE_SCRATCH) {
            status = refuse(v, "output", output ? output->name : NULL, "is not defined in the graph");
        }
    }
    if (status == RL_OK) {
        status = check_states(v);
    }
    if (status == RL_OK) {
        status = check_unique(v, "value");
    }
    for (const struct rl_node *node = v->graph->first; node && status == RL_OK; node = node->next) {
        v->names[v->name_count++] = node->name;
    }
    if (status != RL_OK) {
        return status;
    }
    return check_unique(v, "node");
}

// At most: each argument could be work space.
static size_t count_values(const struct rl_graph *graph)
{
    size_t count = (size_t)rl_graph_source_count(graph);
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        count++;
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        count += 1 + (size_t)node->arg_count + (size_t)node->result_count;
    }
    return count;
}

enum rl_status rl_graph_verify(struct rl_context *context, const struct rl_graph *graph, const char *after)
{
    struct verifier v = {.context = context, .graph = graph, .after = after};
    const size_t count = count_values(graph) + 1;
    v.defined = malloc(count * sizeof(const struct rl_value *));
    v.names = malloc(count * sizeof(const char *));
    enum rl_status status = RL_ERROR_OUT_OF_MEMORY;
    if (v.defined && v.names) {
        status = check_values_and_nodes(&v);
    } else {
        rl_fail(context, status, "%s: no memory left", graph->source);
    }
    free(v.defined);
    free(v.names);
    return status;
}
