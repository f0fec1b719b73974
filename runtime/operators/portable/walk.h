// SPDX-License-Identifier: Apache-2.0
//
// Walks several tensors in step, whatever their layouts: the outer dimensions one after the other, the innermost one
// left to the operator as a loop over `count` elements.
//
//     struct rl_walk walk;
//     rl_walk_start(&walk, &output, strides of each operand);
//     do {
//         for (uint32_t i = 0; i < walk.count; i++)
//             output[walk.offset[0] + i * walk.step[0]] = f(input[walk.offset[1] + i * walk.step[1]]);
//     } while (rl_walk_next(&walk));
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_WALK_H
#define RL_RUNTIME_OPERATORS_PORTABLE_WALK_H

#include "runtime/operators/operator.h"

enum { RL_WALK_OPERANDS = 5 };

struct rl_walk {
    uint32_t count;                    // elements of the innermost loop
    uint32_t step[RL_WALK_OPERANDS];   // distance of its elements in each operand
    uint32_t offset[RL_WALK_OPERANDS]; // of its first element
    uint32_t rank;                     // outer dimensions
    uint32_t size[RL_TENSOR_MAX_RANK]; // of each, from the outermost
    uint32_t index[RL_TENSOR_MAX_RANK];
    uint32_t stride[RL_WALK_OPERANDS][RL_TENSOR_MAX_RANK];
};

// Starts a walk over the dimensions of `shape` in the order of its memory; dimensions that follow each other in every
// operand become one. `strides` has one row per operand: the distance of neighbours along each logical dimension of
// `shape` (0 where an operand repeats). False when there is no element to visit.
bool rl_walk_start(struct rl_walk *walk, const struct rl_tensor *shape, uint32_t operands,
                   const uint32_t strides[][RL_TENSOR_MAX_RANK]);

// False when the walk is over.
bool rl_walk_next(struct rl_walk *walk);

// Offset of the element with number `position`, counted in logical order, of a tensor of this shape.
size_t rl_offset_at(const struct rl_tensor *shape, const uint32_t *strides, uint32_t position);

// Copies elements of 1, 2, 4 or 8 bytes along a walk over `shape`: strides[0] leads through `to`, strides[1] through
// `from`.
void rl_walk_copy(const struct rl_tensor *shape, uint8_t *to, const uint8_t *from,
                  const uint32_t strides[2][RL_TENSOR_MAX_RANK]);

// Strides of `tensor` along the dimensions of `shape`, aligned at the last one as PyTorch broadcasts; dimensions of
// size 1 that repeat get 0. False when the shapes do not go together.
bool rl_broadcast_strides(const struct rl_tensor *tensor, const struct rl_tensor *shape,
                          uint32_t strides[RL_TENSOR_MAX_RANK]);

// Fills an output with a tensor of its element type, which repeats where the output's sizes say so. The output must
// have its sizes.
enum rl_status rl_copy_expanded(struct rl_call *call, uint32_t input_argument, uint32_t output_argument);

#endif
