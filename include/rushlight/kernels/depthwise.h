// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolutions: output channel o reads only input channel o / multiplier.
//
//     output[n][y][x][o] = clamp(requantize(bias[o] + sum (input[o / multiplier] + input_offset) * weights[o])
//                                + output_offset)
//
// The sum goes over the inputs under the filter. The first of them is in row y * stride.h - padding.h and column
// x * stride.w - padding.w of the image. Inputs outside the image count as zero points.
//
// Three kinds of data use the same struct:
//     rl_depthwise_run      int8 data, int8 weights; rl_depthwise_single_run the same
//     rl_depthwise_s4_run   int8 data, int4 weights
//     rl_depthwise_s16_run  int16 data, int8 weights, no offsets
//
// Sums of int8 data are int32 and exact while |bias| + taps * 255 * 128 < 2^31. Those of int16 data have 64 bits; there
// the multipliers are used with 16 bits (rl_requantize_s64 in kernels/requantize.h) and the shifts are at most 14.
//
// No weight sums are folded into the bias, because fast kernels copy the input with its offset added.
#ifndef RUSHLIGHT_KERNELS_DEPTHWISE_H
#define RUSHLIGHT_KERNELS_DEPTHWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rl_depthwise_type { RL_DEPTHWISE_S8, RL_DEPTHWISE_S4, RL_DEPTHWISE_S16 };

struct rl_depthwise {
    // Set from the model.
    enum rl_depthwise_type type;
    struct rl_image input;
    struct rl_image output;    // rows and columns below and to the right that its size implies are padding as well
    struct rl_extent filter;   // rows and columns of a filter
    struct rl_extent stride;   // at least 1
    struct rl_extent padding;  // above and to the left
    struct rl_extent dilation; // at least 1
    int32_t multiplier;        // output.c = input.c * multiplier
    const int8_t *weights;     // [filter.h][filter.w][output.c]; int4: weight i of all is in byte i / 2, the lower half
                               // first
    RL_EXTENSION union {
        const int32_t *bias;      // [output.c], or NULL for zeros
        const int64_t *wide_bias; // of int16 data
    };
    struct rl_scales scales; // [output.c]
    int32_t input_offset;    // -127..128
    int32_t output_offset;   // -128..127
    struct rl_range range;

    // Filled in by rl_depthwise_prepare.
    bool by_windows; // computes output by output, because copying the input does not pay for so few outputs
};

// Call it once the model's part is set, before any run. RL_ERROR_ARGUMENT: output.c is not input.c * multiplier.
enum rl_status rl_depthwise_prepare(struct rl_depthwise *layer);

// Returns the bytes of scratch, aligned to 8, that a plan should give a run. With RL_ISA_DSP and int8 weights a run
// then keeps no block on the stack, where blocks would take up to 4 KB. In all other cases this is
// rl_depthwise_announced. Needs no prepare.
int32_t rl_depthwise_scratch(const struct rl_depthwise *layer, enum rl_isa isa);

// Returns the bytes of scratch that CMSIS-NN announces on such a core, which programs of the stock flow bring. Needs no
// prepare.
int32_t rl_depthwise_announced(const struct rl_depthwise *layer, enum rl_isa isa);

// Input and output must not overlap. Any scratch will do, also none. int4 weights are spread to int8 in the scratch, or
// on 1 KB of the stack if the scratch is too small; weights that fit neither are read one by one.
void rl_depthwise_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output, struct rl_scratch scratch);

// The same for a `multiplier` of 1. A program that calls no other has no code for convolutions, as which layers with
// larger multipliers run.
void rl_depthwise_single_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch);

// For compilers, which know the core ahead of time. A function for one kind of loops keeps those of the others out of a
// program.
enum rl_depthwise_loops {
    RL_DEPTHWISE_ALL_LOOPS, // rl_depthwise_run or rl_depthwise_single_run
    RL_DEPTHWISE_PLANES,    // rl_depthwise_planes_run: the image is copied by parts, for many outputs
    RL_DEPTHWISE_POINTS,    // rl_depthwise_points_run: some outputs at a time, for small images and filters
    RL_DEPTHWISE_WINDOWS    // rl_depthwise_windows_run: output by output
};

// Returns the loops that run the whole layer at full speed on all cores with that instruction set. Needs the scales and
// the bias, and no prepare.
enum rl_depthwise_loops rl_depthwise_loops(const struct rl_depthwise *layer, enum rl_isa isa);

// Sets by_windows of a prepared layer to what rl_depthwise_prepare finds on a core with that instruction set, in fast
// code. Of cores without DSP instructions it is that of a Cortex-M0; a Cortex-M3 makes its own choice when it runs.
void rl_depthwise_prepare_for(struct rl_depthwise *layer, enum rl_isa isa);

// Only for layers for which rl_depthwise_loops says RL_DEPTHWISE_PLANES for any instruction set. The results are those
// of rl_depthwise_run, on every core.
void rl_depthwise_planes_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch);

// The same for RL_DEPTHWISE_POINTS, which it says for DSP instructions only.
void rl_depthwise_points_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch);

// The results of rl_depthwise_run for every layer, on every core.
void rl_depthwise_windows_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch);

void rl_depthwise_s4_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                         struct rl_scratch scratch);
void rl_depthwise_s16_run(const struct rl_depthwise *layer, const int16_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
