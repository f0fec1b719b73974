// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/packed_product.h"

#include "fully_connected/sum_s8.h"
#include "scalar/matmul_tile.h"
#include "scalar/packed_rows.h"

enum {
    COLUMN_BLOCK = RL_HAS_THUMB2_LOOP ? 32 : 64,    // whose sums are kept on the stack at a time
    SCALES = RL_HAS_THUMB2_LOOP ? COLUMN_BLOCK : 1, // one a column where rl_packed_rows_outputs reads them
};

// Columns from `first` on, and what their sums start from: their bases, and the constants below.
struct block {
    int32_t first, columns;
    bool simple;    // the sums are at most 2^29 in magnitude, and have the short scale
    bool same_base; // the constants of all rows are 0
    int32_t constants[COLUMN_BLOCK];
    struct rl_rescale scales[SCALES];
    struct rl_matmul matmul; // the same block, for the loops of convolutions
};

// With offsets a and b, sum (x + a) * (w + b) = sum x * w + a constant of the column + a constant of the row.
static void block_start(struct block *block, const struct rl_fully_connected *f, int32_t first)
{
    const int32_t limit = INT32_C(1) << 28;
    block->first = first;
    block->columns = rl_min_s32(f->channels - first, COLUMN_BLOCK);
    block->simple = f->has_rescale && f->depth <= 1 << 13;
    block->same_base = f->weight_offset == 0;
    for (int32_t i = 0; i < block->columns; i++) {
        block->constants[i] = f->base ? f->base[first + i] : 0;
        if (f->base_offset != 0) {
            const int32_t sum = rl_sum_of_s8(f->weights + (first + i) * f->depth, f->depth);
            block->constants[i] += f->base_offset * (sum + f->depth * f->weight_offset);
        }
        block->simple = block->simple && block->constants[i] >= -limit && block->constants[i] <= limit;
        if (RL_HAS_THUMB2_LOOP) {
            block->scales[i] = f->rescale;
        }
    }
    block->matmul = (struct rl_matmul){.filter = f->weights + first * f->depth,
                                       .depth = f->depth,
                                       .channels = block->columns,
                                       .output_min = f->range.min,
                                       .output_max = f->range.max,
                                       .simple = block->simple,
                                       .bias = block->constants,
                                       .scale = block->scales};
}

// Scales and stores sums. Returns false where it does nothing.
static bool stores(const struct rl_fully_connected *f, const struct rl_packed_rows *rows, const struct block *block,
                   const struct rl_row_sums *sums, int8_t *output)
{
    if (!block->simple || RL_SMALL) {
        return false;
    }
    if (!RL_HAS_THUMB2_LOOP) {
        return rl_packed_rows_store(&f->rescale, true, f->range.min, f->range.max, block->columns, sums, rows, output);
    }
    return rl_packed_store_simple(&block->matmul, 0, block->columns, sums, rows, output);
}

// Takes the loop of convolutions from the packed rows to the outputs. Returns false where it does nothing.
static bool in_registers(const struct rl_packed_rows *rows, const struct block *block, uint32_t *words, int8_t *output)
{
    const struct rl_matmul *m = &block->matmul;
    if (!RL_HAS_THUMB2_LOOP || RL_SMALL || !block->simple || !block->same_base) {
        return false;
    }
    if (rows->count == 1) {
        rl_matmul_single_row(m, rows->row[0], output);
        return true;
    }
    return rl_packed_rows_outputs(m, rows, words, output);
}

// A few rows times the filters of a block.
static void packed_rows(const struct rl_fully_connected *f, const struct rl_packed_rows *rows,
                        const struct block *block, int8_t *output)
{
    struct rl_row_sums sums[COLUMN_BLOCK];
    uint32_t words[RL_PACKED_WORDS];
    if (in_registers(rows, block, words, output)) {
        return;
    }
    rl_packed_rows_multiply(rows, 0, block->matmul.filter, f->depth, block->constants, sums, block->columns, words,
                            true);
    if (!block->same_base) {
        int32_t constants[RL_PACKED_ROWS];
        for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
            constants[row] = f->weight_offset * rl_sum_of_s8(rows->row[row], f->depth);
        }
        for (int32_t i = 0; i < block->columns; i++) {
            rl_row_sums_add(&sums[i], constants);
        }
    }
    if (stores(f, rows, block, sums, output)) {
        return;
    }
    for (int32_t row = 0; row < rows->count; row++) {
        int8_t *to = output + rows->output[row];
        for (int32_t i = 0; i < block->columns; i++) {
            to[i] = rl_fully_connected_scaled(f, block->first + i, rl_row_sum(&sums[i], row));
        }
    }
}

void rl_packed_product(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    for (int32_t first = 0; first < f->channels; first += COLUMN_BLOCK) {
        struct block block;
        block_start(&block, f, first);
        for (int32_t row = 0; row < f->rows; row += RL_PACKED_ROWS) {
            struct rl_packed_rows packed;
            rl_packed_rows_start(&packed, input + row * f->depth, f->depth, f->rows - row, f->channels);
            packed_rows(f, &packed, &block, output + row * f->channels + first);
        }
    }
}
