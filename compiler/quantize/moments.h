// SPDX-License-Identifier: Apache-2.0
//
// What the inputs of a layer with weights have to do with each other: the second moments of what one place of the
// output is made of.
#ifndef RL_COMPILER_QUANTIZE_MOMENTS_H
#define RL_COMPILER_QUANTIZE_MOMENTS_H

#include "compiler/data/dataset.h"
#include "compiler/ir/graph.h"

// The inputs of a place, in the order of a channel's weights, are cut into blocks; moments are those within a block.
struct rl_moments {
    const struct rl_node *node; // a convolution of images that is not transposed, or a layer of products of rows
    int64_t kernel[2], stride[2], padding[2], dilation[2], groups;
    int64_t taps;          // inputs of a place in one group: [channels][kernel rows][kernel columns]
    int64_t block, blocks; // inputs in a block, except for the last one, and blocks of a group
    int64_t wanted;        // places that are looked at of each sample
    int64_t rows;          // places seen
    double *sums;          // [groups][taps]: of each input
    float *products;       // [groups][blocks]: of pairs of inputs of a block (rl_moments_row)
};

// Of the products of `input` with `weight`, a constant of the node: a convolution, a linear or a recurrent layer. False
// for other layers, and for weights that do not lie row-major.
bool rl_moments_read(const struct rl_node *node, const struct rl_value *input, const struct rl_value *weight,
                     struct rl_moments *moments);

// Multiplications for one place.
double rl_moments_cost(const struct rl_moments *moments);

// Allocates the sums, of rl_moments_bytes, to look at `wanted` places of each sample.
void rl_moments_start(struct rl_moments *moments, struct rl_arena *arena, int64_t wanted);

size_t rl_moments_bytes(const struct rl_moments *moments);

// A row of the products of a block: element k is that of inputs `row` and k of the block, for k from `row` on.
const float *rl_moments_row(const struct rl_moments *moments, int64_t group, int64_t block, int64_t row);

// Gives back the sums, once nobody reads them any more.
void rl_moments_end(const struct rl_moments *moments, struct rl_arena *arena);

// Floats of work space that rl_moments_add needs.
size_t rl_moments_work(const struct rl_moments *moments);

// Adds the layer's input on a sample: `data` is stored as `type` says.
void rl_moments_add(struct rl_moments *moments, const struct rl_tensor_type *type, const float *data, float *work);

#endif
