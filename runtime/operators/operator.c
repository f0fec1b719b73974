// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/operator.h"

const uint8_t rl_order_contiguous[RL_TENSOR_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
const uint8_t rl_order_channels_last[4] = {0, 2, 3, 1};

void rl_expect_silently(struct rl_call *call, bool condition, uint32_t argument)
{
    if (!condition) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, NULL);
    }
}

void rl_refuse_by(struct rl_call *call, uint32_t argument, enum rl_reason reason, const char *message)
{
    if (call->status == RL_OK) {
        call->method->reason = (uint8_t)reason;
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, message);
}

bool rl_is_ordered(const struct rl_tensor *tensor, const uint8_t *order)
{
    const uint32_t rank = tensor->rank;
    for (uint32_t left = 0, right = 0; left < rank;) {
        const uint32_t expected = order[left], found = right < rank ? tensor->dim_order[right] : rank;
        if (expected == found) {
            left++;
            right++;
        } else if (tensor->sizes[expected] == 1) {
            left++;
        } else if (found != rank && tensor->sizes[found] == 1) {
            right++;
        } else {
            return false;
        }
    }
    return true;
}

static bool have_same_sizes(const struct rl_tensor *left, const struct rl_tensor *right)
{
    if (left->rank != right->rank) {
        return false;
    }
    for (uint32_t i = 0; i < left->rank; i++) {
        if (left->sizes[i] != right->sizes[i]) {
            return false;
        }
    }
    return true;
}

bool rl_same_layout(const struct rl_tensor *left, const struct rl_tensor *right)
{
    return have_same_sizes(left, right) && rl_is_ordered(left, right->dim_order);
}

// Messages have no values in them, so there is one for each type.
static const char *refusal_of(int dtype)
{
    switch (dtype) {
    case RL_UINT8:
        return "the operator takes no elements of uint8 here";
    case RL_INT8:
        return "the operator takes no elements of int8 here";
    case RL_INT16:
        return "the operator takes no elements of int16 here";
    case RL_INT32:
        return "the operator takes no elements of int32 here";
    case RL_INT64:
        return "the operator takes no elements of int64 here";
    case RL_FLOAT16:
        return "the operator takes no elements of float16 here";
    case RL_FLOAT32:
        return "the operator takes no elements of float32 here";
    case RL_FLOAT64:
        return "the operator takes no elements of float64 here";
    case RL_BFLOAT16:
        return "the operator takes no elements of bfloat16 here";
    case RL_BOOL:
        return "the operator takes no elements of bool here";
    default:
        return "the operator takes no elements of uint16, uint32 or uint64 here";
    }
}

void rl_refuse_type(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor)
{
    rl_refuse_by(call, argument, RL_BY_TYPES, RL_MESSAGES ? refusal_of(tensor->dtype) : NULL);
}

void rl_expect_type(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, enum rl_scalar_type dtype,
                    int rank)
{
    if (tensor->dtype != dtype) {
        rl_refuse_type(call, argument, tensor);
    }
    rl_expect_rank(call, argument, tensor, rank);
}

void rl_expect_same_type(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor,
                         const struct rl_tensor *other)
{
    rl_expect_by(call, RL_BY_TYPES, tensor->dtype == other->dtype, argument, "input and output differ in element type");
}

void rl_expect_contiguous(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, int rank)
{
    rl_expect_type(call, argument, tensor, RL_INT8, rank);
    if (call->status == RL_OK) {
        rl_expect(call, rl_is_ordered(tensor, rl_order_contiguous), argument, "a tensor is not contiguous");
    }
}

static bool overlap(const struct rl_tensor *left, const struct rl_tensor *right)
{
    uintptr_t a = (uintptr_t)left->data, b = (uintptr_t)right->data;
    return left->bytes > 0 && right->bytes > 0 && a < b + right->bytes && b < a + left->bytes;
}

void rl_expect_disjoint(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *output,
                        const struct rl_tensor *input)
{
    rl_expect_by(call, RL_BY_ADDRESSES, !overlap(output, input), output_argument,
                 "the output shares memory with an input");
}

void rl_expect_aligned(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *output,
                       const struct rl_tensor *input)
{
    bool same = output->data == input->data && output->bytes == input->bytes;
    rl_expect_by(call, RL_BY_ADDRESSES, same || !overlap(output, input), output_argument,
                 "the output overlaps an input in part");
}

void rl_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t count, int32_t lowest,
                     int32_t highest)
{
    uint32_t found = rl_call_bounded_ints(call, argument, items, count, lowest, highest);
    rl_expect(call, found == count, argument, "a list has another number of items than the operator takes");
}
