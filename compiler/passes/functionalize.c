// SPDX-License-Identifier: Apache-2.0
//
// functionalize: in-place operators become functional ones.
//   needs   nothing; runs first
//   keeps   names, layouts, values
//   breaks  nothing; fails on an in-place operator whose effect another name of the same memory would see
//
// `y = relu_(x)` changes x as well, so that later uses of x mean y. A second name of x's memory (a view of
// it) that is used later would have to change too; no such graph is known to come out of torch.export, so it
// is refused.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite.h"

static bool functional_form(enum rl_op_id op, enum rl_op_id *functional)
{
    static const struct {
        enum rl_op_id in_place, functional;
    } forms[] = {
        {RL_OP_aten_relu_, RL_OP_aten_relu},   {RL_OP_aten_hardtanh_, RL_OP_aten_hardtanh},
        {RL_OP_aten_clamp_, RL_OP_aten_clamp}, {RL_OP_aten_add_, RL_OP_aten_add},
        {RL_OP_aten_mul_, RL_OP_aten_mul},     {RL_OP_aten_detach_, RL_OP_aten_detach},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (forms[i].in_place == op) {
            *functional = forms[i].functional;
            return true;
        }
    }
    return false;
}

// Whether the result may share memory with the first argument.
static bool is_view(enum rl_op_id op)
{
    switch (op) {
    case RL_OP_aten_flatten:
    case RL_OP_aten_view:
    case RL_OP_aten_reshape:
    case RL_OP_aten_permute:
    case RL_OP_aten_transpose:
    case RL_OP_aten_unsqueeze:
    case RL_OP_aten_squeeze_dim:
    case RL_OP_aten_squeeze_dims:
    case RL_OP_aten_contiguous:
    case RL_OP_aten_alias:
    case RL_OP_aten_detach:
    case RL_OP_aten_dropout:
        return true;
    default:
        return false;
    }
}

static const struct rl_value *memory_of(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && is_view(value->producer->op)) {
        value = value->producer->args[0].as.value;
    }
    return value;
}

static bool other_name_of(const struct rl_value *used, const struct rl_value *changed)
{
    return used != NULL && used != changed && memory_of(used) == memory_of(changed);
}

static bool arg_names_memory_of(const struct rl_arg *arg, const struct rl_value *changed)
{
    if (arg->kind == RL_ARG_VALUE) {
        return other_name_of(arg->as.value, changed);
    }
    for (int i = 0; arg->kind == RL_ARG_VALUES && i < arg->count; i++) {
        if (other_name_of(arg->as.values[i], changed)) {
            return true;
        }
    }
    return false;
}

// Uses the new value instead of the changed one in all that follows `node`. Values made after it from the
// changed one are made from the new one thereby, so whatever still names the old memory was made before.
static bool redirect_later_uses(struct rl_graph *graph, struct rl_node *node, struct rl_value *changed)
{
    struct rl_value *result = node->results[0];
    for (struct rl_node *later = node->next; later != NULL; later = later->next) {
        for (int i = 0; i < later->arg_count; i++) {
            struct rl_arg *arg = &later->args[i];
            if (arg->kind == RL_ARG_VALUE && arg->as.value == changed) {
                arg->as.value = result;
            }
            for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
                if (arg->as.values[k] == changed) {
                    arg->as.values[k] = result;
                }
            }
            if (arg_names_memory_of(arg, changed)) {
                return false;
            }
        }
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i] == changed) {
            graph->outputs[i] = result;
        }
        if (other_name_of(graph->outputs[i], changed)) {
            return false;
        }
    }
    return true;
}

enum rl_status rl_pass_functionalize(struct rl_context *context, struct rl_graph *graph,
                                     const struct rl_target *target)
{
    (void)target;
    for (struct rl_node *node = graph->first; node != NULL; node = node->next) {
        enum rl_op_id functional;
        if (!functional_form(node->op, &functional)) {
            continue;
        }
        struct rl_value *changed = node->args[0].as.value;
        const char *in_place_name = rl_op_get(node->op)->name;
        node->op = functional;
        if (functional == RL_OP_aten_detach) {
            continue; // changes no element
        }
        if (!redirect_later_uses(graph, node, changed)) {
            return rl_fail(
                context, RL_ERROR_UNSUPPORTED,
                "%s: node '%s' (%s): expected that nothing else uses the memory of '%s' afterwards, found "
                "another view of it; accepted: the functional form",
                graph->source, node->name, in_place_name, changed->name);
        }
    }
    return RL_OK;
}
