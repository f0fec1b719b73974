// SPDX-License-Identifier: Apache-2.0
//
// From tensors and arguments to the vocabulary of the kernels (rushlight/kernels/layer.h). The functions named
// rl_cmsis_ do the same for operators that still call the API of CMSIS-NN (kernels/cmsis_nn/include).
#ifndef RL_RUNTIME_OPERATORS_CMSIS_H
#define RL_RUNTIME_OPERATORS_CMSIS_H

#include "arm_nnfunctions.h"
#include "runtime/operators/operator.h"
#include "rushlight/kernels/layer.h"

enum { RL_MAX_WINDOW = 32767 }; // of kernel, stride, padding and dilation

// Images lie in memory as N, H, W, C. Most operators name their dimensions N, C, H, W, which then lie in
// rl_order_channels_last; those ending in _nhwc name them as they lie, which is rl_order_contiguous.
//
// Reads an int8 tensor of rank 4 in that order and its sizes, which are not set when it is refused.
void rl_call_image(struct rl_call *call, uint32_t argument, const uint8_t *order, struct rl_tensor *tensor,
                   struct rl_image *image);

// The same for a tensor that the operator writes.
void rl_call_output_image(struct rl_call *call, uint32_t argument, const uint8_t *order, struct rl_tensor *tensor,
                          struct rl_image *image);

// Pair of ints of a window: height, width.
void rl_call_extent(struct rl_call *call, uint32_t argument, int32_t lowest, struct rl_extent *extent);

// activation_min and activation_max, which must lie in int8 and be ordered.
void rl_call_range(struct rl_call *call, uint32_t minimum_argument, uint32_t maximum_argument, struct rl_range *range);

// An input offset (minus a zero point) and an output offset (a zero point).
int32_t rl_call_input_offset(struct rl_call *call, uint32_t argument);
int32_t rl_call_zero_point(struct rl_call *call, uint32_t argument);

// Multiplier and shift of one requantization; the shift is the argument after the multiplier.
void rl_call_scale(struct rl_call *call, uint32_t argument, struct rl_scale *scale);

// Multipliers, in the next argument shifts, of `count` channels, each in the range of the requantization.
void rl_call_scales(struct rl_call *call, uint32_t argument, int32_t count, struct rl_scales *scales);

// Optional int32 tensor of `count` elements; NULL when it is None.
const int32_t *rl_call_bias(struct rl_call *call, uint32_t argument, int32_t count);

// Refuses shapes whose work space a kernel could not tell in 32 bits: eight times the product of the three is at least
// the bytes that the kernel needs.
void rl_expect_work(struct rl_call *call, uint32_t argument, uint32_t rows, uint32_t columns, uint32_t channels);

// The work space, refused when it shares memory with the input or the output, or is smaller than `least` bytes: what
// the kernel cannot do without, which may be less than a plan gives it, because a program may have been made for
// another core.
void rl_call_scratch(struct rl_call *call, uint32_t argument, int32_t least, const struct rl_tensor *input,
                     const struct rl_tensor *output, struct rl_scratch *scratch);

// For kernels that may use more scratch than is planned: what is spare in the arena, where that is more.
void rl_call_spare(const struct rl_call *call, struct rl_scratch *scratch);

// Refuses the call when the kernel refused the layer.
static inline void rl_expect_prepared(struct rl_call *call, enum rl_status status)
{
    if (status != RL_OK) {
        rl_call_refuse(call, 0, RL_ERROR_KERNEL, "the kernel refused its arguments");
    }
}

// The same in CMSIS-NN's terms.
static inline void rl_cmsis_tile(struct rl_call *call, uint32_t argument, int32_t lowest, cmsis_nn_tile *tile)
{
    struct rl_extent extent;
    rl_call_extent(call, argument, lowest, &extent);
    *tile = (cmsis_nn_tile){.h = extent.h, .w = extent.w};
}

static inline void rl_cmsis_activation(struct rl_call *call, uint32_t minimum_argument, uint32_t maximum_argument,
                                       cmsis_nn_activation *activation)
{
    struct rl_range range;
    rl_call_range(call, minimum_argument, maximum_argument, &range);
    *activation = (cmsis_nn_activation){range.min, range.max};
}

static inline void rl_cmsis_scale(struct rl_call *call, uint32_t argument, cmsis_nn_per_tensor_quant_params *params)
{
    struct rl_scale scale;
    rl_call_scale(call, argument, &scale);
    *params = (cmsis_nn_per_tensor_quant_params){scale.multiplier, scale.shift};
}

static inline cmsis_nn_dims rl_cmsis_dims(struct rl_image image)
{
    return (cmsis_nn_dims){image.n, image.h, image.w, image.c};
}

// Scratch as CMSIS-NN's functions want it: they refuse NULL where they announce something, and take a size of 0 for
// what they announce. None of them does anything with one byte.
static inline cmsis_nn_context rl_cmsis_context(struct rl_scratch scratch)
{
    static const uint8_t nothing;
    if (scratch.bytes == 0) {
        return (cmsis_nn_context){(void *)(uintptr_t)&nothing, 1};
    }
    return (cmsis_nn_context){scratch.memory, scratch.bytes};
}

// Refuses the call when the kernel did.
enum rl_status rl_kernel_result(struct rl_call *call, arm_cmsis_nn_status status);

#endif
