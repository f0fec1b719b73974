// SPDX-License-Identifier: Apache-2.0
//
// Results whose sizes follow from data: aten::nonzero, masked_select and repeat_interleave.
#include <string.h>

#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

static bool is_nonzero(const struct rl_tensor *tensor, size_t offset, bool real)
{
    const union rl_number number = rl_load_one(tensor, offset, real);
    return real ? number.real != 0 : number.integer != 0;
}

static uint32_t count_nonzero(const struct rl_tensor *tensor)
{
    const bool real = rl_is_real(tensor->dtype);
    uint32_t found = 0;
    for (uint32_t i = 0; i < rl_tensor_count(tensor); i++) {
        found += is_nonzero(tensor, i, real);
    }
    return found;
}

// ---- nonzero: the coordinates of each element that is not zero, in logical order

// The next coordinates; false after the last ones.
static bool advance(const struct rl_tensor *tensor, int32_t at[RL_TENSOR_MAX_RANK])
{
    for (uint32_t i = tensor->rank; i-- > 0;) {
        if (++at[i] < tensor->sizes[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static void write_coordinates(const struct rl_tensor *input, const struct rl_tensor *output)
{
    uint32_t from[RL_TENSOR_MAX_RANK], to[RL_TENSOR_MAX_RANK], row = 0;
    int32_t at[RL_TENSOR_MAX_RANK] = {0};
    const bool real = rl_is_real(input->dtype);
    rl_tensor_element_strides(input, from);
    rl_tensor_element_strides(output, to);
    do {
        size_t offset = 0;
        for (uint32_t i = 0; i < input->rank; i++) {
            offset += (size_t)at[i] * from[i];
        }
        if (!is_nonzero(input, offset, real)) {
            continue;
        }
        for (uint32_t i = 0; i < input->rank; i++) {
            ((int64_t *)output->data)[(size_t)row * to[0] + (size_t)i * to[1]] = at[i];
        }
        row++;
    } while (advance(input, at));
}

enum rl_status RL_RUN(aten_nonzero)(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_numbers(call, INPUT, &input);
    rl_expect_type(call, OUTPUT, &output, RL_INT64, 2);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    const struct rl_shape shape = {.sizes = {rl_size(count_nonzero(&input)), input.rank}, .rank = 2};
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    if (call->status == RL_OK && output.bytes > 0) {
        write_coordinates(&input, &output);
    }
    return call->status;
}

// ---- masked_select: the elements where the mask is true, both broadcast, in logical order

// Walks both in step; `places` is their common shape, strides[0] leads through the mask and strides[1] through the
// input.
static void select_elements(const struct rl_tensor *places, const struct rl_tensor *mask, const struct rl_tensor *input,
                            uint8_t *output, const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    const size_t size = rl_scalar_size(input->dtype);
    if (!rl_walk_start(&walk, places, 2, strides)) {
        return;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            if (((const uint8_t *)mask->data)[walk.offset[0] + (size_t)i * walk.step[0]] == 0) {
                continue;
            }
            const size_t from = walk.offset[1] + (size_t)i * walk.step[1];
            memcpy(output, (const uint8_t *)input->data + from * size, size);
            output += size;
        }
    } while (rl_walk_next(&walk));
}

// The number of true elements of the mask, times how often each is repeated among the places.
static int32_t count_selected(const struct rl_shape *places, const struct rl_tensor *mask)
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < places->rank && all <= UINT32_MAX; i++) {
        all *= (uint32_t)places->sizes[i];
    }
    if (all == 0 || mask->bytes == 0) {
        return 0;
    }
    const uint64_t selected = all / rl_tensor_count(mask) * count_nonzero(mask);
    return all > INT32_MAX ? -1 : rl_size((int64_t)selected);
}

enum rl_status RL_RUN(aten_masked_select)(struct rl_call *call)
{
    enum { INPUT, MASK, OUTPUT };
    struct rl_tensor input, mask, output;
    struct rl_shape places = {.rank = 0};
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, MASK, &mask);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, MASK, &mask, RL_BOOL, -1);
    rl_expect_type(call, OUTPUT, &output, input.dtype, 1);
    rl_expect(call, rl_shape_broadcast(&places, &input) && rl_shape_broadcast(&places, &mask), MASK,
              "input and mask do not broadcast");
    if (!rl_call_ready(call)) {
        return call->status;
    }
    const struct rl_shape selected = {.sizes = {count_selected(&places, &mask)}, .rank = 1};
    rl_resize(call, OUTPUT, &output, &selected);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    rl_expect_disjoint(call, OUTPUT, &output, &mask);
    const struct rl_tensor shape = {
        .sizes = places.sizes, .rank = (uint8_t)places.rank, .dim_order = rl_order_contiguous};
    rl_broadcast_strides(&mask, &shape, strides[0]);
    rl_broadcast_strides(&input, &shape, strides[1]);
    if (call->status == RL_OK && output.bytes > 0) {
        select_elements(&shape, &mask, &input, output.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}

// ---- repeat_interleave: index i, repeated repeats[i] times

static int64_t repeats_at(const struct rl_tensor *repeats, uint32_t index)
{
    return rl_load_one(repeats, index, false).integer;
}

// The sum of the repeats; -1 if it is too large or a number is negative.
static int32_t sum_repeats(const struct rl_tensor *repeats)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < rl_tensor_count(repeats); i++) {
        const int64_t count = repeats_at(repeats, i);
        if (count < 0 || count > INT32_MAX - sum) {
            return -1;
        }
        sum += count;
    }
    return (int32_t)sum;
}

enum rl_status RL_RUN(aten_repeat_interleave)(struct rl_call *call)
{
    enum { REPEATS, OUTPUT_SIZE, OUTPUT };
    struct rl_tensor repeats, output;
    rl_call_tensor(call, REPEATS, &repeats);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_indices(call, REPEATS, &repeats);
    rl_expect_type(call, REPEATS, &repeats, repeats.dtype, 1);
    rl_expect_type(call, OUTPUT, &output, repeats.dtype, 1);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    const struct rl_shape shape = {.sizes = {sum_repeats(&repeats)}, .rank = 1};
    rl_expect(call, shape.sizes[0] >= 0, REPEATS, "a number of repeats is negative, or there are too many");
    rl_expect(call, rl_call_kind(call, OUTPUT_SIZE) == RL_PTE_NULL || rl_call_int(call, OUTPUT_SIZE) == shape.sizes[0],
              OUTPUT_SIZE, "the repeats have another sum");
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect_disjoint(call, OUTPUT, &output, &repeats);
    uint32_t next = 0;
    for (uint32_t i = 0; call->status == RL_OK && i < rl_tensor_count(&repeats); i++) {
        const union rl_number index = {.integer = i};
        for (int64_t k = repeats_at(&repeats, i); k > 0; k--) {
            rl_store(&output, next++, 0, false, &index, 1);
        }
    }
    return call->status;
}
