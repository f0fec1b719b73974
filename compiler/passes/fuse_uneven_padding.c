// SPDX-License-Identifier: Apache-2.0
//
// fuse_uneven_padding: a pad of int8 values in front of an integer convolution becomes its padding, also when
// the amounts at the two ends differ, as TensorFlow's SAME leaves them.
//   needs   integer convolutions (lower_conv); pads not yet in the order of memory (lower_pad)
//   keeps   names and values
//   breaks  nothing
//
// The operators' padding counts rows above and columns to the left. What hangs over at the other ends follows
// from the size of the output, and the kernels pad there, too: with the input's zero point. The 3x3 depthwise
// kernel of CMSIS-NN reaches one column further than symmetric padding would, and the kernels for filters of
// one row or one column count on symmetric padding, so that both are the limits here.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite.h"

struct edges {
    int64_t top, bottom, left, right;
};

// The amounts of a pad of the two innermost dimensions (PyTorch lists the last dimension first).
static bool read_edges(const struct rl_node *pad, struct edges *edges)
{
    const struct rl_arg *list = rl_node_arg(pad, "pad");
    int64_t all[8] = {0};
    if (list->count > 8) {
        return false;
    }
    for (int i = 0; i < list->count; i++) {
        all[i] = list->as.integers[i];
        if (all[i] < 0 || all[i] > INT16_MAX || (i >= 4 && all[i] != 0)) {
            return false;
        }
    }
    *edges = (struct edges){.left = all[0], .right = all[1], .top = all[2], .bottom = all[3]};
    return true;
}

static bool within_one(int64_t before, int64_t after)
{
    return after == before || after == before + 1;
}

// Height and width of the filter: [Cout, KH, KW, Cin] or, depthwise, [1, KH, KW, Cout].
static bool is_spread_out(const struct rl_node *node)
{
    const int64_t *sizes = rl_node_tensor(node, "weight")->type.sizes;
    return sizes[1] > 1 && sizes[2] > 1;
}

static bool fuse(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    const struct rl_value *input = rl_node_tensor(node, "input");
    int64_t padding[2];
    struct edges edges;
    if (input->kind != RL_VALUE_RESULT || input->producer->op != RL_OP_aten_constant_pad_nd ||
        rl_node_number(input->producer, "value") != (double)-rl_node_int(node, "input_offset") ||
        !read_edges(input->producer, &edges) || !rl_node_ints(node, "padding", 2, 0, padding)) {
        return false;
    }
    if (!is_spread_out(node) || !within_one(edges.top, edges.bottom) ||
        !within_one(edges.left, edges.right)) {
        return false;
    }
    padding[0] += edges.top;
    padding[1] += edges.left;
    rl_node_set(node, "padding", rl_arg_ints(graph->arena, padding, 2));
    rl_node_set(node, "input", input->producer->args[0]);
    return true;
}

enum rl_status rl_pass_fuse_uneven_padding(struct rl_context *context, struct rl_graph *graph,
                                           const struct rl_target *target)
{
    (void)context;
    rl_lower_each(graph, target, RL_OP_cm_quantized_conv2d, fuse);
    rl_lower_each(graph, target, RL_OP_cm_quantized_depthwise_conv2d, fuse);
    return RL_OK;
}
