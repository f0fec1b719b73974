// SPDX-License-Identifier: Apache-2.0
//
// The steps that fuse_padding and fuse_uneven_padding share: a pad in front of a convolution becomes its padding.
#ifndef RL_COMPILER_PASSES_LOWER_PADDING_H
#define RL_COMPILER_PASSES_LOWER_PADDING_H

#include "compiler/ir/graph.h"

struct rl_edges {
    int64_t top, bottom, left, right;
};

// The amounts of a constant_pad_nd of images; false when it pads other dimensions too, crops, or pads by more than
// 32767.
bool rl_pad_edges(const struct rl_node *pad, struct rl_edges *edges);

// Gives the convolution the input of the pad, and adds the pad's amounts at the top and on the left to its padding. The
// amounts at the other ends follow from the size of its output. False, and nothing changes, if the convolution's own
// padding is not understood.
bool rl_take_padding(struct rl_graph *graph, struct rl_node *convolution, const struct rl_node *pad,
                     const struct rl_edges *edges);

#endif
