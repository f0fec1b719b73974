// SPDX-License-Identifier: Apache-2.0
//
// resolve_padding: convolutions padded by a word become convolutions padded by numbers.
//   needs   nothing
//   keeps   names and values
//   breaks  nothing
//
// padding="valid" is 0. padding="same" pads dilation * (kernel - 1) in sum, half of it before. If the sum is odd, a
// constant_pad_nd adds one more element behind (PyTorch's rule).
#include "compiler/passes/passes.h"

#include <stdint.h>
#include <string.h>

#include "compiler/passes/rewrite/rewrite.h"

enum { MAX_SPATIAL = 3 };

// The padding before each spatial dimension, and how much more lies behind it.
struct padding {
    int count;
    int64_t before[MAX_SPATIAL], extra[MAX_SPATIAL];
};

static bool find_padding(const struct rl_node *node, struct padding *padding)
{
    const struct rl_tensor_type *weight = &rl_node_tensor(node, "weight")->type;
    const char *word = rl_node_arg(node, "padding")->as.string;
    int64_t dilation[MAX_SPATIAL];
    padding->count = weight->rank - 2;
    if (padding->count < 1 || padding->count > MAX_SPATIAL ||
        rl_node_tensor(node, "input")->type.rank < padding->count ||
        !rl_node_ints(node, "dilation", padding->count, 1, dilation)) {
        return false;
    }
    const bool same = strcmp(word, "same") == 0;
    for (int i = 0; i < padding->count; i++) {
        const int64_t reach = weight->sizes[2 + i] - 1;
        if (reach < 0 || reach > INT32_MAX || dilation[i] < 1 || dilation[i] > INT32_MAX) {
            return false;
        }
        const int64_t sum = same ? dilation[i] * reach : 0;
        padding->before[i] = sum / 2;
        padding->extra[i] = sum - 2 * padding->before[i];
    }
    return same || strcmp(word, "valid") == 0;
}

// The input of the convolution with the extra elements behind it; the input itself when there are none.
static struct rl_value *pad_input(struct rl_graph *graph, struct rl_node *node, const struct padding *padding)
{
    struct rl_value *input = rl_node_tensor(node, "input");
    struct rl_tensor_type type = input->type;
    int64_t pad[2 * MAX_SPATIAL] = {0}; // from the last dimension on, before and behind
    bool any = false;
    for (int i = 0; i < padding->count; i++) {
        const int64_t extra = padding->extra[padding->count - 1 - i];
        pad[2 * i + 1] = extra;
        type.sizes[type.rank - 1 - i] += extra;
        any = any || extra > 0;
    }
    if (!any) {
        return input;
    }
    struct rl_node *padded = rl_insert_before(graph, node, RL_OP_aten_constant_pad_nd, "padded", node, &type);
    rl_node_set(padded, "self", rl_arg_value(input));
    rl_node_set(padded, "pad", rl_arg_ints(graph->arena, pad, 2 * padding->count));
    rl_node_set(padded, "value", rl_arg_int(0));
    return padded->results[0];
}

// The operators for one to three dimensions, padded by a word and by numbers.
static const enum rl_op_id worded[MAX_SPATIAL] = {RL_OP_aten_conv1d_padding, RL_OP_aten_conv2d_padding,
                                                  RL_OP_aten_conv3d_padding};
static const enum rl_op_id numbered[MAX_SPATIAL] = {RL_OP_aten_conv1d, RL_OP_aten_conv2d, RL_OP_aten_conv3d};

static void resolve(struct rl_graph *graph, struct rl_node *node, const struct padding *padding)
{
    static const char *const kept[] = {"weight", "bias", "stride", "dilation", "groups"};
    enum { KEPT_COUNT = sizeof kept / sizeof kept[0] };
    struct rl_arg args[KEPT_COUNT];
    for (int i = 0; i < KEPT_COUNT; i++) {
        args[i] = *rl_node_arg(node, kept[i]);
    }
    struct rl_value *input = pad_input(graph, node, padding);
    rl_node_become(graph, node, numbered[padding->count - 1]);
    rl_node_set(node, "input", rl_arg_value(input));
    for (int i = 0; i < KEPT_COUNT; i++) {
        rl_node_set(node, kept[i], args[i]);
    }
    rl_node_set(node, "padding", rl_arg_ints(graph->arena, padding->before, padding->count));
}

enum rl_status rl_pass_resolve_padding(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    for (struct rl_node *node = graph->first; node; node = node->next) {
        int dims = MAX_SPATIAL;
        while (dims > 0 && node->op != worded[dims - 1]) {
            dims--;
        }
        if (dims == 0) {
            continue;
        }
        struct padding padding;
        if (!find_padding(node, &padding) || padding.count != dims) {
            return rl_fail(pass->context, RL_ERROR_FORMAT,
                           "%s: node '%s' (%s): expected a weight of rank %d, dilations and padding \"same\" or "
                           "\"valid\", found others",
                           graph->source, node->name, rl_op_get(node->op)->name, dims + 2);
        }
        resolve(graph, node, &padding);
    }
    return RL_OK;
}
