// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/layout/layout_choice.h"

#include <string.h>

#include "compiler/passes/layout/layout.h"
#include "compiler/passes/rewrite/rewrite.h"

// Operators in a row that are searched for a user that needs a certain order. The number of paths doubles with some of
// them.
enum { DEEPEST = 8 };

// What the call of one more copy costs, in bytes that a copy moves meanwhile.
enum { COPY_CALL = 64 };

static bool is_in_list(const struct rl_arg *arg, const struct rl_value *value)
{
    for (int i = 0; arg->kind == RL_ARG_VALUES && i < arg->count; i++) {
        if (arg->as.values[i] == value) {
            return true;
        }
    }
    return false;
}

static bool uses(const struct rl_node *node, const struct rl_value *value)
{
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if ((arg->kind == RL_ARG_VALUE && arg->as.value == value) || is_in_list(arg, value)) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct rl_layout_ends *ends, const struct rl_value *value,
                      const struct rl_tensor_type *type, int depth);

static bool is_result_wanted(const struct rl_layout_ends *ends, const struct rl_node *node,
                             const struct rl_tensor_type *type, int depth)
{
    struct rl_tensor_type result = node->results[0]->type;
    if (result.rank != type->rank) {
        return false;
    }
    memcpy(result.order, type->order, sizeof result.order);
    return is_wanted(ends, node->results[0], &result, depth);
}

static bool wants(const struct rl_layout_ends *ends, const struct rl_node *node, const struct rl_tensor_type *type,
                  int depth)
{
    const struct rl_tensor_type last = rl_type_channels_last(*type);
    struct rl_tensor_type viewed = node->results[0]->type;
    // ExecuTorch's kernels of the others take row-major order.
    const bool takes_any = ends->flow != RL_FLOW_EXECUTORCH;
    switch (rl_op_get(node->op)->layout) {
    case RL_LAYOUT_ROW_MAJOR:
        return rl_tensor_is_contiguous(type);
    case RL_LAYOUT_CHANNELS_LAST:
        return type->rank == 4 && rl_tensor_same_layout(&last, type);
    case RL_LAYOUT_IMAGE:
        if (type->rank == 4 && rl_tensor_same_layout(&last, type)) {
            return true;
        }
        return rl_tensor_is_contiguous(type) && (type->rank != 4 || is_result_wanted(ends, node, type, depth));
    case RL_LAYOUT_FOLLOW:
        return is_result_wanted(ends, node, type, depth);
    case RL_LAYOUT_PART:
    case RL_LAYOUT_LIST:
    case RL_LAYOUT_PAIR:
        return takes_any && is_result_wanted(ends, node, type, depth);
    case RL_LAYOUT_VIEW:
        return takes_any && rl_type_viewed_in_place(type, &viewed) && is_wanted(ends, node->results[0], &viewed, depth);
    case RL_LAYOUT_PERMUTE:
        return false;
    }
    return false;
}

static bool is_wanted(const struct rl_layout_ends *ends, const struct rl_value *value,
                      const struct rl_tensor_type *type, int depth)
{
    for (int i = 0; i < rl_graph_target_count(ends->graph); i++) {
        if (ends->graph->outputs[i] == value && rl_tensor_same_layout(&ends->outputs[i], type)) {
            return true;
        }
    }
    for (const struct rl_node *node = ends->graph->first; node && depth < DEEPEST; node = node->next) {
        if (uses(node, value) && wants(ends, node, type, depth + 1)) {
            return true;
        }
    }
    return false;
}

bool rl_layout_is_wanted(const struct rl_layout_ends *ends, const struct rl_value *value,
                         const struct rl_tensor_type *type)
{
    return is_wanted(ends, value, type, 0);
}

// ---- concatenations

static int64_t copied_bytes(const struct rl_tensor_type *type)
{
    return (int64_t)rl_tensor_bytes(type) + COPY_CALL;
}

