// SPDX-License-Identifier: Apache-2.0
//
// Checks that several operators share. All of them report through rl_call_refuse and do nothing once a call has failed.
#ifndef RL_RUNTIME_OPERATORS_OPERATOR_H
#define RL_RUNTIME_OPERATORS_OPERATOR_H

#include "runtime/operators/prototypes.h"
#include "runtime/reason.h"
#include "rushlight/operator.h"

// Dimension orders: 0, 1, 2, 3, ... for tensors of any rank, and 0, 2, 3, 1 for images.
extern const uint8_t rl_order_contiguous[RL_TENSOR_MAX_RANK];
extern const uint8_t rl_order_channels_last[4];

// True when the tensor's memory is in `order` (as many entries as dimensions); dimensions of size 1 do not matter.
bool rl_is_ordered(const struct rl_tensor *tensor, const uint8_t *order);

// True when both have the same sizes and the same order in memory: element k of one belongs to element k of the other.
bool rl_same_layout(const struct rl_tensor *left, const struct rl_tensor *right);

// rl_expect without a message, for callers that need less code rather than speed.
void rl_expect_silently(struct rl_call *call, bool condition, uint32_t argument);

// Refuses the call unless the condition holds. The error names `argument`.
static inline void rl_expect(struct rl_call *call, bool condition, uint32_t argument, const char *message)
{
    if (!RL_MESSAGES) {
        rl_expect_silently(call, condition, argument);
    } else if (!condition) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, message);
    }
}

// rl_expect with the data from which the condition follows (enum rl_reason). With RL_BY_TYPES it must not depend on any
// size or number, nor on a branch that was taken because of one.
void rl_refuse_by(struct rl_call *call, uint32_t argument, enum rl_reason reason, const char *message);

static inline void rl_expect_by(struct rl_call *call, enum rl_reason reason, bool condition, uint32_t argument,
                                const char *message)
{
    if (!condition) {
        rl_refuse_by(call, argument, reason, RL_MESSAGES ? message : NULL);
    }
}

// Refuses a tensor because of its element type, which the message names.
void rl_refuse_type(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor);

// Refuses a tensor of another rank, if rank is not negative.
static inline void rl_expect_rank(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, int rank)
{
    rl_expect_by(call, RL_BY_TYPES, rank < 0 || tensor->rank == rank, argument,
                 "a tensor has another rank than the operator takes");
}

// Refuses a tensor of another element type or, if rank is not negative, of another rank.
void rl_expect_type(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, enum rl_scalar_type dtype,
                    int rank);

// Refuses a tensor whose element type is not that of another one.
void rl_expect_same_type(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor,
                         const struct rl_tensor *other);

// rl_expect_type for int8 elements, which must be contiguous.
void rl_expect_contiguous(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, int rank);

// Refuses an output that shares memory with an input.
void rl_expect_disjoint(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *output,
                        const struct rl_tensor *input);

// The same for operators that compute element by element: output and input may also be the same memory.
void rl_expect_aligned(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *output,
                       const struct rl_tensor *input);

// Gives an output the sizes of another tensor: rl_call_resize.
static inline void rl_resize_like(struct rl_call *call, uint32_t output_argument, struct rl_tensor *output,
                                  const struct rl_tensor *other)
{
    rl_call_resize(call, output_argument, output, other->rank, other->sizes);
}

// Reads an integer within lowest..highest. Returns `lowest` after a refusal, so that the caller may go on with it.
static inline int32_t rl_bounded_int(struct rl_call *call, uint32_t argument, int32_t lowest, int32_t highest)
{
    return rl_call_bounded(call, argument, lowest, highest);
}

// Reads a list of exactly `count` ints, each within lowest..highest.
void rl_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t count, int32_t lowest,
                     int32_t highest);

#endif
