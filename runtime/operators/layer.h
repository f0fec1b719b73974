// SPDX-License-Identifier: Apache-2.0
//
// From tensors and arguments to the vocabulary of the kernels (rushlight/kernels/layer.h).
#ifndef RL_RUNTIME_OPERATORS_LAYER_H
#define RL_RUNTIME_OPERATORS_LAYER_H

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

#endif
