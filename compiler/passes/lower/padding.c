// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower/padding.h"

#include "compiler/passes/rewrite/rewrite.h"

static bool is_amount(int64_t number)
{
    return number >= 0 && number <= INT16_MAX;
}

bool rl_pad_edges(const struct rl_node *pad, struct rl_edges *edges)
{
    const struct rl_arg *list = rl_node_arg(pad, "pad"); // the last dimension first
    int64_t all[8] = {0};
    if (list->count > 8) {
        return false;
    }
    for (int i = 0; i < list->count; i++) {
        all[i] = list->as.integers[i];
        if (!is_amount(all[i]) || (i >= 4 && all[i] != 0)) {
            return false;
        }
    }
    *edges = (struct rl_edges){.left = all[0], .right = all[1], .top = all[2], .bottom = all[3]};
    return true;
}

bool rl_take_padding(struct rl_graph *graph, struct rl_node *convolution, const struct rl_node *pad,
                     const struct rl_edges *edges)
{
    int64_t padding[2];
    if (!rl_node_ints(convolution, "padding", 2, 0, padding) || !is_amount(padding[0]) || !is_amount(padding[1])) {
        return false;
    }
    padding[0] += edges->top;
    padding[1] += edges->left;
    rl_node_set(convolution, "padding", rl_arg_ints(graph->arena, padding, 2));
    rl_node_set(convolution, "input", pad->args[0]);
    return true;
}
