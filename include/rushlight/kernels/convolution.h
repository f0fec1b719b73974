// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: each output channel has a filter of weights, which moves over the input image.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum (input + input_offset) * weights[o]) + output_offset)
//
// The sum goes over the inputs under the filter. The first of them is in row y * stride.h - padding.h and column x *
// stride.w - padding.w of the image, and in the first channel of the group of o. Inputs outside the image count as zero
// points. Input and output channels are divided into `groups` equal parts: the filters of part g read part g of the
// input channels.
//
// Eight kinds of data use the same struct:
//     rl_convolution_run            int8 data, int8 weights
//     rl_convolution_s8_s16_run     int8 data, int8 weights, int16 results, one group, no output offset
//     rl_convolution_prelu_run      int8 data, int8 weights, one group, with a PReLU behind
//     rl_convolution_prepacked_prelu_run  the same with weights from rl_convolution_prepack
//     rl_convolution_prepacked_run  int8 data, int8 weights from rl_convolution_prepack, one group
//     rl_convolution_winograd_run   int8 data, int16 weights from rl_convolution_transform_winograd, one group
//     rl_convolution_s4_run         int8 data, int4 weights, one group
//     rl_convolution_s16_run        int16 data, int8 weights, one group, no offsets
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
    RL_CONVOLUTION_PREPACKED,
    RL_CONVOLUTION_WINOGRAD, // with transformed weights
    RL_CONVOLUTION_S8_S16,   // as S8, with int16 results
    RL_CONVOLUTION_PRELU,    // as S8, with a PReLU behind
    RL_CONVOLUTION_PREPACKED_PRELU,
    RL_CONVOLUTION_S16,      // with a bias of int32, sums of 32 bits that wrap, and scales as for int8
    RL_CONVOLUTION_S16_WIDE, // with a bias of int64, sums of 64 bits, multipliers of 16 bits, and shifts of at most 14
};

// How the inputs under a filter are reached.
enum rl_convolution_path {
    RL_CONVOLUTION_PATCHES,    // copied to the scratch for several outputs at a time, unless the core needs no copies
    RL_CONVOLUTION_POINTWISE,  // filters of 1x1 without padding: the inputs of an output are one pixel
    RL_CONVOLUTION_ROW,        // images of one row: on Helium only inputs with padding are copied
    RL_CONVOLUTION_TAPS_FIRST, // as PATCHES, but weights are [filter.h][filter.w][output.c], as in depthwise layers,
                               // and each group has one input channel; never chosen by rl_convolution_prepare
};

struct rl_convolution {
    // Set from the model.
    enum rl_convolution_type type;
    bool spread_h, spread_w; // only every second row, column (0, 2, 4 ...) of `input` is stored; others are padding
    struct rl_image input;
    struct rl_image output;    // rows and columns below and to the right that its size implies are padding as well
    struct rl_extent filter;   // rows and columns of a filter
    struct rl_extent stride;   // at least 1
    struct rl_extent padding;  // above and to the left
    struct rl_extent dilation; // at least 1
    int32_t groups;            // at least 1; divides the channels of input and output
    const int8_t *weights;     // [output.c][filter.h][filter.w][input.c / groups]; int4: weight i of all is in byte
                               // i / 2, the lower half first
    RL_EXTENSION union {
        const int32_t *bias;      // [output.c], or NULL for zeros
        const int64_t *wide_bias; // of RL_CONVOLUTION_S16_WIDE
    };
    struct rl_scales scales; // [output.c]
    int32_t input_offset;    // -127..128
    int32_t output_offset;   // -128..127
    struct rl_range range;
    const int32_t *folded; // [output.c], from rl_convolution_fold; runs then need not sum up the weights. Prepacked
                           // and transformed weights need it; for others it is optional

    // Filled in by rl_convolution_prepare.
    enum rl_convolution_path path;
    bool rows_are_runs;      // the inputs under a row of a filter lie next to each other
    bool dense;              // so do all inputs under a filter, directly behind those of the output before
    int32_t filter_channels; // input.c / groups
    int32_t least_scratch;   // bytes; with fewer a run is not possible on this core
};

