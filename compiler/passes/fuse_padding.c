// SPDX-License-Identifier: Apache-2.0
//
// fuse_padding: a pad with zeros in front of a convolution becomes its padding.
//   needs   canonical operators; pads not yet on int8 values (lower_data_movement)
//   keeps   names and values
//   breaks  nothing
//
// The kernels pad with the input's zero point, which stands for 0, by equal amounts at both ends. In a
// quantized graph a quantize and a dequantize node stand between the two; where they use the grid of the
// pad's own input, they go as well.
#include "compiler/passes/passes.h"

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite.h"

// The pad behind the input of a convolution; NULL when there is none.
static const struct rl_node *pad_behind(const struct rl_value *value)
{
    struct rl_grid after;
    struct rl_grid between;
    struct rl_grid before;
    const struct rl_value *quantized = rl_int8_behind(value, &after);
    if (quantized != NULL && quantized->kind == RL_VALUE_RESULT &&
        rl_is_quantize(quantized->producer, &between) && rl_grid_equal(&after, &between)) {
        value = rl_node_tensor(quantized->producer, "input");
    }
    if (value->kind != RL_VALUE_RESULT || value->producer->op != RL_OP_aten_constant_pad_nd) {
        return NULL;
    }
    const struct rl_node *pad = value->producer;
    const bool same_grid =
        quantized == NULL ||
        (rl_int8_behind(rl_node_tensor(pad, "self"), &before) != NULL && rl_grid_equal(&before, &after));
    return same_grid ? pad : NULL;
}

static bool is_amount(int64_t number)
{
    return number >= 0 && number <= INT32_MAX;
}

// Amounts at the top and the left, if those at the bottom and the right are the same and nothing else is
// padded.
static bool symmetric_amounts(const struct rl_node *pad, int64_t amounts[2])
{
    const struct rl_arg *list = rl_node_arg(pad, "pad");
    int64_t all[8] = {0};
    if (list->count > 8 || rl_node_number(pad, "value") != 0.0) {
        return false;
    }
    for (int i = 0; i < list->count; i++) {
        all[i] = list->as.integers[i];
    }
    if (all[0] != all[1] || all[2] != all[3] || !is_amount(all[0]) || !is_amount(all[2]) || all[4] != 0 ||
        all[5] != 0 || all[6] != 0 || all[7] != 0) {
        return false;
    }
    amounts[0] = all[2];
    amounts[1] = all[0];
    return true;
}

static bool fuse(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    struct rl_value *input = rl_node_tensor(node, "input");
    int64_t padding[2];
    int64_t amounts[2];
    const struct rl_node *pad = input->type.rank == 4 ? pad_behind(input) : NULL;
    if (pad == NULL || !symmetric_amounts(pad, amounts) || !rl_node_ints(node, "padding", 2, 0, padding) ||
        !is_amount(padding[0]) || !is_amount(padding[1])) {
        return false;
    }
    padding[0] += amounts[0];
    padding[1] += amounts[1];
    rl_node_set(node, "padding", rl_arg_ints(graph->arena, padding, 2));
    rl_node_set(node, "input", pad->args[0]);
    return true;
}

enum rl_status rl_pass_fuse_padding(struct rl_context *context, struct rl_graph *graph,
                                    const struct rl_target *target)
{
    (void)context;
    rl_lower_each(graph, target, RL_OP_aten_conv2d, fuse);
    return RL_OK;
}
