// SPDX-License-Identifier: Apache-2.0
//
// What fuse_padding and fuse_uneven_padding do alike: a pad in front of a convolution becomes its padding.
#ifndef RL_COMPILER_PASSES_LOWER_PADDING_H
#define RL_COMPILER_PASSES_LOWER_PADDING_H

#include "compiler/ir/graph.h"

struct rl_edges {
    int64_t top, bottom, left, right;
};

// The amounts of a constant_pad_nd of images; false when it pads other dimensions too, crops, or pads by more than
// 32767.
bool rl_pad_edges(const struct rl_node *pad, struct rl_edges *edges);

// The convolution takes the pad's input and pads it by as much more at the top and on the left, from which its output's
// size says how much is missing at the other ends. False, and nothing changes, when its own padding is not understood.
bool rl_take_padding(struct rl_graph *graph, struct rl_node *convolution, const struct rl_node *pad,
                     const struct rl_edges *edges);

#endif