// Call it once the model's part is set, before any of the following. RL_ERROR_ARGUMENT: the groups do not divide the
// channels, an output of a 1x1 filter without padding has no input under it, or prepacked weights cannot have the
// shape.
enum rl_status rl_convolution_prepare(struct rl_convolution *layer);

// folded[o] = bias[o] + input_offset * sum of weights[o], for int8 data.
void rl_convolution_fold(const struct rl_convolution *layer, int32_t *folded);

// Returns the bytes of scratch, aligned to 8, that a plan should give a run. With RL_ISA_DSP, int8 weights and int8
// data a run then keeps no block on the stack, where blocks would take more memory, unless rl_convolution_may_cut.
// Prepacked weights take the same for every ISA. In all other cases, but for int16 results of int8 data, this is
// rl_convolution_announced.
int32_t rl_convolution_scratch(const struct rl_convolution *layer, enum rl_isa isa);

// Whether a run may copy filters without the taps that meet padding at all outputs, of which a small map has many. Then
// it keeps blocks and RL_CONVOLUTION_CUT_BYTES of filters on the stack: rl_convolution_scratch does not count them.
bool rl_convolution_may_cut(const struct rl_convolution *layer);

enum { RL_CONVOLUTION_CUT_BYTES = 2304 };

// Returns the bytes of scratch that CMSIS-NN announces on such a core, which programs of the stock flow bring. They are
// enough for a run at full speed; some blocks are then on the stack.
int32_t rl_convolution_announced(const struct rl_convolution *layer, enum rl_isa isa);

// Weights in the order in which a core's inner loop reads them. A compiler writes them ahead of time; they take as many
// bytes as before. The order serves cores with DSP instructions, where the loop then takes a quarter less time. Every
// core can run such a layer, with the same results.
//
// Returns whether such weights pay for the layer, of type RL_CONVOLUTION_S8 with its weights, on such a core: there is
// one group, a multiple of four channels, and filters of 4 to 2^14 weights, of which every second filter's magnitudes
// add up to less than 2^16. A layer with one output position has inputs that lie in a row (rl_convolution_is_pixel).
// rl_convolution_scales_fit must hold, too.
bool rl_convolution_prepacks(const struct rl_convolution *layer, enum rl_isa isa);

// Whether the scales of a layer with `folded` suit prepacked weights: shifts of -22 to -1, folded biases of at most
// 2^28 in magnitude.
bool rl_convolution_scales_fit(const struct rl_convolution *layer);

// Writes the weights of a layer of type RL_CONVOLUTION_S8 to `weights`, as many bytes, which then become those of a
// layer of type RL_CONVOLUTION_PREPACKED.
void rl_convolution_prepack(const struct rl_convolution *layer, int8_t *weights);

// Winograd's F(2x2, 3x3) takes 16 products for four outputs of a 3x3 filter instead of 36, and its results are the
// same, to the bit. Its weights take 32 / 9 times as many bytes, so it is the user's choice. It serves cores with DSP
// instructions, where large layers take half the time; every core can run such a layer.
//
// Returns whether a layer of type RL_CONVOLUTION_S8 can have such weights: filters of 3x3 with stride and dilation 1,
// one group, a multiple of eight input channels, at most 1820, and of four output channels. rl_convolution_scales_fit
// must hold, too.
bool rl_convolution_suits_winograd(const struct rl_convolution *layer);

// Returns whether such weights pay for the layer on such a core: it suits, and at least four fifths of the outputs that
// pairs of tiles compute exist. The layer then takes at least a sixth less time.
bool rl_convolution_winograd_pays(const struct rl_convolution *layer, enum rl_isa isa);

// Writes the weights of a layer of type RL_CONVOLUTION_S8 to `weights`, 16 * input.c * output.c of them. Aligned to 4
// they become those of a layer of type RL_CONVOLUTION_WINOGRAD.
void rl_convolution_transform_winograd(const struct rl_convolution *layer, int16_t *weights);

