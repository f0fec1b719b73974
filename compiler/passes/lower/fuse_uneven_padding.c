// SPDX-License-Identifier: Apache-2.0
//
// fuse_uneven_padding: a pad of int8 values in front of an integer convolution becomes its padding, also if the amounts
// at the two ends differ, as with TensorFlow's SAME.
//   needs   integer convolutions (lower_conv); pads not yet in the order of memory (lower_pad)
//   keeps   names and values
//   breaks  nothing
//
// The operators' padding gives the rows above and the columns to the left. The amounts at the other ends follow from
// the size of the output, and the kernels pad there, too, with the input's zero point. Two limits come from CMSIS-NN:
// its 3x3 depthwise kernel reaches at most one column further than symmetric padding would, and its kernels for filters
// of one row or one column expect symmetric padding.
#include "compiler/passes/passes.h"

#include "compiler/passes/lower/padding.h"
#include "compiler/passes/rewrite/rewrite.h"

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

static bool fuse(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    const struct rl_node *pad = input->kind == RL_VALUE_RESULT ? input->producer : NULL;
    struct rl_edges edges;
    if (!pad || pad->op != RL_OP_aten_constant_pad_nd ||
        rl_node_number(pad, "value") != (double)-rl_node_int(node, "input_offset") || !rl_pad_edges(pad, &edges)) {
        return false;
    }
    return is_spread_out(node) && within_one(edges.top, edges.bottom) && within_one(edges.left, edges.right) &&
           rl_take_padding(pass->graph, node, pad, &edges);
}

enum rl_status rl_pass_fuse_uneven_padding(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_cm_quantized_conv2d, fuse);
    rl_lower_each(pass, RL_OP_cm_quantized_depthwise_conv2d, fuse);
    rl_lower_each(pass, RL_OP_rl_quantized_conv2d_s16, fuse);
    rl_lower_each(pass, RL_OP_rl_quantized_conv2d_s8_s16, fuse);
    rl_lower_each(pass, RL_OP_rl_quantized_depthwise_conv2d_s16, fuse);
    return RL_OK;
}
