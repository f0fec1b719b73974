// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: each output channel has a filter of weights, which moves over the input image.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum (input + input_offset) * weights[o]) + output_offset)
//
// The sum goes over the inputs under the filter, whose first one is at row y * stride.h - padding.h and column
// x * stride.w - padding.w of the image and at the first channel of the group of o. Inputs outside the image count as
// zero points. Filters are `groups` equal parts of the output channels: those of part g see part g of the input
// channels.
//
// Three kinds of data use the same struct:
//     rl_convolution_run      int8 data, int8 weights
//     rl_convolution_s4_run   int8 data, int4 weights, one group
//     rl_convolution_s16_run  int16 data, int8 weights, one group, no offsets
//
// Sums of int8 data are int32 and exact while |bias| + weights of a filter * 255 * 128 < 2^31.
#ifndef RUSHLIGHT_KERNELS_CONVOLUTION_H
#define RUSHLIGHT_KERNELS_CONVOLUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rl_convolution_type {
    RL_CONVOLUTION_S8,
    RL_CONVOLUTION_S4,
    RL_CONVOLUTION_S16,      // with a bias of int32, sums of 32 bits that wrap, and scales as for int8
    RL_CONVOLUTION_S16_WIDE, // with a bias of int64, sums of 64 bits, multipliers of 16 bits, and shifts of at most 14
};

// How the inputs under a filter are reached.
enum rl_convolution_path {
    RL_CONVOLUTION_PATCHES,    // copied to the scratch, several outputs at a time, unless a core can do without
    RL_CONVOLUTION_POINTWISE,  // filters of 1x1 without padding: each is a pixel
    RL_CONVOLUTION_ROW,        // images of one row: on Helium copied only where padding is among them
    RL_CONVOLUTION_TAPS_FIRST, // as patches, but weights are [filter.h][filter.w][output.c], those of depthwise layers,
                               // and each group has one input channel; never chosen by rl_convolution_prepare
};

struct rl_convolution {
    // What the model says.
    enum rl_convolution_type type;
    bool spread_h, spread_w; // of `input` only every second row, column (0, 2, 4 ...) is stored; others are padding
    struct rl_image input;
    struct rl_image output;    // rows and columns below and to the right that its size implies are padding as well
    struct rl_extent filter;   // rows and columns of a filter
    struct rl_extent stride;   // at least 1
    struct rl_extent padding;  // above and to the left
    struct rl_extent dilation; // at least 1
    int32_t groups;            // at least 1; divides the channels of input and output
    const int8_t *weights;     // [output.c][filter.h][filter.w][input.c / groups]; int4: weight i of all is in byte
                               // i / 2, the lower half first
    union {
        const int32_t *bias;      // [output.c], or NULL for zeros
        const int64_t *wide_bias; // of RL_CONVOLUTION_S16_WIDE
    };
    struct rl_scales scales; // [output.c]
    int32_t input_offset;    // -127..128
    int32_t output_offset;   // -128..127
    struct rl_range range;
    const int32_t *folded; // optional: [output.c], by rl_convolution_fold, which saves each run summing up the weights

    // What rl_convolution_prepare fills in.
    enum rl_convolution_path path;
    bool rows_are_runs;      // the inputs under a row of a filter lie next to each other
    bool dense;              // those under a filter do, too, and behind those of the output before: rows of a matrix
    int32_t filter_channels; // input.c / groups
    int32_t least_scratch;   // bytes without which a run is not possible on this core
};

// Once the model's part is set, before any of the following. RL_ERROR_ARGUMENT: the groups do not divide the channels;
// a filter of 1x1 without padding has outputs without an input under them.
enum rl_status rl_convolution_prepare(struct rl_convolution *layer);

// folded[o] = bias[o] + input_offset * sum of weights[o], for int8 data.
void rl_convolution_fold(const struct rl_convolution *layer, int32_t *folded);

// Bytes of scratch, aligned to 8, that a plan should give a run. With RL_ISA_DSP, int8 weights and int8 data no block
// of it is then on the stack, which would take more there than here. Otherwise they are those that are announced.
int32_t rl_convolution_scratch(const struct rl_convolution *layer, enum rl_isa isa);

// Bytes of scratch that CMSIS-NN announces on such a core, which is what programs of the stock flow bring. Enough for a
// run at full speed; some blocks are then on the stack.
int32_t rl_convolution_announced(const struct rl_convolution *layer, enum rl_isa isa);

// Input and output must not overlap. Scratch has at least layer->least_scratch bytes. int4 does with any scratch, none
// included; int16 wants it aligned to 2.
void rl_convolution_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                        struct rl_scratch scratch);
void rl_convolution_s4_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                           struct rl_scratch scratch);
void rl_convolution_s16_run(const struct rl_convolution *layer, const int16_t *input, int16_t *output,
                            struct rl_scratch scratch);

#ifdef __cplusplus
}
#endif

#endif
