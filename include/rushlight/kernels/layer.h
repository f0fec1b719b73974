// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of the kernels: shapes, quantization and memory of one layer. Each family has a header beside this one
// with a struct for its layer and the same three steps:
//
//     struct rl_convolution layer = {.input = ..., .weights = ..., ...};   the layer as the model describes it
//     rl_convolution_prepare(&layer)                                       once: checks, chooses a path, sizes scratch
//     rl_convolution_run(&layer, input, output, scratch)                   each time: computes, and cannot fail
//
// Layout. Tensors are dense. Images are N, H, W, C in memory; weights of a convolution are output channels, rows,
// columns, input channels; depthwise weights are rows, columns, channels. int8 data needs no alignment, wider data its
// natural one.
//
// Quantization. real = scale * (stored - zero point). An input offset is minus the zero point and is added to a stored
// value before it is multiplied; an output offset is the zero point and is added last, before the range is applied.
//
// Ownership. A layer points to weights and parameters, and does not copy them: they stay where they are while the layer
// is used. Kernels keep no state and allocate nothing.
#ifndef RUSHLIGHT_KERNELS_LAYER_H
#define RUSHLIGHT_KERNELS_LAYER_H

#include <stdint.h>

// In front of unions without a name: C99 does not have them, but every compiler for these cores does.
#if defined(__GNUC__)
#define RL_EXTENSION __extension__
#else
#define RL_EXTENSION
#endif

// Instruction sets that kernels are written for. A core of one kind can execute the kinds before it.
enum rl_isa {
    RL_ISA_SCALAR, // plain Thumb
    RL_ISA_DSP,    // DSP extension (SMLAD and relatives)
    RL_ISA_MVE,    // M-profile vector extension (Helium)
    RL_ISA_ANY     // must run on each of the above: every size is the largest of all
};

// Sizes of an image tensor.
struct rl_image {
    int32_t n;
    int32_t h;
    int32_t w;
    int32_t c;
};

// A pair of spatial values: the size of a window, a stride, the padding above and to the left, a dilation.
struct rl_extent {
    int32_t h;
    int32_t w;
};

// Limits of stored output values, both included: the range of the type, or that of a fused activation.
struct rl_range {
    int32_t min;
    int32_t max;
};

// The real factor multiplier / 2^31 * 2^shift. Multiplier 0..2^31-1, shift -31..30; see kernels/requantize.h for the
// rounding.
struct rl_scale {
    int32_t multiplier;
    int32_t shift;
};

// The same for each output channel.
struct rl_scales {
    const int32_t *multiplier;
    const int32_t *shift;
};

// A struct rl_scale as some kernels use it, with the output offset folded in. `prepare` fills it in.
struct rl_rescale {
    int32_t multiplier;
    int32_t addend;
    int32_t right_shift;
};

// Memory that a layer may use while it runs, at any address; NULL and 0 bytes for none. Its contents before and after a
// run do not matter. With fewer bytes than the layer asks for, a kernel gives the same results more slowly, unless its
// header says otherwise.
struct rl_scratch {
    void *memory;
    int32_t bytes;
};

#endif
