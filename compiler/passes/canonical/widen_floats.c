// SPDX-License-Identifier: Apache-2.0
//
// widen_floats: what is float16 or bfloat16 becomes float32.
//   needs   nothing
//   keeps   values: float32 holds every number of both, and rounds less on the way
//   breaks  the types of inputs and outputs, which are float32 then
//
// PyTorch computes with both in float32 and rounds each result. Quantization knows only the float32 form: its scales,
// the conversions around integer operators, and calibration data.
#include "compiler/ir/elements.h"
#include "compiler/passes/passes.h"

static bool is_narrow(int64_t dtype)
{
    return dtype == RL_FLOAT16 || dtype == RL_BFLOAT16;
}

static enum rl_status widen_constant(struct rl_pass *pass, struct rl_value *value)
{
    const int64_t count = rl_tensor_numel(&value->type);
    float *data = rl_arena_array(pass->arena, (size_t)count, sizeof *data);
    int64_t bad;
    if (!rl_convert_elements(value->type.dtype, value->data, RL_FLOAT32, data, count, &bad)) {
        return rl_fail(pass->context, RL_ERROR_INTERNAL, "%s: constant '%s': element %lld is not a float32",
                       pass->graph->source, value->name, (long long)bad);
    }
    value->type.dtype = RL_FLOAT32;
    value->data = data;
    return RL_OK;
}

static void widen_type(struct rl_value *value)
{
    if (is_narrow(value->type.dtype)) {
        value->type.dtype = RL_FLOAT32;
    }
}

// Results, and arguments that name a type.
static void widen_node(struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    for (int i = 0; i < node->result_count; i++) {
        widen_type(node->results[i]);
    }
    for (int i = 0; i < node->arg_count; i++) {
        struct rl_arg *arg = &node->args[i];
        if (op->args[i].type == RL_TYPE_DTYPE && arg->kind == RL_ARG_INT && is_narrow(arg->as.integer)) {
            *arg = rl_arg_int(RL_FLOAT32);
        }
    }
}

enum rl_status rl_pass_widen_floats(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    for (int i = 0; i < graph->input_count; i++) {
        widen_type(graph->inputs[i]);
    }
    for (int i = graph->input_count; i < rl_graph_source_count(graph); i++) {
        struct rl_value *state = graph->inputs[i];
        const enum rl_status status = is_narrow(state->type.dtype) ? widen_constant(pass, state) : RL_OK;
        if (status != RL_OK) {
            return status;
        }
    }
    for (struct rl_value *value = graph->constants; value; value = value->next) {
        const enum rl_status status = is_narrow(value->type.dtype) ? widen_constant(pass, value) : RL_OK;
        if (status != RL_OK) {
            return status;
        }
    }
    for (struct rl_node *node = graph->first; node; node = node->next) {
        widen_node(node);
    }
    return RL_OK;
}