// What is copied if the operands and the result have the order of `type`.
static int64_t cost_of_list(const struct rl_layout_ends *ends, const struct rl_node *node,
                            const struct rl_tensor_type *type, const struct rl_tensor_type *others, int other_count)
{
    int64_t cost = 0;
    for (int i = 0; i < node->args[0].count; i++) {
        const struct rl_value *value = node->args[0].as.values[i];
        struct rl_tensor_type wanted = value->type;
        memcpy(wanted.order, type->order, sizeof wanted.order);
        if (value->kind != RL_VALUE_CONSTANT && !rl_tensor_same_layout(&value->type, &wanted)) {
            cost += copied_bytes(&wanted);
        }
    }
    for (int i = 0; i < other_count; i++) {
        if (!rl_tensor_same_layout(&others[i], type) && rl_layout_is_wanted(ends, node->results[0], &others[i])) {
            cost += copied_bytes(type);
        }
    }
    return cost;
}

struct rl_tensor_type rl_layout_of_list(const struct rl_layout_ends *ends, const struct rl_node *node)
{
    const struct rl_arg *list = &node->args[0];
    const struct rl_tensor_type row_major = rl_type_contiguous(node->results[0]->type);
    struct rl_tensor_type choices[2] = {row_major, row_major};
    for (int i = 0; i < list->count; i++) {
        const struct rl_tensor_type *type = &list->as.values[i]->type;
        if (type->rank != row_major.rank) {
            return row_major;
        }
        if (!rl_tensor_is_contiguous(type)) {
            memcpy(choices[1].order, type->order, sizeof choices[1].order);
        }
    }
    const int64_t turned = cost_of_list(ends, node, &choices[1], choices, 2);
    return turned < cost_of_list(ends, node, &choices[0], choices, 2) ? choices[1] : choices[0];
}

// ---- parts

// The bytes that are copied because the result has another order than its users want.
static int64_t cost_of_result(const struct rl_layout_ends *ends, const struct rl_value *result,
                              const struct rl_tensor_type *wanted)
{
    return rl_layout_is_wanted(ends, result, wanted) ? copied_bytes(wanted) : 0;
}

struct rl_tensor_type rl_layout_of_part(const struct rl_layout_ends *ends, const struct rl_node *node)
{
    const struct rl_value *whole = node->args[0].as.value, *part = node->results[0];
    const struct rl_tensor_type row_major = rl_type_contiguous(whole->type);
    struct rl_tensor_type parts[2] = {rl_type_contiguous(part->type), part->type};
    memcpy(parts[1].order, whole->type.order, sizeof parts[1].order);
    if (rl_tensor_same_layout(&parts[0], &parts[1])) {
        return whole->type;
    }
    const int64_t copy = rl_existing_copy(ends->graph, node, whole, &row_major) ? 0 : copied_bytes(&row_major);
    return copy + cost_of_result(ends, part, &parts[1]) < cost_of_result(ends, part, &parts[0]) ? row_major
                                                                                                : whole->type;
}

// ---- states

// The order with the channels last. False for states that stay as they are.
static bool turn_last(struct rl_tensor_type *type)
{
    static const uint8_t sequence[3] = {0, 2, 1};
    if (type->dtype != RL_INT8 && type->dtype != RL_INT16) {
        return false;
    }
    if (type->rank == 3) {
        memcpy(type->order, sequence, sizeof sequence);
    } else if (type->rank == 4) {
        *type = rl_type_channels_last(*type);
    }
    return !rl_tensor_is_contiguous(type);
}

void rl_lay_states(const struct rl_layout_ends *ends)
{
    struct rl_graph *graph = ends->graph;
    const int count = ends->flow == RL_FLOW_EXECUTORCH ? 0 : graph->state_count;
    for (int i = 0; i < count; i++) {
        struct rl_value *state = graph->inputs[graph->input_count + i];
        struct rl_tensor_type *next = &ends->outputs[graph->output_count + i];
        struct rl_tensor_type last = state->type;
        if (!turn_last(&last)) {
            continue;
        }
        // The next value does not count, because it will have the order that is chosen here.
        const bool is_wanted_last = rl_layout_is_wanted(ends, state, &last);
        *next = last;
        if (is_wanted_last && !rl_layout_is_wanted(ends, state, &state->type)) {
            state->data = rl_constant_in_layout(graph, state, &last)->data;
            state->type = last;
        } else {
            *next = state->type;
        }
    }
}
