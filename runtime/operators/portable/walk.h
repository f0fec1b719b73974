// SPDX-License-Identifier: Apache-2.0
//
// Walks several tensors together, whatever their layouts. The walk takes the outer dimensions one after the other; the
// operator loops over the `count` elements of the innermost one.
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
#include "rushlight/kernels/data_movement.h"

enum { RL_WALK_OPERANDS = 5 };

struct rl_walk {
    uint32_t count;                    // elements of the innermost loop
    uint32_t step[RL_WALK_OPERANDS];   // distance of its elements in each operand
    uint32_t offset[RL_WALK_OPERANDS]; // offset of its first element in each operand
    uint32_t rank;                     // outer dimensions
    uint32_t size[RL_TENSOR_MAX_RANK]; // size of each, from the outermost
    uint32_t index[RL_TENSOR_MAX_RANK];
    uint32_t stride[RL_WALK_OPERANDS][RL_TENSOR_MAX_RANK];
};

// Starts a walk over the dimensions of `shape` in the order of its memory. Dimensions that are contiguous in every
// operand become one. `strides` has one row per operand: the distance of neighbours along each logical dimension of
// `shape` (0 where an operand repeats). False if there are no elements to visit.
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

// Copies of bytes that later runs of an instruction repeat.
enum { RL_COPIES_MOST = 4 };

struct rl_copies {
    uint32_t count;
    struct {
        struct rl_move move;
        const uint8_t *from;
        uint8_t *to;
    } items[RL_COPIES_MOST];
};

__extension__ _Static_assert(sizeof(struct rl_copies) <= RL_KEPT_MOST, "more than requirements count with");

// Adds what rl_walk_copy would do, if that is one move; false if it is more, or if there is no room.
bool rl_copies_add(struct rl_copies *copies, const struct rl_tensor *shape, uint8_t *to, const uint8_t *from,
                   const uint32_t strides[2][RL_TENSOR_MAX_RANK]);

void rl_copies_run(const struct rl_copies *copies);

// rl_walk_copy, which later runs find as call->kept, a struct rl_copies, if it is one move.
void rl_walk_copy_kept(struct rl_call *call, const struct rl_tensor *shape, uint8_t *to, const uint8_t *from,
                       const uint32_t strides[2][RL_TENSOR_MAX_RANK]);

// Strides of `tensor` along the dimensions of `shape`, aligned at the last one as PyTorch broadcasts; dimensions of
// size 1 that repeat get 0. False if the shapes do not match.
bool rl_broadcast_strides(const struct rl_tensor *tensor, const struct rl_tensor *shape,
                          uint32_t strides[RL_TENSOR_MAX_RANK]);

// Copies a tensor to an output of the same element type, and repeats it where the output is larger. The output must
// already have its sizes. Later runs repeat what call->kept says, a struct rl_copies.
enum rl_status rl_copy_expanded(struct rl_call *call, uint32_t input_argument, uint32_t output_argument);

#endif