// Whether a prepared layer is one of those that most are: the inputs under a row of a filter lie next to each other,
// and a filter has at most 384 weights.
bool rl_convolution_is_whole(const struct rl_convolution *layer);

// Whether a prepared layer has one output position, whose inputs lie in a row, as in networks that take one frame of a
// signal at a time.
bool rl_convolution_is_pixel(const struct rl_convolution *layer);

// For compilers, which know the core ahead of time. A function for one kind of layers keeps the loops of the others out
// of a program.
enum rl_convolution_loops {
    RL_CONVOLUTION_ALL_LOOPS, // rl_convolution_run
    RL_CONVOLUTION_BLOCKS,    // rl_convolution_blocks_run: many outputs and many channels
    RL_CONVOLUTION_DENSE,     // rl_convolution_dense_run: of those, pixels, with filters of more than 32 weights
    RL_CONVOLUTION_SHORT,     // rl_convolution_short_run: filters of at most 32 weights
    RL_CONVOLUTION_WINDOWS,   // rl_convolution_windows_run: three columns with a stride of 1
    RL_CONVOLUTION_COPIED     // rl_convolution_copied_run: other windows
};

// Returns the loops that rl_convolution_run takes for a prepared layer on all cores with that instruction set.
enum rl_convolution_loops rl_convolution_loops(const struct rl_convolution *layer, enum rl_isa isa);

// Input and output must not overlap. The scratch has at least layer->least_scratch bytes. int4 weights accept any
// scratch, also none; int16 data needs it aligned to 2.
void rl_convolution_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                        struct rl_scratch scratch);
void rl_convolution_prepacked_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch);
void rl_convolution_winograd_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch);

// The same for layers that rl_convolution_is_whole, and no others. A program that calls this alone has fewer loops.
void rl_convolution_prepacked_whole_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                        struct rl_scratch scratch);

// The same for layers that rl_convolution_is_pixel, and no others, in the loops of fully connected layers.
void rl_convolution_prepacked_pixel_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output);

// The same results as rl_convolution_run, for any layer on any core, but always by the loops for many outputs and many
// channels. A program that calls this alone has no fully connected layers and no weights in another order for it. A
// compiler asks rl_convolution_loops first.
void rl_convolution_blocks_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch);

// The same results for layers for which rl_convolution_loops says so for any instruction set, on every core.
void rl_convolution_dense_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch);
void rl_convolution_short_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch);
void rl_convolution_windows_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                struct rl_scratch scratch);
void rl_convolution_copied_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch);

void rl_convolution_s4_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                           struct rl_scratch scratch);
void rl_convolution_s8_s16_run(const struct rl_convolution *layer, const int8_t *input, int16_t *output,
                               struct rl_scratch scratch);

// A convolution and a PReLU behind it, rounded once. `scales.multiplier` has 2 * output.c numbers of any sign, first
// those of sums that are not negative, then those of negative ones; `scales.shift` has output.c of -22 to -2. With the
// multiplier m of a sum, which has the bias in it,
//
//     output = clamp(round(round(sum * m / 2^32) / 2^(-1 - shift)) + output_offset)
//
// Ties are rounded upwards. Prepacked filters have at most RL_CONVOLUTION_PRELU_DEPTH weights, and need `folded`.
enum { RL_CONVOLUTION_PRELU_DEPTH = 1536 };

// Whether that takes less time than a convolution, `layer` of type RL_CONVOLUTION_S8, prepared, and a PReLU behind it.
// RL_ISA_DSP: with prepacked weights; it looks at the layer's weights. RL_ISA_ANY, where weights stay in their order:
// the layer has so many outputs that DSP cores prepack its weights on the way.
bool rl_convolution_prelu_pays(const struct rl_convolution *layer, enum rl_isa isa);

void rl_convolution_prelu_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch);
void rl_convolution_prepacked_prelu_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                        struct rl_scratch scratch);
void rl_convolution_s16_run(const struct rl_convolution *layer, const int16_t *input, int16_t *output,
                            struct rl_scratch scratch);

#ifdef __cplusplus
}
#endif

#endif
