// SPDX-License-Identifier: Apache-2.0
//
// refuse_types: element types that no operator of the runtime takes end the compilation here, by the name of
// the model's node, not when the program is run.
//   needs   the operators that the program will call; runs after lower_portable
//   keeps   the graph as it is
//   breaks  nothing; fails on float64, unless the program is for ExecuTorch's runtime, which has it
#include "compiler/passes/passes.h"

#include "compiler/targets/target.h"

static const struct rl_value *double_of(const struct rl_node *node)
{
    for (int i = 0; i < node->result_count; i++) {
        if (node->results[i]->type.dtype == RL_FLOAT64) {
            return node->results[i];
        }
    }
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            if (arg->as.values[k] != NULL && arg->as.values[k]->type.dtype == RL_FLOAT64) {
                return arg->as.values[k];
            }
        }
        if (arg->kind == RL_ARG_VALUE && arg->as.value->type.dtype == RL_FLOAT64) {
            return arg->as.value;
        }
    }
    return NULL;
}

enum rl_status rl_pass_refuse_types(struct rl_context *context, struct rl_graph *graph,
                                    const struct rl_target *target)
{
    if (target->flow == RL_FLOW_EXECUTORCH) {
        return RL_OK;
    }
    for (const struct rl_node *node = graph->first; node != NULL; node = node->next) {
        const struct rl_value *found = double_of(node);
        if (found != NULL) {
            return rl_fail(context, RL_ERROR_UNSUPPORTED,
                           "%s: node '%s' (%s): '%s' is float64; accepted: float32, float16, bfloat16, "
                           "integers and bool (export the model after .float(), without .double())",
                           graph->source, node->origin != NULL ? node->origin : node->name,
                           rl_op_get(node->op)->name, found->name);
        }
    }
    return RL_OK;
}
