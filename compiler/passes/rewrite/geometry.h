// SPDX-License-Identifier: Apache-2.0
//
// The sizes of integer convolutions and pools as the kernels take them.
#ifndef RL_COMPILER_PASSES_REWRITE_GEOMETRY_H
#define RL_COMPILER_PASSES_REWRITE_GEOMETRY_H

#include "compiler/ir/graph.h"
#include "rushlight/kernels/convolution.h"

// The sizes of a convolution, in NHWC.
struct rl_geometry {
    struct rl_image input, filter, output;
    struct rl_extent stride, padding, dilation;
};

// Checks that the tensors of a convolution or a pool have rank 4, and that their sizes stay within the range of the
// kernels' formulas. The functions below need this. RL_ERROR_TYPE and RL_ERROR_UNSUPPORTED come with a message.
enum rl_status rl_geometry_check(struct rl_context *context, const struct rl_graph *graph, const struct rl_node *node);

// Whether the node is a convolution with transformed weights (rl_convolution_transform_winograd).
bool rl_is_winograd(const struct rl_node *node);

// The sizes of a convolution. Transformed filters have the size of those for which they stand.
struct rl_geometry rl_geometry_of(const struct rl_node *node);

// The sizes of an image that `node` takes or gives.
struct rl_image rl_geometry_image(const struct rl_node *node, const struct rl_tensor_type *type);

// The layer of a convolution that is not depthwise, without its weights, bias, scales and offsets. It is not prepared.
struct rl_convolution rl_geometry_convolution(const struct rl_node *node);

// Whether a PReLU behind a convolution of float images without groups pays as one operator with it, once both are
// integers, in a program for every core (rl_convolution_prelu_pays).
bool rl_geometry_prelu_pays(const struct rl_node *node);

#endif
