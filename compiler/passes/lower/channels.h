// SPDX-License-Identifier: Apache-2.0
//
// The channels of the values of a graph of integer operators, for drop_channels.
//
// Values of one group have the same channels: what an operator that works channel by channel takes and gives, such as
// a depthwise convolution, a pool or an addition. A channel is kept or dropped in all values of a group.
#ifndef RL_COMPILER_PASSES_LOWER_CHANNELS_H
#define RL_COMPILER_PASSES_LOWER_CHANNELS_H

#include "compiler/passes/pass.h"

enum { RL_CHANNEL_VARIES = INT32_MIN };

struct rl_channels {
    struct rl_value *value;
    int axis;      // the dimension of the channels
    int64_t inner; // neighbours along the axis that belong to one channel: pixels of an image that was flattened
    int64_t count; // of channels
    bool is_known; // the node that computes the value has another role than PINNED
    int parent;    // the next value on the way to the one that stands for the group; itself for that one

    // For each channel the integer that all its elements have at run time, or RL_CHANNEL_VARIES.
    int32_t *constants;

    // Of the value that stands for the group:
    bool is_pinned;     // every channel stays
    bool *is_needed;    // by channel: its values reach an output
    int64_t *kept;      // the channels that stay, ascending
    int64_t kept_count; // `count` when nothing is dropped
};

struct rl_channel_map {
    struct rl_graph *graph;
    struct rl_channels *items; // by the mark of the value
    int count;
};

// Finds the groups. The marks of the values belong to the map while it is used.
void rl_channel_map_new(struct rl_graph *graph, struct rl_channel_map *map);

struct rl_channels *rl_channels_of(const struct rl_channel_map *map, const struct rl_value *value);
struct rl_channels *rl_channel_group(const struct rl_channel_map *map, const struct rl_value *value);

// How a node treats channels.
enum rl_channel_role {
    RL_CHANNELS_PINNED,  // in a way that is not known
    RL_CHANNELS_SHARED,  // channel by channel: operands and result are of one group
    RL_CHANNELS_WEIGHED, // each channel of the result is a sum over those of the input: another group
};

enum rl_channel_role rl_channel_role(const struct rl_channel_map *map, const struct rl_node *node);

// Whether a node is a minimum or maximum with one integer for all channels.
bool rl_channel_bound(const struct rl_node *node, int8_t *bound);

// Whether a PReLU has a factor for each channel.
bool rl_prelu_has_channels(const struct rl_node *node);

// The operands with channels of a node of the role SHARED; returns their number, 1 or 2.
int rl_channel_operands(const struct rl_node *node, struct rl_value *operands[2]);

// A layer with weights: a convolution, also depthwise or of int16, or a linear layer. Weights are
// [outputs][positions][inputs], those of a depthwise convolution [positions][outputs].
struct rl_channel_layer {
    struct rl_node *node;
    const struct rl_value *input, *weights; // the weights are a row-major constant
    bool is_depthwise, is_linear;
    bool is_wide;                       // of int16, with sums of 64 bits
    int64_t outputs, positions, inputs; // `inputs` of a linear layer are its columns
    int64_t inner;                      // columns of one channel
    int64_t weight_offset;
    const int32_t *bias;      // one for each output, or NULL
    const int64_t *wide_bias; // the same of a wide layer
    int64_t input_offset;     // 0 if it is a part of the bias
};

// False for nodes that are not such a layer, or whose weights are not constants.
bool rl_channel_layer(const struct rl_channel_map *map, struct rl_node *node, struct rl_channel_layer *layer);

// What the sum of an output starts with.
int64_t rl_channel_bias(const struct rl_channel_layer *layer, int64_t output);

// Whether a sum stays exact in the kernels.
bool rl_channel_sum_fits(const struct rl_channel_layer *layer, int64_t sum);

// What each unit of the input adds to a sum: over all positions, the weights of an output for an input, less their zero
// point. Of a depthwise convolution the input is not read.
int64_t rl_channel_weight_sum(const struct rl_channel_layer *layer, int64_t output, int64_t input);

// Whether any of them is not 0.
bool rl_channel_is_weighed(const struct rl_channel_layer *layer, int64_t output, int64_t input);

// Whether what an input adds to the sums is the same at each place if all its elements are `constant`: no window
// reaches the padding, or the padding has the same value.
bool rl_channel_adds_constant(const struct rl_channel_layer *layer, int32_t constant);

// Whether the windows of a convolution or a pool reach beyond the image.
bool rl_channel_reaches_padding(const struct rl_node *node, int64_t kernel_height, int64_t kernel_width);

// Whether all constant inputs of a layer can become a part of its biases: sums fit with any combination of them.
bool rl_channel_constants_fit(const struct rl_channel_map *map, const struct rl_channel_layer *layer);

// Finds the channels that are constant at run time.
void rl_channel_constants(struct rl_channel_map *map);

// Drops the channels that no group keeps, and makes the constant ones among them a part of biases.
void rl_channels_drop(struct rl_channel_map *map);

#endif
