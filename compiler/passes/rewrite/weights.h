// SPDX-License-Identifier: Apache-2.0
//
// Matches the weights and the bias of a layer in a quantized graph, and sets what an integer operator takes from them.
#ifndef RL_COMPILER_PASSES_REWRITE_WEIGHTS_H
#define RL_COMPILER_PASSES_REWRITE_WEIGHTS_H

#include "compiler/passes/rewrite/match.h"

// int8 weights: a constant behind a dequantize node.
struct rl_weights {
    const struct rl_value *value; // int8
    int axis;                     // the dimension of output channels
    int64_t channels;             // its size
    int64_t stride;               // how many weights of a channel follow each other in the order of the sizes
    const double *scales;         // one per channel
    const int64_t *zero_points;   // one per channel; NULL: all are 0, the weights are symmetric
    bool per_channel;             // whether the graph has a scale per channel
};

// Symmetric weights. Without a match the node gets the reason.
bool rl_match_weights(struct rl_graph *graph, struct rl_node *node, const char *argument,
                      struct rl_weights *weights); // output channels in dimension 0
bool rl_match_channel_weights(struct rl_graph *graph, struct rl_node *node, const char *argument, int axis,
                              struct rl_weights *weights); // ... in dimension `axis`

// The same for weights with any zero points from -128 to 127.
bool rl_match_shifted_weights(struct rl_graph *graph, struct rl_node *node, const char *argument, int axis,
                              struct rl_weights *weights);

// Weight `index` in the order of the sizes less its zero point, from -255 to 255, and its channel.
int64_t rl_weight(const struct rl_weights *weights, int64_t index);
int64_t rl_weight_channel(const struct rl_weights *weights, int64_t index);

// Whether all channels have the same scale and zero point.
bool rl_weights_have_one_grid(const struct rl_weights *weights);

// The bias as int32 on the grids input_scale * weights->scales[c], in *bias; NULL when there is none. False, and a
// reason, when it is not constant.
bool rl_match_bias(struct rl_graph *graph, struct rl_node *node, double input_scale, const struct rl_weights *weights,
                   const struct rl_value **bias);

// The bias as real numbers, one for each of `channels` output channels; zeros when there is none. False when it is not
// constant.
bool rl_read_bias(struct rl_graph *graph, const struct rl_node *node, int64_t channels, double *values);

// An int32 constant called STEM_SUFFIX. The data must outlive the graph.
struct rl_value *rl_int32_vector(struct rl_graph *graph, const char *stem, const char *suffix, const int32_t *data,
                                 int64_t count);

// Sets the arguments requantize_multipliers and requantize_shifts of a layer, constants with one for each output
// channel.
void rl_set_scales(struct rl_graph *graph, struct rl_node *lowered, const struct rl_match *match,
                   const struct rl_weights *weights);

// The same, and the offsets and the activation range of a convolution in place of the matched nodes.
void rl_set_requantization(struct rl_graph *graph, struct rl_node *lowered, const struct rl_match *match,
                           const struct rl_weights *weights);

#endif
