// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolution of int8: each input pixel adds its products with the filters to a window of the output.
//
//     sum[y][x][o] = bias[o] + sum over ky, kx, c of (input[iy][ix][c] + input_offset) * weights[o][ky][kx][c],
//                    where iy * stride.h + ky = y + padding.h and ix * stride.w + kx = x + padding.w
//     output = clamp(requantize(sum, scales[o]) + output_offset)
//
// Outputs that no input reaches have the bias as their sum. Sums are int32 and exact as in convolution.h.
#ifndef RUSHLIGHT_KERNELS_TRANSPOSE_CONVOLUTION_H
#define RUSHLIGHT_KERNELS_TRANSPOSE_CONVOLUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_transpose_convolution {
    // Set from the model.
    struct rl_image input;
    struct rl_image output;
    struct rl_extent filter;  // rows and columns of a filter
    struct rl_extent stride;  // at least 1
    struct rl_extent padding; // rows above and columns to the left that are cut off the output
    const int8_t *weights;    // [output.c][filter.h][filter.w][input.c]
    const int32_t *bias;      // [output.c], or NULL for zeros
    struct rl_scales scales;  // [output.c]
    int32_t input_offset;     // -127..128
    int32_t output_offset;    // -128..127
    struct rl_range range;    // within -128..127

    // Filled in by rl_transpose_convolution_prepare.
    bool has_phases;     // the layer can run as one convolution for each phase of the strides
    int32_t phase_depth; // the most weights that a filter of such a convolution has
};

// Call it once the model's part is set, before any run. RL_ERROR_ARGUMENT: a stride is below 1.
enum rl_status rl_transpose_convolution_prepare(struct rl_transpose_convolution *layer);

// Return the bytes of the two memories that a plan should give a run, which are those that CMSIS-NN announces.
// `filters` is for the filters of a phase. `scratch` is for patches of the input, and for the filters as well where
// `filters` has 0 bytes. Need no prepare.
int32_t rl_transpose_convolution_scratch(const struct rl_transpose_convolution *layer, enum rl_isa isa);
int32_t rl_transpose_convolution_filters(const struct rl_transpose_convolution *layer);

// Input and output must not overlap. Any scratch will do, also none. Without room for a patch and the filters of a
// phase, a run is several times slower.
void rl_transpose_convolution_run(const struct rl_transpose_convolution *layer, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch, struct rl_scratch filters);

#ifdef __cplusplus
}
#endif

#endif
