// SPDX-License-Identifier: Apache-2.0
//
// fold_constants: what depends on constants alone becomes a constant: masks, positions, parametrized weights.
//   needs   functional operators
//   keeps   values, exactly: the runtime computes them on the host as it would on the device
//   breaks  nothing
//
// A result is folded when it takes no more memory than the constants it comes from, or only a little. So a constant
// that is repeated many times stays small in flash. Runs only if the graph will be quantized, because it brings
// constants to layers that need them, such as weights.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/graph_runner.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { FREE_BYTES = 4096, FOLDED = 1 };

static bool is_fixed(const struct rl_value *value)
{
    return !value || (value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value)) ||
           (value->kind == RL_VALUE_RESULT && value->mark == FOLDED);
}

// Whether all tensors among the arguments are fixed, and at least one is there. Adds up their bytes.
static bool has_fixed_arguments(const struct rl_node *node, size_t *bytes)
{
    bool has_tensor = false;
    *bytes = 0;
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        struct rl_value *const *values = arg->kind == RL_ARG_VALUES ? arg->as.values : &arg->as.value;
        const int of_one = arg->kind == RL_ARG_VALUE ? 1 : 0;
        const int count = arg->kind == RL_ARG_VALUES ? arg->count : of_one;
        for (int k = 0; k < count; k++) {
            if (!is_fixed(values[k])) {
                return false;
            }
            has_tensor = has_tensor || values[k];
            *bytes += values[k] ? rl_tensor_bytes(&values[k]->type) : 0;
        }
    }
    return has_tensor;
}

static bool is_foldable(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    size_t bytes;
    if (op->quantizes || op->dequantizes || op->in_place_of || node->result_count != 1 || op->result_count != 1) {
        return false;
    }
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (!has_fixed_arguments(node, &bytes) || rl_tensor_numel(type) == 0) {
        return false;
    }
    return rl_tensor_bytes(type) <= bytes || rl_tensor_bytes(type) <= FREE_BYTES;
}

// Whether a node that is not folded, or an output, uses the value.
static bool is_wanted(const struct rl_graph *graph, const struct rl_value *value)
{
    int uses = rl_value_use_count(graph, value);
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (node->results[0]->mark == FOLDED) {
            uses -= rl_node_use_count(node, value);
        }
    }
    return uses > 0;
}

// The values to compute, in graph order.
static struct rl_value **find_wanted(struct rl_graph *graph, int *count)
{
    int nodes = 0;
    for (struct rl_node *node = graph->first; node; node = node->next, nodes++) {
        for (int i = 0; i < node->result_count; i++) {
            node->results[i]->mark = 0;
        }
        if (is_foldable(node)) {
            node->results[0]->mark = FOLDED;
        }
    }
    struct rl_value **wanted = rl_arena_array(graph->arena, (size_t)nodes, sizeof(struct rl_value *));
    *count = 0;
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (node->result_count == 1 && node->results[0]->mark == FOLDED && is_wanted(graph, node->results[0])) {
            wanted[(*count)++] = node->results[0];
        }
    }
    return wanted;
}

static struct rl_value *result_called(const struct rl_graph *graph, const char *name)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (node->result_count == 1 && strcmp(node->results[0]->name, name) == 0) {
            return node->results[0];
        }
    }
    return NULL;
}

// A copy of the graph without inputs, whose outputs are the wanted values, in canonical form: then every operator that
// the runtime can compute has a portable form.
static enum rl_status copy_wanted(const struct rl_pass *pass, struct rl_value *const *wanted, int count,
                                  struct rl_graph **result)
{
    const struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_graph *copy = rl_graph_clone(pass->graph, pass->arena);
    copy->input_count = copy->output_count = copy->state_count = 0;
    copy->input_tree = copy->output_tree = NULL;
    copy->input_names = copy->output_names = NULL;
    for (int i = 0; i < count; i++) {
        rl_graph_add_output(copy, result_called(copy, wanted[i]->name));
    }
    rl_graph_remove_dead(copy);
    *result = copy;
    struct rl_pass canonical = {.context = pass->context, .arena = pass->arena, .graph = copy, .options = &options};
    return rl_phases_run(&canonical, RL_PHASE_CANONICAL, RL_PHASE_CANONICAL);
}

// Puts a constant of these elements, which are in C order, in the place of a value.
static void replace(struct rl_graph *graph, struct rl_value *value, const unsigned char *elements)
{
    const size_t size = rl_scalar_size((int)value->type.dtype);
    const int64_t count = rl_tensor_numel(&value->type);
    unsigned char *data = rl_arena_array(graph->arena, (size_t)count, size);
    for (int64_t i = 0; i < count; i++) {
        memcpy(data + (size_t)rl_constant_offset(value, i) * size, elements + (size_t)i * size, size);
    }
    struct rl_value *constant = rl_graph_take_constant(graph, value->name, &value->type, data);
    const char *name = value->name;
    rl_graph_replace_uses(graph, value, constant);
    value->name = constant->name;
    constant->name = name;
}

enum rl_status rl_pass_fold_constants(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct rl_graph_runner *runner;
    struct rl_graph *copy;
    int count;
    struct rl_value **wanted = find_wanted(graph, &count);
    if (count == 0) {
        return RL_OK;
    }
    enum rl_status status = copy_wanted(pass, wanted, count, &copy);
    if (status == RL_OK) {
        status = rl_graph_runner_new(pass->context, pass->arena, copy, &runner);
    }
    if (status == RL_OK) {
        status = rl_graph_runner_run(pass->context, runner, NULL, NULL, NULL);
    }
    for (int i = 0; i < count && status == RL_OK; i++) {
        // A graph may state another type for a value than its operator gives. Then it stays as it is.
        const struct rl_tensor_type *type = &rl_graph_runner_graph(runner)->outputs[i]->type;
        if (type->dtype != wanted[i]->type.dtype || !rl_tensor_same_sizes(type, &wanted[i]->type)) {
            continue;
        }
        unsigned char *elements = rl_arena_alloc(pass->arena, rl_tensor_bytes(&wanted[i]->type));
        status = rl_graph_runner_output(pass->context, runner, i, elements);
        if (status == RL_OK) {
            replace(graph, wanted[i], elements);
        }
    }
    rl_graph_remove_dead(graph);
    return status;
}
