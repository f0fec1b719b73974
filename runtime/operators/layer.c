// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/layer.h"

#include <stddef.h>

static void expect_image(struct rl_call *call, uint32_t argument, const uint8_t *order, const struct rl_tensor *tensor,
                         struct rl_image *image)
{
    rl_expect_type(call, argument, tensor, RL_INT8, 4);
    rl_read_image(call, argument, order, tensor, image);
}

void rl_read_image(struct rl_call *call, uint32_t argument, const uint8_t *order, const struct rl_tensor *tensor,
                   struct rl_image *image)
{
    if (call->status != RL_OK) {
        return;
    }
    rl_expect(call, rl_is_ordered(tensor, order), argument, "a tensor is not channels-last in memory");
    const int32_t *sizes = tensor->sizes;
    *image = (struct rl_image){.n = sizes[order[0]], .h = sizes[order[1]], .w = sizes[order[2]], .c = sizes[order[3]]};
}

void rl_call_image(struct rl_call *call, uint32_t argument, const uint8_t *order, struct rl_tensor *tensor,
                   struct rl_image *image)
{
    rl_call_tensor(call, argument, tensor);
    expect_image(call, argument, order, tensor, image);
}

void rl_call_output_image(struct rl_call *call, uint32_t argument, const uint8_t *order, struct rl_tensor *tensor,
                          struct rl_image *image)
{
    rl_call_output(call, argument, tensor);
    expect_image(call, argument, order, tensor, image);
}

void rl_call_extent(struct rl_call *call, uint32_t argument, int32_t lowest, struct rl_extent *extent)
{
    int32_t items[2];
    rl_bounded_ints(call, argument, items, 2, lowest, RL_MAX_WINDOW);
    *extent = (struct rl_extent){.h = items[0], .w = items[1]};
}

void rl_call_range(struct rl_call *call, uint32_t minimum_argument, uint32_t maximum_argument, struct rl_range *range)
{
    range->min = rl_bounded_int(call, minimum_argument, INT8_MIN, INT8_MAX);
    range->max = rl_bounded_int(call, maximum_argument, range->min, INT8_MAX);
}

int32_t rl_call_input_offset(struct rl_call *call, uint32_t argument)
{
    return rl_bounded_int(call, argument, -INT8_MAX, -INT8_MIN);
}

int32_t rl_call_zero_point(struct rl_call *call, uint32_t argument)
{
    return rl_bounded_int(call, argument, INT8_MIN, INT8_MAX);
}

static bool is_scale(int32_t multiplier, int32_t shift)
{
    return multiplier > INT32_MIN && shift >= -31 && shift <= 30;
}

void rl_call_scale(struct rl_call *call, uint32_t argument, struct rl_scale *scale)
{
    scale->multiplier = rl_call_int32(call, argument);
    scale->shift = rl_call_int32(call, argument + 1);
    rl_expect(call, is_scale(scale->multiplier, scale->shift), argument + 1, "a scale is outside -31..30 bits");
}

static bool are_scales(const int32_t *multipliers, const int32_t *shifts, int32_t count)
{
    // Usual shifts plus 31 have five bits, and multipliers are positive, so the OR of all shows whether all are usual.
    uint32_t shift_bits = 0, multiplier_bits = 0;
    for (int32_t i = 0; i < count; i++) {
        shift_bits |= (uint32_t)shifts[i] + 31;
        multiplier_bits |= (uint32_t)multipliers[i];
    }
    if (shift_bits < 32 && multiplier_bits <= INT32_MAX) {
        return true;
    }
    for (int32_t i = 0; i < count; i++) {
        if (!is_scale(multipliers[i], shifts[i])) {
            return false;
        }
    }
    return true;
}

// int32 tensor of `count` elements, which are still read when results are written.
static const int32_t *read_per_channel(struct rl_call *call, uint32_t argument, int32_t count,
                                       const struct rl_tensor *output)
{
    struct rl_tensor tensor;
    rl_call_tensor(call, argument, &tensor);
    if (!tensor.constant) {
        call->keeps = false; // callers check its elements, which may change
        rl_expect_disjoint(call, argument, output, &tensor);
    }
    rl_expect_type(call, argument, &tensor, RL_INT32, -1);
    rl_expect(call, tensor.bytes / sizeof(int32_t) == (uint32_t)count, argument,
              "a tensor does not have one element per output channel");
    return tensor.data;
}

void rl_call_scales(struct rl_call *call, uint32_t argument, int32_t count, const struct rl_tensor *output,
                    struct rl_scales *scales)
{
    const int32_t *multipliers = read_per_channel(call, argument, count, output);
    const int32_t *shifts = read_per_channel(call, argument + 1, count, output);
    // While arguments are checked, only constants have memory.
    const bool are_known = call->keeps || !call->method->stand_in;
    rl_expect(call, call->status != RL_OK || !are_known || are_scales(multipliers, shifts, count), argument + 1,
              "a scale is outside -31..30 bits");
    *scales = (struct rl_scales){multipliers, shifts};
}

const int32_t *rl_call_bias(struct rl_call *call, uint32_t argument, int32_t count, const struct rl_tensor *output)
{
    if (rl_call_kind(call, argument) == RL_PTE_NULL) {
        return NULL;
    }
    return read_per_channel(call, argument, count, output);
}

void rl_expect_work(struct rl_call *call, uint32_t argument, uint32_t rows, uint32_t columns, uint32_t channels)
{
    uint64_t product = (uint64_t)rows * columns;
    if (product <= INT32_MAX) {
        product *= channels;
    }
    rl_expect(call, product <= INT32_MAX / 8, argument, "the kernel would need too large a work space");
}

void rl_call_scratch(struct rl_call *call, uint32_t argument, int32_t least, const struct rl_tensor *input,
                     const struct rl_tensor *output, struct rl_scratch *scratch)
{
    struct rl_tensor tensor;
    const bool empty = call->empty;
    rl_call_output(call, argument, &tensor);
    call->empty = empty; // is that of the output
    if (call->status == RL_OK && tensor.bytes < (uint32_t)least) {
        rl_call_refuse(call, argument, RL_ERROR_MEMORY,
                       "the work space is too small: the program was made for another core");
    }
    rl_expect(call, (uintptr_t)tensor.data % 4 == 0 || tensor.bytes == 0, argument, "the work space is not aligned");
    rl_expect_disjoint(call, argument, &tensor, input);
    rl_expect_disjoint(call, argument, &tensor, output);
    *scratch = (struct rl_scratch){tensor.data, (int32_t)tensor.bytes};
}

void rl_call_spare(const struct rl_call *call, struct rl_scratch *scratch)
{
    const struct rl_buffer *spare = &call->method->spare;
    if (spare->bytes > (uint32_t)scratch->bytes) {
        scratch->memory = spare->data;
        scratch->bytes = spare->bytes < INT32_MAX ? (int32_t)spare->bytes : INT32_MAX;
    }
}
