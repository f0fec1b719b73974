// SPDX-License-Identifier: Apache-2.0
// The int8 convolution without its argument checks, and the steps its special cases share.
#ifndef RL_KERNELS_CONVOLUTION_CONVOLUTION_H
#define RL_KERNELS_CONVOLUTION_CONVOLUTION_H

#include "arm_nnsupportfunctions.h"
#include "cmsis_nn/translate.h"
#include "convolution/matmul.h"
#include "scratch.h"

enum { RL_PATCHES = 4 }; // that scratch takes, unless it is smaller than every core announces

// One convolution, its tensors and parameters gathered so that functions can pass it on.
struct rl_convolution {
    const cmsis_nn_conv_params *params;
    const cmsis_nn_per_channel_quant_params *quant;
    const cmsis_nn_dims *input_dims;
    const int8_t *input;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter;
    const int32_t *bias; // may be NULL
    const cmsis_nn_dims *output_dims;
    int8_t *output;
    int32_t groups;
    bool upscale_h; // the input rows are every second row of a tensor that is zero elsewhere
    bool upscale_w;
    bool taps_first;          // each group has one input channel, and filters are [kh][kw][channels]
    bool rows_are_runs;       // vertical dilation 1, no upscaling, and filters of one column or one group and
                              // horizontal dilation 1: see patch.c
    bool one_patch;           // the scratch takes one patch only
    int8_t *scratch;          // for patches
    struct rl_scratch work;   // may hold the memory
    int32_t block;            // channels that are run at a time: see rl_convolution_begin
    int32_t bytes;            // of the memory for a block
    struct rl_matmul *matmul; // then the memory for its biases, scales and tile
};

// The arguments of an entry as a convolution of one group.
static inline struct rl_convolution
rl_convolution_of(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                  const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                  const int8_t *filter, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    return (struct rl_convolution){
        .params = params,
        .quant = quant,
        .input_dims = input_dims,
        .input = input,
        .filter_dims = filter_dims,
        .filter = filter,
        .bias = bias,
        .output_dims = output_dims,
        .output = output,
        .groups = 1,
        .upscale_h = false,
        .upscale_w = false,
        .taps_first = false,
        .rows_are_runs = params->dilation.w == 1 && params->dilation.h == 1,
        .one_patch = false,
        .scratch = NULL,
        .work = {NULL, 0},
        .block = 0,
        .bytes = 0,
        .matmul = NULL,
    };
}

// Whether all that a 1x1 convolution reads and writes is there: as many outputs as inputs with stride 1, else an input
// under each output.
bool rl_convolution_1x1_fits(const struct rl_convolution *c);

// What the pointwise convolutions of both weight types do: checks, then `run` with a filter of 1x1.
static inline arm_cmsis_nn_status rl_convolve_1x1(const cmsis_nn_conv_params *params,
                                                  const cmsis_nn_per_channel_quant_params *quant,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                                  const int8_t *filter, const int32_t *bias,
                                                  const cmsis_nn_dims *output_dims, int8_t *output,
                                                  const cmsis_nn_context *ctx, void (*run)(struct rl_convolution *c))
{
    if (params->padding.w != 0 || params->padding.h != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const cmsis_nn_dims one_by_one = {output_dims->c, 1, 1, input_dims->c};
    struct rl_convolution c =
        rl_convolution_of(params, quant, input_dims, input, &one_by_one, filter, bias, output_dims, output);
    c.rows_are_runs = true; // whatever the dilation
    c.work = rl_scratch_rest(rl_scratch_of(ctx, 0), 0);
    if (!rl_convolution_1x1_fits(&c)) {
        return ARM_CMSIS_NN_FAILURE;
    }
    run(&c);
    return ARM_CMSIS_NN_SUCCESS;
}

// Bytes at c->matmul that blocks of `channels` channels of `depth` weights take.
int32_t rl_convolution_memory(int32_t depth, int32_t channels);

// What a convolution begins with:
//
//     uint64_t stack[rl_convolution_begin(c)];
//     rl_convolution_take(c, stack);
//
// sets block, bytes and c->matmul, in the stack if no memory is given, and the scratch where taps come first.
uint32_t rl_convolution_begin(struct rl_convolution *c);
void rl_convolution_take(struct rl_convolution *c, void *stack);

// Prepares c->matmul for the channels [first, end) of the convolution, but at most a block, and returns the first
// channel after them. `end` is where the group ends; the filter depth is filter h * w * c.
int32_t rl_convolution_channels(const struct rl_convolution *c, int32_t first, int32_t end);

// Runs the convolution by copying patches. The scratch takes four patches of filter h * w * c bytes: what the smallest
// scratch of any core holds (2 * 2 bytes per value without Helium, 4 * 1 with it). With one_patch it takes one, and
// each output is computed alone.
void rl_convolution_run(struct rl_convolution *c);

// 1x1 filters (a stride of any size, no padding, no groups): input pixels are the rows, nothing is copied.
void rl_convolution_run_1x1(struct rl_convolution *c);

// The two above for the prepared channels only. `input` points at the first channel of their group, `output` at the
// first of theirs.
void rl_convolution_run_channels(const struct rl_convolution *c, const int8_t *input, int8_t *output);
void rl_convolution_run_channels_1x1(const struct rl_convolution *c, int8_t *output);

// Some output positions of one image, from (first_y, first_x) on, and the bytes between their outputs.
struct rl_positions {
    int32_t first_y;
    int32_t first_x;
    int32_t rows;
    int32_t columns;
    ptrdiff_t output_row;
    ptrdiff_t output_column;
};

// The prepared channels at those positions only. `output` is that of the first position. Output dimensions are not
// read. The scratch takes four patches.
void rl_convolution_run_positions(const struct rl_convolution *c, const int8_t *input, const struct rl_positions *p,
                                  int8_t *output);

// Filters of one row over inputs of one row, dilation 1, no groups. The scratch takes one patch with Helium, four
// without.
void rl_convolution_run_1_x_n(struct rl_convolution *c);

#endif
