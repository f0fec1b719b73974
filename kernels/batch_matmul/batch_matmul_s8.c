// SPDX-License-Identifier: Apache-2.0
// Each product of matrices is a fully connected layer whose filter is the right side.
#include <stddef.h>

#include "arm_nn_batch_matmul.h"
#include "arm_nn_fully_connected.h"
#include "batch_matmul/broadcast.h"
#include "cmsis_nn/translate.h"
#include "fully_connected/fully_connected.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"
#include "scalar/packed_rows.h"

enum {
    COLUMN_BLOCK = 64, // columns whose sums are kept on the stack at a time
    SMALL_BLOCK = 16,  // the same with Helium, when the scratch does not take all
};

// Up to four rows of the left side times some columns, from `first` on, on cores without DSP; see scalar/packed_dot.h.
// With offsets a and b, sum (x + a) * (w + b) = sum x * w + constant of the column + that of the row.
static void four_rows(const struct rl_fully_connected *f, const struct rl_packed_rows *rows, int32_t first,
                      int32_t columns, const int32_t *constants, int8_t *output)
{
    struct rl_packed_sums sums[COLUMN_BLOCK];
    uint32_t words[2 * RL_PACKED_DEPTH];
    int32_t row_constant[RL_PACKED_ROWS];
    for (int32_t i = 0; i < RL_PACKED_ROWS; i++) {
        row_constant[i] = f->filter_offset * rl_sum_of_s8(rows->row[i], f->depth);
    }
    for (int32_t i = 0; i < columns; i++) {
        sums[i] = rl_packed_start(constants[i], (f->depth + 1) / 2);
    }
    rl_packed_rows_multiply(rows, f->filter + first * f->depth, f->depth, sums, columns, words);
    for (int32_t i = 0; i < columns; i++) {
        for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
            const int32_t sum = row % 2 == 0 ? rl_packed_first(&sums[i], row / 2) : rl_packed_second(&sums[i], row / 2);
            output[rows->output[row] + i] = rl_fully_connected_output(f, first + i, sum + row_constant[row]);
        }
    }
}

static void packed_product(const struct rl_fully_connected *f, const int8_t *lhs, int32_t rows, int8_t *output)
{
    for (int32_t first = 0; first < f->channels; first += COLUMN_BLOCK) {
        const int32_t columns = rl_min_s32(f->channels - first, COLUMN_BLOCK);
        int32_t constants[COLUMN_BLOCK];
        for (int32_t i = 0; i < columns; i++) {
            const int32_t sum = rl_sum_of_s8(f->filter + (first + i) * f->depth, f->depth);
            constants[i] = f->input_offset * (sum + f->depth * f->filter_offset);
        }
        for (int32_t row = 0; row < rows; row += RL_PACKED_ROWS) {
            struct rl_packed_rows four;
            rl_packed_rows_start(&four, lhs + row * f->depth, f->depth, rows - row, f->channels);
            four_rows(f, &four, first, columns, constants, output + row * f->channels + first);
        }
    }
}

// With sums of some columns at a time. Not inlined: the others need not have them on their stack.
static __attribute__((noinline)) void product_in_blocks(const struct rl_fully_connected *f, const int8_t *lhs,
                                                        int32_t rows, int32_t lhs_offset, int8_t *output)
{
    int32_t sums[SMALL_BLOCK];
    struct rl_fully_connected part = *f;
    part.base = sums;
    for (int32_t first = 0; first < f->channels; first += SMALL_BLOCK) {
        part.filter = f->filter + (ptrdiff_t)first * f->depth;
        part.channels = rl_min_s32(f->channels - first, SMALL_BLOCK);
        (void)arm_vector_sum_s8(sums, f->depth, part.channels, part.filter, lhs_offset, f->filter_offset, NULL);
        for (int32_t row = 0; row < rows; row++) {
            rl_fully_connected_run(&part, lhs + (ptrdiff_t)row * f->depth, 1,
                                   output + (ptrdiff_t)row * f->channels + first);
        }
    }
}

// `sums` takes one for each column, or is NULL.
static void one_product(const struct rl_fully_connected *f, const int8_t *lhs, int32_t rows, int32_t lhs_offset,
                        int32_t *sums, int8_t *output)
{
    if (RL_HAS_MVE && !sums) {
        product_in_blocks(f, lhs, rows, lhs_offset, output);
        return;
    }
    if (RL_HAS_MVE) {
        (void)arm_vector_sum_s8(sums, f->depth, f->channels, f->filter, lhs_offset, f->filter_offset, NULL);
    }
    if (!RL_HAS_DSP && rows > 2) {
        packed_product(f, lhs, rows, output);
        return;
    }
    rl_fully_connected_run(f, lhs, rows, output);
}

arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                        const cmsis_nn_per_tensor_quant_params *quant_params,
                                        const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                        const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                        const cmsis_nn_dims *output_dims, int8_t *output)
{
    struct rl_matmul_batches batches;
    if (!rl_matmul_batches_plan(input_lhs_dims, input_rhs_dims, output_dims, &batches)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (RL_HAS_MVE && !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t sums_bytes = input_rhs_dims->w * (int32_t)sizeof(int32_t);
    int32_t *sums = rl_scratch_of(ctx, sums_bytes).bytes < sums_bytes ? NULL : ctx->buf;
    const cmsis_nn_fc_params *params = &bmm_params->fc_params;
    struct rl_rescale rescale;
    const bool simple = rl_rescale_init(params->output_offset, quant_params->multiplier, quant_params->shift, &rescale);
    struct rl_fully_connected f = {
        .depth = input_rhs_dims->c,
        .channels = input_rhs_dims->w,
        .base = RL_HAS_MVE ? sums : NULL,
        .multiplier = &quant_params->multiplier,
        .shift = &quant_params->shift,
        .scale_step = 0,
        .input_offset = RL_HAS_MVE ? 0 : params->input_offset,
        .filter_offset = params->filter_offset,
        .output_offset = params->output_offset,
        .output_min = params->activation.min,
        .output_max = params->activation.max,
        .rescale = simple ? &rescale : NULL,
    };
    const int32_t rows = input_lhs_dims->w;
    for (int32_t n = 0; n < output_dims->n; n++) {
        for (int32_t h = 0; h < output_dims->h; h++) {
            f.filter = input_rhs + n * batches.rhs_step[0] + h * batches.rhs_step[1];
            one_product(&f, input_lhs + n * batches.lhs_step[0] + h * batches.lhs_step[1], rows, params->input_offset,
                        sums, output);
            output += rows * f.channels;
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
