// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layers: each row of the input times each row of the weights.
//
//     output[n][o] = clamp(requantize(bias[o] + sum_k (input[n][k] + input_offset) * (weights[o][k] + weight_offset))
//                          + output_offset)
//
// These kinds of data use the same struct:
//     rl_fully_connected_run      int8 data, int8 weights
//     rl_fully_connected_prepacked_run, rl_fully_connected_prepacked_s16_run
//                                 the same and the next, with weights from rl_fully_connected_prepack; `folded` only
//     rl_fully_connected_prepacked_rows_run
//                                 the first of both for several rows, which takes less time, but more code
//     rl_fully_connected_s8_s16_run
//                                 int8 data, int8 weights, int16 results; `scales` only, a bias, no offsets, no range
//     rl_fully_connected_s4_run   int8 data, int4 weights; `scale` only, no weight_offset, nothing folded
//     rl_fully_connected_s16_run  int16 data, int8 weights; the limits of int4, and no offsets at all
//
// Sums are int32 and exact while |bias| + depth * 255 * 255 < 2^31. Those of int16 data have 64 bits; there the
// multiplier is used with 16 bits (rl_requantize_s64 in kernels/requantize.h) and the shift is at most 14.
#ifndef RUSHLIGHT_KERNELS_FULLY_CONNECTED_H
#define RUSHLIGHT_KERNELS_FULLY_CONNECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_fully_connected {
    // Set from the model.
    int32_t rows;          // input [rows][depth], output [rows][channels]
    int32_t depth;         // values of a row
    int32_t channels;      // outputs of a row
    const int8_t *weights; // [channels][depth]; int4: weight i of all is in byte i / 2, the lower half first
    RL_EXTENSION union {
        const int32_t *bias;      // [channels], or NULL for zeros
        const int64_t *wide_bias; // of int16 data
    };
    struct rl_scales scales; // [channels], or NULL where one `scale` serves all
    struct rl_scale scale;
    int32_t input_offset;  // -127..128
    int32_t weight_offset; // minus the zero point of the weights: -127..128
    int32_t output_offset; // -128..127
    struct rl_range range;
    // Optional: [channels], from rl_fully_connected_fold. It takes the place of bias and input_offset, and saves
    // Helium some time in each run.
    const int32_t *folded;

    // Filled in by rl_fully_connected_prepare.
    const int32_t *base; // `folded`, or else the bias
    int32_t base_offset; // the input offset, or 0 if `base` contains it
    struct rl_rescale rescale;
    bool has_rescale; // `rescale` can be used in place of `scale`
};

// Call it once the model's part is set, before any run. RL_ERROR_ARGUMENT: a size is negative.
enum rl_status rl_fully_connected_prepare(struct rl_fully_connected *layer);

// folded[o] = bias[o] + input_offset * sum_k (weights[o][k] + weight_offset) for each channel: what CMSIS-NN calls
// kernel sums. Needs no prepare. A layer whose `folded` is set to the result must be prepared (again) afterwards.
void rl_fully_connected_fold(const struct rl_fully_connected *layer, int32_t *folded);

// Returns the bytes of scratch, aligned to 8, with which a run keeps no blocks on the stack; above 0 for RL_ISA_DSP
// only. Layers of int4 or int16 use none.
int32_t rl_fully_connected_scratch(const struct rl_fully_connected *layer, enum rl_isa isa);

// Weights in the order in which a core's inner loop reads them (see rushlight/kernels/convolution.h). They take as many
// bytes as before. Every core can run such a layer, with the same results.
//
// Returns whether prepacked weights can have this shape: a multiple of four channels, at least four weights each, no
// offset of the weights.
bool rl_fully_connected_fits_prepacked(const struct rl_fully_connected *layer);

// Returns whether they pay on such a core: with DSP instructions, for at least 20 weights.
bool rl_fully_connected_prepacks(const struct rl_fully_connected *layer, enum rl_isa isa);

// Writes the layer's weights to `weights`, as many bytes, in that order.
void rl_fully_connected_prepack(const struct rl_fully_connected *layer, int8_t *weights);

// Input and output must not overlap. Any scratch will do, also none.
void rl_fully_connected_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output,
                            struct rl_scratch scratch);
void rl_fully_connected_s8_s16_run(const struct rl_fully_connected *layer, const int8_t *input, int16_t *output);
void rl_fully_connected_prepacked_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output);
void rl_fully_connected_prepacked_rows_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output);
void rl_fully_connected_prepacked_s16_run(const struct rl_fully_connected *layer, const int8_t *input, int16_t *output);
void rl_fully_connected_s4_run(const struct rl_fully_connected *layer, const int8_t *input, int8_t *output);
void rl_fully_connected_s16_run(const struct rl_fully_connected *layer, const int16_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
