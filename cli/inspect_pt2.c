// SPDX-License-Identifier: Apache-2.0
//
// A model as its file says it, and what compiling it would make of it.
#include <string.h>

#include "cli/inspect.h"
#include "cli/report.h"
#include "compiler/read/pt2.h"

static json_t *list_values(struct rl_value *const *values, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        json_array_append_new(list, rl_cli_describe_value(values[i]));
    }
    return list;
}

static json_t *list_constants(const struct rl_graph *graph)
{
    json_t *list = json_array();

    for (const struct rl_value *constant = graph->constants; constant; constant = constant->next) {
        json_array_append_new(list, rl_cli_describe_value(constant));
    }
    return list;
}

static json_t *input_names(const struct rl_node *node)
{
    json_t *names = json_array();

    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE) {
            json_array_append_new(names, json_string(arg->as.value->name));
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            json_array_append_new(names, arg->as.values[k] ? json_string(arg->as.values[k]->name) : json_null());
        }
    }
    return names;
}

static json_t *list_nodes(const struct rl_graph *graph, json_t *counts)
{
    json_t *list = json_array();

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const struct rl_op *op = rl_op_get(node->op);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", node->name, "op", op->name,
                                              "overload", op->overload, "inputs", input_names(node), "outputs",
                                              list_values(node->results, node->result_count), "layer",
                                              node->layer ? json_string(node->layer) : json_null()));
        rl_cli_count(counts, op->name);
    }
    return list;
}

// Compiles for the worst case of all cores with the samples in the model: sizes and reasons do not depend on the data.
// That the model cannot be compiled is part of the report; that this machine cannot do it is an error.
static enum rl_status add_compilation(struct rl_cli *cli, const char *path, const struct rl_input_shapes *shapes,
                                      json_t *report)
{
    struct rl_context context = rl_context_apart(&cli->context);
    struct rl_compile_options options = {.model = path, .shapes = *shapes};
    struct rl_compiled compiled;

    enum rl_status status = rl_target_parse(&context, "any", &options.target);
    if (status == RL_OK) {
        status = rl_compile(&context, cli->arena, &options, &compiled);
    }
    const bool is_cancelled = rl_check_cancelled(&cli->context) != RL_OK;
    if (status == RL_ERROR_OUT_OF_MEMORY || status == RL_ERROR_IO || is_cancelled) {
        return rl_fail(&cli->context, status, "%s", context.message);
    }
    if (status != RL_OK) {
        json_object_set_new(report, "compile_error", json_string(context.message));
        return RL_OK;
    }
    json_object_set_new(report, "lowered_ops", rl_cli_operator_counts(&compiled.emitted));
    json_object_set_new(report, "arena_bytes", json_integer((json_int_t)compiled.plan.sizes.arena_bytes));
    json_object_set_new(report, "memory_map", rl_cli_memory_map(&compiled.plan));
    json_object_set_new(report, "fp32_nodes", rl_cli_float_nodes(compiled.graph));
    json_object_set_new(report, "fp32_groups", rl_cli_float_groups(compiled.graph));
    json_object_set_new(report, "quantizer", rl_cli_quantizer_json(compiled.quantizer_report));
    return RL_OK;
}

json_t *rl_cli_inspect_pt2(struct rl_cli *cli, const char *path, const struct rl_input_shapes *shapes)
{
    struct rl_graph *graph;
    json_t *counts = json_object();

    if (rl_pt2_read(&cli->context, cli->arena, path, shapes, &graph) != RL_OK) {
        json_decref(counts);
        return NULL;
    }
    json_t *report =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "file", path, "format", "pt2", "inputs",
                  list_values(graph->inputs, graph->input_count), "outputs",
                  list_values(graph->outputs, graph->output_count), "nodes", list_nodes(graph, counts), "ops", counts);
    json_object_set_new(report, "tensors", list_constants(graph));
    json_object_set_new(report, "states", list_values(graph->inputs + graph->input_count, graph->state_count));
    if (add_compilation(cli, path, shapes, report) != RL_OK) {
        json_decref(report);
        return NULL;
    }
    return report;
}
