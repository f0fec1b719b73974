// SPDX-License-Identifier: Apache-2.0
// Each product of matrices is a fully connected layer whose filter is the right side.
#include "rushlight/kernels/batch_matmul.h"

#include <stddef.h>

#include "fully_connected/fully_connected.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"
#include "scalar/packed_rows.h"

enum {
    COLUMN_BLOCK = 64, // columns whose sums are kept on the stack at a time
    SMALL_BLOCK = 16,  // the same with Helium, when the scratch is too small for all
    PACKED_DEPTH = RL_HAS_THUMB2_LOOP && !RL_SMALL ? 40 : 0, // up to this depth, packed rows take longer than they save
};

// A few rows of the left side, from `first` on, times some columns, on cores without DSP; see scalar/packed_rows.h.
// With offsets a and b, sum (x + a) * (w + b) = sum x * w + a constant of the column + a constant of the row.
static void packed_rows(const struct rl_fully_connected *f, const struct rl_packed_rows *rows, int32_t first,
                        int32_t columns, const int32_t *constants, int8_t *output)
{
    struct rl_row_sums sums[COLUMN_BLOCK];
    uint32_t words[RL_PACKED_WORDS];
    int32_t row_constant[RL_PACKED_ROWS];
    for (int32_t i = 0; i < RL_PACKED_ROWS; i++) {
        row_constant[i] = f->weight_offset * rl_sum_of_s8(rows->row[i], f->depth);
    }
    for (int32_t i = 0; i < columns; i++) {
        sums[i] = rl_row_sums_start(constants[i], f->depth);
    }
    rl_packed_rows_multiply(rows, f->weights + first * f->depth, f->depth, sums, columns, words, true);
    for (int32_t i = 0; i < columns; i++) {
        for (int32_t row = 0; row < rows->count; row++) {
            const int32_t sum = rl_row_sum(&sums[i], row);
            output[rows->output[row] + i] = rl_fully_connected_output(f, first + i, sum + row_constant[row]);
        }
    }
}

static void packed_product(const struct rl_fully_connected *f, const int8_t *lhs, int8_t *output)
{
    for (int32_t first = 0; first < f->channels; first += COLUMN_BLOCK) {
        const int32_t columns = rl_min_s32(f->channels - first, COLUMN_BLOCK);
        int32_t constants[COLUMN_BLOCK];
        for (int32_t i = 0; i < columns; i++) {
            const int32_t sum = rl_sum_of_s8(f->weights + (first + i) * f->depth, f->depth);
            constants[i] = f->input_offset * (sum + f->depth * f->weight_offset);
        }
        for (int32_t row = 0; row < f->rows; row += RL_PACKED_ROWS) {
            struct rl_packed_rows packed;
            rl_packed_rows_start(&packed, lhs + row * f->depth, f->depth, f->rows - row, f->channels);
            packed_rows(f, &packed, first, columns, constants, output + row * f->channels + first);
        }
    }
}

// Keeps the sums of a block of columns at a time. Not inlined, so that the other paths do not have them on their stack.
static __attribute__((noinline)) void product_in_blocks(const struct rl_fully_connected *f, const int8_t *lhs,
                                                        int8_t *output)
{
    int32_t sums[SMALL_BLOCK];
    struct rl_fully_connected part = *f;
    part.folded = sums;
    part.rows = 1;
    for (int32_t first = 0; first < f->channels; first += SMALL_BLOCK) {
        part.weights = f->weights + (ptrdiff_t)first * f->depth;
        part.channels = rl_min_s32(f->channels - first, SMALL_BLOCK);
        rl_fully_connected_fold(&part, sums);
        rl_fully_connected_begin(&part);
        for (int32_t row = 0; row < f->rows; row++) {
            rl_fully_connected_run(&part, lhs + (ptrdiff_t)row * f->depth,
                                   output + (ptrdiff_t)row * f->channels + first, (struct rl_scratch){0});
        }
    }
}

static void one_product(const struct rl_fully_connected *f, const int8_t *lhs, struct rl_scratch scratch,
                        int8_t *output)
{
    if (RL_HAS_MVE && !f->folded) {
        product_in_blocks(f, lhs, output);
        return;
    }
    if (RL_HAS_MVE) {
        rl_fully_connected_fold(f, scratch.memory);
    }
    if (!RL_HAS_DSP && f->rows > 2 && f->depth > PACKED_DEPTH) {
        packed_product(f, lhs, output);
        return;
    }
    rl_fully_connected_run(f, lhs, output, (struct rl_scratch){0});
}

static bool goes_with(struct rl_image side, struct rl_image output)
{
    return (side.n == 1 || side.n == output.n) && (side.h == 1 || side.h == output.h);
}

static struct rl_extent steps_of(struct rl_image side, int32_t depth)
{
    const int32_t matrix = side.w * depth;
    return (struct rl_extent){.h = side.h == 1 ? 0 : matrix, .w = side.n == 1 ? 0 : side.h * matrix};
}

enum rl_status rl_batch_matmul_prepare(struct rl_batch_matmul *layer)
{
    if (!goes_with(layer->left, layer->output) || !goes_with(layer->right, layer->output)) {
        return RL_ERROR_ARGUMENT;
    }
    layer->left_step = steps_of(layer->left, layer->right.c);
    layer->right_step = steps_of(layer->right, layer->right.c);
    return RL_OK;
}

int32_t rl_batch_matmul_scratch(const struct rl_batch_matmul *layer, enum rl_isa isa)
{
    return isa == RL_ISA_MVE || isa == RL_ISA_ANY ? layer->right.w * (int32_t)sizeof(int32_t) : 0;
}

void rl_batch_matmul_run(const struct rl_batch_matmul *layer, const int8_t *left, const int8_t *right, int8_t *output,
                         struct rl_scratch scratch)
{
    const bool folds = RL_HAS_MVE && scratch.bytes >= rl_batch_matmul_scratch(layer, RL_ISA_MVE);
    struct rl_fully_connected f = {
        .rows = layer->left.w,
        .depth = layer->right.c,
        .channels = layer->right.w,
        .scale = layer->scale,
        .input_offset = layer->left_offset,
        .weight_offset = layer->right_offset,
        .output_offset = layer->output_offset,
        .range = layer->range,
        .folded = folds ? scratch.memory : NULL,
    };
    rl_fully_connected_begin(&f);
    for (int32_t n = 0; n < layer->output.n; n++) {
        for (int32_t h = 0; h < layer->output.h; h++) {
            f.weights = right + n * layer->right_step.w + h * layer->right_step.h;
            one_product(&f, left + n * layer->left_step.w + h * layer->left_step.h, scratch, output);
            output += f.rows * f.channels;
        }
    }
}
