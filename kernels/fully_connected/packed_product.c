// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/packed_product.h"

#include "fully_connected/sum_s8.h"
#include "scalar/packed_rows.h"

// Columns whose sums are kept on the stack at a time.
enum { COLUMN_BLOCK = 64 };

// Columns from `first` on, and what their sums start from: their bases, and the constants below.
struct block {
    int32_t first, columns;
    bool simple; // the sums are at most 2^29 in magnitude, and have the short scale
    int32_t constants[COLUMN_BLOCK];
};

// With offsets a and b, sum (x + a) * (w + b) = sum x * w + a constant of the column + a constant of the row.
static void block_start(struct block *block, const struct rl_fully_connected *f, int32_t first)
{
    const int32_t limit = INT32_C(1) << 28;
    block->first = first;
    block->columns = rl_min_s32(f->channels - first, COLUMN_BLOCK);
    block->simple = f->has_rescale && f->weight_offset == 0 && f->depth <= 1 << 13;
    for (int32_t i = 0; i < block->columns; i++) {
        const int32_t sum = rl_sum_of_s8(f->weights + (first + i) * f->depth, f->depth);
        const int32_t constant = f->base_offset * (sum + f->depth * f->weight_offset);
        block->constants[i] = constant + (f->base ? f->base[first + i] : 0);
        block->simple = block->simple && block->constants[i] >= -limit && block->constants[i] <= limit;
    }
}

// A few rows times the filters of a block.
static void packed_rows(const struct rl_fully_connected *f, const struct rl_packed_rows *rows,
                        const struct block *block, int8_t *output)
{
    struct rl_row_sums sums[COLUMN_BLOCK];
    uint32_t words[RL_PACKED_WORDS];
    const int8_t *filters = f->weights + block->first * f->depth;
    for (int32_t i = 0; i < block->columns; i++) {
        sums[i] = rl_row_sums_start(block->constants[i], f->depth);
    }
    rl_packed_rows_multiply(rows, filters, f->depth, sums, block->columns, words, true);
    if (block->simple &&
        rl_packed_rows_store(&f->rescale, true, f->range.min, f->range.max, block->columns, sums, rows, output)) {
        return;
    }
    for (int32_t row = 0; row < rows->count; row++) {
        const int32_t constant = f->weight_offset * rl_sum_of_s8(rows->row[row], f->depth);
        int8_t *to = output + rows->output[row];
        for (int32_t i = 0; i < block->columns; i++) {
            to[i] = rl_fully_connected_scaled(f, block->first + i, rl_row_sum(&sums[i], row) + constant);
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
