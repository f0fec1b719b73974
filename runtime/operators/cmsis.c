// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/cmsis.h"

#include <stddef.h>

cmsis_nn_dims rl_image_dims(const struct rl_tensor *tensor, const uint8_t *order)
{
    const int32_t *sizes = tensor->sizes;
    return (cmsis_nn_dims){
        .n = sizes[order[0]], .h = sizes[order[1]], .w = sizes[order[2]], .c = sizes[order[3]]};
}

void rl_expect_image(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor,
                     const uint8_t *order)
{
    rl_expect_type(call, argument, tensor, RL_INT8, 4);
    if (call->status == RL_OK)
        rl_expect(call, rl_is_ordered(tensor, order), argument, "a tensor is not channels-last in memory");
}

cmsis_nn_tile rl_call_tile(struct rl_call *call, uint32_t argument, int32_t lowest)
{
    int32_t items[2];
    rl_bounded_ints(call, argument, items, 2, lowest, RL_MAX_WINDOW);
    return (cmsis_nn_tile){.h = items[0], .w = items[1]};
}

cmsis_nn_activation rl_call_activation(struct rl_call *call, uint32_t minimum_argument,
                                       uint32_t maximum_argument)
{
    cmsis_nn_activation activation;
    activation.min = rl_bounded_int(call, minimum_argument, INT8_MIN, INT8_MAX);
    activation.max = rl_bounded_int(call, maximum_argument, activation.min, INT8_MAX);
    return activation;
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

cmsis_nn_per_tensor_quant_params rl_call_scale(struct rl_call *call, uint32_t multiplier_argument,
                                               uint32_t shift_argument)
{
    cmsis_nn_per_tensor_quant_params scale;
    scale.multiplier = rl_call_int32(call, multiplier_argument);
    scale.shift = rl_call_int32(call, shift_argument);
    rl_expect(call, is_scale(scale.multiplier, scale.shift), shift_argument,
              "a scale is outside -31..30 bits");
    return scale;
}

static bool are_scales(const int32_t *multipliers, const int32_t *shifts, int32_t count)
{
    // Usual shifts plus 31 have five bits and multipliers are positive: then the bits of all tell in one go.
    uint32_t shift_bits = 0, multiplier_bits = 0;
    for (int32_t i = 0; i < count; i++) {
        shift_bits |= (uint32_t)shifts[i] + 31;
        multiplier_bits |= (uint32_t)multipliers[i];
    }
    if (shift_bits < 32 && multiplier_bits <= INT32_MAX)
        return true;
    for (int32_t i = 0; i < count; i++) {
        if (!is_scale(multipliers[i], shifts[i]))
            return false;
    }
    return true;
}

const int32_t *rl_call_per_channel(struct rl_call *call, uint32_t argument, int32_t count)
{
    struct rl_tensor tensor;
    rl_call_tensor(call, argument, &tensor);
    if (!tensor.constant)
        call->keeps = false; // its elements, which callers check, may be others next time
    rl_expect_type(call, argument, &tensor, RL_INT32, -1);
    rl_expect(call, tensor.bytes / sizeof(int32_t) == (uint32_t)count, argument,
              "a tensor does not have one element per output channel");
    return tensor.data;
}

cmsis_nn_per_channel_quant_params rl_call_channel_scales(struct rl_call *call, uint32_t multiplier_argument,
                                                         uint32_t shift_argument, int32_t count)
{
    const int32_t *multipliers = rl_call_per_channel(call, multiplier_argument, count);
    const int32_t *shifts = rl_call_per_channel(call, shift_argument, count);
    rl_expect(call, call->status != RL_OK || are_scales(multipliers, shifts, count), shift_argument,
              "a scale is outside -31..30 bits");
    return (cmsis_nn_per_channel_quant_params){(int32_t *)(uintptr_t)multipliers,
                                               (int32_t *)(uintptr_t)shifts};
}

const int32_t *rl_call_bias(struct rl_call *call, uint32_t argument, int32_t count)
{
    if (rl_call_kind(call, argument) == RL_PTE_NULL)
        return NULL;
    return rl_call_per_channel(call, argument, count);
}

void rl_expect_work(struct rl_call *call, uint32_t argument, const int64_t *factors, uint32_t count)
{
    int64_t product = 1;
    for (uint32_t i = 0; i < count && product <= INT32_MAX; i++)
        product = factors[i] <= INT32_MAX ? product * factors[i] : factors[i];
    rl_expect(call, product <= INT32_MAX, argument, "the kernel would need too large a work space");
}

cmsis_nn_context rl_call_scratch(struct rl_call *call, uint32_t argument, int32_t least)
{
    // Kernels refuse NULL where they announce something. None of them does anything with one byte.
    static const uint8_t nothing;
    struct rl_tensor tensor;
    rl_call_output(call, argument, &tensor);
    rl_expect(call, least >= 0, argument, "the kernel does not support this shape");
    if (call->status == RL_OK && tensor.bytes < (uint32_t)least)
        rl_call_refuse(call, argument, RL_ERROR_MEMORY,
                       "the work space is too small: the program was made for another core");
    rl_expect(call, (uintptr_t)tensor.data % 4 == 0 || tensor.bytes == 0, argument,
              "the work space is not aligned");
    if (tensor.bytes == 0)
        return (cmsis_nn_context){.buf = (void *)(uintptr_t)&nothing, .size = 1};
    return (cmsis_nn_context){.buf = tensor.data, .size = (int32_t)tensor.bytes};
}

enum rl_status rl_kernel_result(struct rl_call *call, arm_cmsis_nn_status status)
{
    if (status == ARM_CMSIS_NN_SUCCESS)
        return RL_OK;
    return rl_call_refuse(call, 0, RL_ERROR_KERNEL,
                          status == ARM_CMSIS_NN_NO_IMPL_ERROR ? "the kernel does not support these arguments"
                                                               : "the kernel refused its arguments");
}
