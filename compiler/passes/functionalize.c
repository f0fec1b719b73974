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

#include <string.h>

#include "compiler/passes/rewrite.h"

enum { LONGEST_NAME = 64 };

// The in-place form of an operator has its name and an underscore, and the same arguments.
static bool functional_form(enum rl_op_id op, enum rl_op_id *functional)
{
    const struct rl_op *in_place = rl_op_get(op);
    const size_t length = strlen(in_place->name);
    char name[LONGEST_NAME];
    if (in_place->name[length - 1] != '_' || length > sizeof name) {
        return false;
    }
    memcpy(name, in_place->name, length - 1);
    name[length - 1] = '\0';
    return rl_op_find(name, in_place->overload, functional) &&
           rl_op_get(*functional)->arg_count == in_place->arg_count;
}

// Whether the result may share memory with the first argument.
static bool is_view(enum rl_op_id op)
{
    static const char *const names[] = {
        "alias",        "alpha_dropout",    "as_strided",      "chunk",    "contiguous", "detach",  "dropout",
        "expand",       "expand_as",        "feature_dropout", "flatten",  "lift_fresh", "movedim", "narrow",
        "numpy_T",      "permute",          "ravel",           "reshape",  "reshape_as", "select",  "slice",
        "split",        "split_with_sizes", "squeeze",         "swapaxes", "swapdims",   "t",       "to",
        "transpose",    "unbind",           "unflatten",       "unfold",   "unsqueeze",  "view",    "view_as",
        "_unsafe_view",
    };
    const char *name = rl_op_get(op)->name;
    if (strncmp(name, "aten::", 6) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name + 6, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const struct rl_value *memory_of(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && is_view(value->producer->op) &&
           value->producer->args[0].kind == RL_ARG_VALUE) {
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

// Uses the new value instead of the changed one in all that follows `node`; whether no other name of its
// memory is used there. Values made after it from the changed one are made from the new one thereby, so
// whatever still names the old memory was made before.
static bool redirect_later_uses(struct rl_graph *graph, struct rl_node *node, struct rl_value *changed)
{
    struct rl_value *result = node->results[0];
    bool alone = true;
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
            alone = alone && !arg_names_memory_of(arg, changed);
        }
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i] == changed) {
            graph->outputs[i] = result;
        }
        alone = alone && !other_name_of(graph->outputs[i], changed);
    }
    return alone;
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
        const bool changes_elements = !is_view(functional);
        if (!redirect_later_uses(graph, node, changed) && changes_elements) {
            return rl_fail(
                context, RL_ERROR_UNSUPPORTED,
                "%s: node '%s' (%s): expected that nothing else uses the memory of '%s' afterwards, found "
                "another view of it; accepted: the functional form, as torch.export's "
                "program.run_decompositions() "
                "writes it",
                graph->source, node->name, in_place_name, changed->name);
        }
    }
    return RL_OK;
}
