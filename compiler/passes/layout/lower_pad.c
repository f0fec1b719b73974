// SPDX-License-Identifier: Apache-2.0
//
// lower_pad: pads of int8 values become cortex_m::pad.
//   needs   layouts (assign_layout), because the operator counts dimensions in the order of memory
//   keeps   names and values
//   breaks  nothing
#include "compiler/passes/passes.h"

#include "compiler/passes/layout/layout.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { PAD_DIMS = 4 };

static bool only_adds(const struct rl_arg *pad)
{
    for (int i = 0; i < pad->count; i++) {
        if (pad->as.integers[i] < 0 || pad->as.integers[i] > INT32_MAX) {
            return false;
        }
    }
    return true;
}

// The model itself may pad integers, with any number.
static bool is_int8(double value)
{
    return value >= INT8_MIN && value <= INT8_MAX && value == (double)(int)value;
}

static bool lower_pad(const struct rl_pass *pass, struct rl_node *node)
{
    static const int channels_last[PAD_DIMS] = {0, 2, 3, 1};
    struct rl_graph *graph = pass->graph;
    const struct rl_arg input = node->args[0];
    const struct rl_tensor_type *type = &input.as.value->type;
    const struct rl_arg *pad = rl_node_arg(node, "pad");
    const double value = rl_node_number(node, "value");
    if (type->dtype != RL_INT8 || type->rank > PAD_DIMS || pad->count > 2 * type->rank || !only_adds(pad) ||
        !is_int8(value)) {
        return false;
    }
    const bool last = rl_type_reads_channels_last(type);
    int64_t pre[PAD_DIMS] = {0};
    int64_t post[PAD_DIMS] = {0};
    for (int i = 0; i < type->rank; i++) {
        const int dim = last ? channels_last[i] : i;
        const int pair = type->rank - 1 - dim; // PyTorch lists the last dimension first
        if (2 * pair + 1 < pad->count) {
            pre[PAD_DIMS - type->rank + i] = pad->as.integers[2 * pair];
            post[PAD_DIMS - type->rank + i] = pad->as.integers[2 * pair + 1];
        }
    }
    rl_node_become(graph, node, RL_OP_cm_pad);
    rl_node_set(node, "input", input);
    rl_node_set(node, "pre_pad", rl_arg_ints(graph->arena, pre, PAD_DIMS));
    rl_node_set(node, "post_pad", rl_arg_ints(graph->arena, post, PAD_DIMS));
    rl_node_set(node, "pad_value", rl_arg_int((int64_t)value));
    return true;
}

enum rl_status rl_pass_lower_pad(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_constant_pad_nd, lower_pad);
    return RL_OK;
}
