// SPDX-License-Identifier: Apache-2.0
//
// aten::constant_pad_nd, for any element type. Negative amounts crop.
#include <string.h>

#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, PAD, VALUE, OUTPUT };

// The part of the input that the output keeps, along each dimension.
struct kept {
    int32_t sizes[RL_TENSOR_MAX_RANK];
    uint32_t from[RL_TENSOR_MAX_RANK], to[RL_TENSOR_MAX_RANK]; // its start in input and output
};

// Reads the amounts before and after each dimension. The list of the call starts with the last dimension. `shape`
// becomes the padded one.
static void read_padding(struct rl_call *call, const struct rl_tensor *input, struct rl_shape *shape, struct kept *kept)
{
    int32_t items[2 * RL_TENSOR_MAX_RANK];
    uint32_t count = rl_call_bounded_ints(call, PAD, items, 2u * input->rank, -INT32_MAX, INT32_MAX);
    rl_expect(call, count % 2 == 0, PAD, "the list has an odd number of items");
    for (uint32_t i = 0; i < input->rank && call->status == RL_OK; i++) {
        uint32_t pair = 2 * (input->rank - 1 - i);
        int32_t front = pair < count ? items[pair] : 0, back = pair < count ? items[pair + 1] : 0;
        shape->sizes[i] = rl_size((int64_t)input->sizes[i] + front + back);
        kept->from[i] = front < 0 ? (uint32_t)-front : 0;
        kept->to[i] = front > 0 ? (uint32_t)front : 0;
        int64_t size = (int64_t)input->sizes[i] + (front < 0 ? front : 0) + (back < 0 ? back : 0);
        kept->sizes[i] = size > 0 ? (int32_t)size : 0;
    }
}

static void fill(const struct rl_tensor *output, union rl_number value)
{
    for (uint32_t i = 0; i < rl_tensor_count(output); i++) {
        rl_store(output, i, 0, rl_is_real(output->dtype), &value, 1);
    }
}

enum rl_status RL_RUN(aten_constant_pad_nd)(struct rl_call *call)
{
    struct rl_tensor input, output;
    struct kept kept;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_numbers(call, OUTPUT, &output);
    rl_expect_same_type(call, OUTPUT, &output, &input);
    const union rl_number value = rl_call_scalar_as(call, VALUE, rl_is_real(output.dtype));
    struct rl_shape padded = rl_shape_of(&input);
    read_padding(call, &input, &padded, &kept);
    rl_resize(call, OUTPUT, &output, &padded);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    fill(&output, value);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    struct rl_tensor shape = input;
    shape.sizes = kept.sizes;
    size_t from = 0, to = 0;
    bool is_empty = false;
    for (uint32_t i = 0; i < input.rank; i++) {
        from += (size_t)kept.from[i] * strides[1][i];
        to += (size_t)kept.to[i] * strides[0][i];
        is_empty = is_empty || kept.sizes[i] == 0;
    }
    const size_t size = rl_scalar_size(output.dtype);
    if (!is_empty) {
        rl_walk_copy(&shape, (uint8_t *)output.data + to * size, (const uint8_t *)input.data + from * size,
                     (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return RL_OK;
}
