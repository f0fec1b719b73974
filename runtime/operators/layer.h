// SPDX-License-Identifier: Apache-2.0
//
// From tensors and arguments to the vocabulary of the kernels (rushlight/kernels/layer.h).
#ifndef RL_RUNTIME_OPERATORS_LAYER_H
#define RL_RUNTIME_OPERATORS_LAYER_H

#include "runtime/operators/operator.h"
#include "rushlight/kernels/layer.h"

enum { RL_MAX_WINDOW = 32767 }; // of kernel, stride, padding and dilation

// Images lie in memory as N, H, W, C. Most operators list their dimensions as N, C, H, W, with the order
// rl_order_channels_last. Those ending in _nhwc list them as they lie in memory, with rl_order_contiguous.
//
// Reads an int8 tensor of rank 4 in that order, and its sizes. They are not set if the tensor is refused.
void rl_call_image(struct rl_call *call, uint32_t argument, const uint8_t *order, struct rl_tensor *tensor,
                   struct rl_image *image);

// The same for a tensor that the operator writes.
void rl_call_output_image(struct rl_call *call, uint32_t argument, const uint8_t *order, struct rl_tensor *tensor,
                          struct rl_image *image);

// The sizes of a tensor of four dimensions, which must lie in this order.
void rl_read_image(struct rl_call *call, uint32_t argument, const uint8_t *order, const struct rl_tensor *tensor,
                   struct rl_image *image);

// Reads a pair of ints of a window: height, width.
void rl_call_extent(struct rl_call *call, uint32_t argument, int32_t lowest, struct rl_extent *extent);

// Reads activation_min and activation_max, which must lie in int8 and be ordered.
void rl_call_range(struct rl_call *call, uint32_t minimum_argument, uint32_t maximum_argument, struct rl_range *range);

// Read an input offset (minus a zero point) and an output offset (a zero point).
int32_t rl_call_input_offset(struct rl_call *call, uint32_t argument);
int32_t rl_call_zero_point(struct rl_call *call, uint32_t argument);

// Reads multiplier and shift of one requantization; the shift is the argument after the multiplier.
void rl_call_scale(struct rl_call *call, uint32_t argument, struct rl_scale *scale);

// Reads multipliers of `count` channels and, from the next argument, their shifts, each within range and apart from the
// output.
void rl_call_scales(struct rl_call *call, uint32_t argument, int32_t count, const struct rl_tensor *output,
                    struct rl_scales *scales);

// Reads an optional int32 tensor of `count` elements, apart from the output; NULL if it is None.
const int32_t *rl_call_bias(struct rl_call *call, uint32_t argument, int32_t count, const struct rl_tensor *output);

// Refuses shapes whose work space might not fit 32 bits. Eight times the product of the three is at least the bytes
// that the kernel needs.
void rl_expect_work(struct rl_call *call, uint32_t argument, uint32_t rows, uint32_t columns, uint32_t channels);

// Reads the work space. Refuses one that shares memory with the input or the output, or is smaller than `least` bytes.
// `least` is the kernel's minimum, which may be less than plans give it, because a program may have been compiled for
// another core.
void rl_call_scratch(struct rl_call *call, uint32_t argument, int32_t least, const struct rl_tensor *input,
                     const struct rl_tensor *output, struct rl_scratch *scratch);

// For kernels that can use more scratch than is planned: takes the unused end of the arena instead if that is larger.
void rl_call_spare(const struct rl_call *call, struct rl_scratch *scratch);

// Refuses the call if the kernel refused the layer.
static inline void rl_expect_prepared(struct rl_call *call, enum rl_status status)
{
    if (status != RL_OK) {
        rl_call_refuse(call, 0, RL_ERROR_KERNEL, "the kernel refused its arguments");
    }
}

#endif
