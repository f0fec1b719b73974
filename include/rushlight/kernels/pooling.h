// SPDX-License-Identifier: Apache-2.0
//
// Average and maximum over windows of an image, channel by channel. Input and output have the same scale and zero
// point; those of a scaled average differ.
//
// Window (y, x) starts at row y * stride.h - padding.h and column x * stride.w - padding.w. The part of it that lies
// outside the image neither counts for the average nor takes part in the maximum. An average is rounded to nearest,
// ties away from zero. The output must not overlap the input. No scratch is used.
//
// A scaled average is the sum of stored value + input_offset over the part inside, times `scale`, plus output_offset.
// With a scale of input scale / (output scale * window.h * window.w), what lies outside counts as zeros.
//
// The pixels of a dilated maximum's window lie `dilation` apart.
#ifndef RUSHLIGHT_KERNELS_POOLING_H
#define RUSHLIGHT_KERNELS_POOLING_H

#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rl_pool_kind { RL_POOL_AVERAGE, RL_POOL_MAXIMUM, RL_POOL_SCALED_AVERAGE };

struct rl_pool {
    enum rl_pool_kind kind;
    struct rl_image input;   // n at least 1
    struct rl_image output;  // only h and w are read; n and c are those of the input
    struct rl_extent window; // for an average: up to 2^24 elements of int8, 2^15 of int16; a scaled one: 2^22
    struct rl_extent stride;
    struct rl_extent padding;
    struct rl_range range; // within the type; the maximum of an empty window is range.min
    // Of a dilated maximum only: the distance between neighbours of a window, 1..32767.
    struct rl_extent dilation;
    // Of a scaled average only:
    int32_t input_offset, output_offset; // -127..128, -128..127
    struct rl_scale scale;
};

// Only checks. RL_ERROR_ARGUMENT: the input is empty, or a window of an average lies outside the image altogether, or
// one of a scaled average has too many elements.
enum rl_status rl_pool_prepare(struct rl_pool *layer);

// Returns the bytes of scratch that a program plans for a layer of int8 or int16. These kernels do not use it.
// CMSIS-NN, which can run the same program, does.
int32_t rl_pool_scratch(const struct rl_pool *layer, enum rl_isa isa);

// Each runs layers of the kind that its name says.
void rl_average_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output);
void rl_scaled_average_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output);
void rl_average_pool_s16_run(const struct rl_pool *layer, const int16_t *input, int16_t *output);
void rl_maximum_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output);
void rl_dilated_maximum_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output);
void rl_maximum_pool_s16_run(const struct rl_pool *layer, const int16_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
