// SPDX-License-Identifier: Apache-2.0
// Transposes planes of bytes by words.
#ifndef RL_KERNELS_SCALAR_TRANSPOSE_WORDS_H
#define RL_KERNELS_SCALAR_TRANSPOSE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "data_movement/transpose.h"
#include "isa.h"
#include RL_TILE(packed_s8_tile.h)
#include RL_TILE(transpose_block.h)

// Whether blocks may overlap: their words have any address then, which a Cortex-M7 takes three cycles more for.
enum { RL_TRANSPOSE_OVERLAPS = RL_HAS_UNALIGNED_WORDS && !RL_DUAL_ISSUE };

// Transposes blocks of four by four; `rows` and `columns` are at least four, and multiples of four where blocks must
// not overlap. Otherwise the last blocks overlap with those before them. This function and the next ones are not
// inlined, because a Cortex-M0 has few registers.
static __attribute__((noinline)) void rl_transpose_blocks_s8(const struct rl_transpose_plane *plane,
                                                             const int8_t *input, int8_t *output, int32_t rows,
                                                             int32_t columns)
{
    const struct rl_transpose_plane p = *plane;
    for (int32_t r = 0; r < rows; r += 4) {
        const int32_t row = RL_TRANSPOSE_OVERLAPS && r > rows - 4 ? rows - 4 : r;
        const int8_t *from = input + row;
        int8_t *to = output + row * p.output_step;
        for (int32_t c = 0; c < (columns & ~3); c += 4) {
            rl_transpose_4x4_s8(&p, from, to);
            from += 4 * p.input_step;
            to += 4;
        }
        if (RL_TRANSPOSE_OVERLAPS && (columns & 3) != 0) {
            const int32_t back = 4 - (columns & 3);
            rl_transpose_4x4_s8(&p, from - back * p.input_step, to - back);
        }
    }
}

// Copies four elements that are `step` apart. A Cortex-M0 has no registers for multiples of the step; on other cores, a
// load behind a store waits.
static inline void rl_transpose_four(uint8_t *to, const uint8_t *from, ptrdiff_t step)
{
    if (RL_HAS_UNALIGNED_WORDS) {
        uint32_t a = from[0], b = from[step], c = from[2 * step], d = from[3 * step];
        RL_KEEP("+r"(a), "+r"(b), "+r"(c), "+r"(d));
        to[0] = (uint8_t)a;
        to[1] = (uint8_t)b;
        to[2] = (uint8_t)c;
        to[3] = (uint8_t)d;
        return;
    }
    to[0] = from[0];
    from += step;
    RL_HIDE("+r"(from));
    to[1] = from[0];
    from += step;
    RL_HIDE("+r"(from));
    to[2] = from[0];
    from += step;
    RL_HIDE("+r"(from));
    to[3] = from[0];
}

// Transposes the rows from first_row and the columns from first_column on, one element at a time. Elements are unsigned
// here, because a Cortex-M0 loads those with fewer instructions.
static __attribute__((noinline)) void rl_transpose_rest_s8(const struct rl_transpose_plane *plane, const int8_t *input,
                                                           int8_t *output, int32_t first_row, int32_t first_column)
{
    const int32_t columns = plane->columns - first_column;
    const ptrdiff_t step = plane->input_step, gap = plane->output_step - columns;
    const uint8_t *run = (const uint8_t *)input + first_column * step + first_row;
    uint8_t *to = (uint8_t *)output + first_row * plane->output_step + first_column;
    for (int32_t rows = plane->rows - first_row; rows > 0; rows--, run++, to += gap) {
        const uint8_t *from = run;
        int32_t left = columns;
        for (; !RL_SMALL && left >= 4; left -= 4, from += 4 * step, to += 4) {
            rl_transpose_four(to, from, step);
        }
        for (; left > 0; left--, from += step) {
            *to++ = *from;
        }
    }
}

// Puts four elements that follow each other `step` apart.
static inline void rl_transpose_word(int8_t *to, ptrdiff_t step, const int8_t *from)
{
    if (RL_HAS_UNALIGNED_WORDS) {
        const uint32_t word = rl_load_s8x4(from);
        to[0] = (int8_t)word;
        to[step] = (int8_t)(word >> 8);
        to[2 * step] = (int8_t)(word >> 16);
        to[3 * step] = (int8_t)(word >> 24);
        return;
    }
    const int8_t values[4] = {from[0], from[1], from[2], from[3]};
    to[0] = values[0];
    to[step] = values[1];
    to[2 * step] = values[2];
    to[3 * step] = values[3];
}

// Transposes the columns from first_column on along the runs of the input, for few columns or long runs.
static __attribute__((noinline)) void rl_transpose_columns_s8(const struct rl_transpose_plane *plane,
                                                              const int8_t *input, int8_t *output, int32_t first_column)
{
    const struct rl_transpose_plane p = *plane;
    const ptrdiff_t step = p.output_step;
    for (int32_t c = first_column; c < p.columns; c++) {
        const int8_t *from = input + c * p.input_step;
        int8_t *to = output + c;
        int32_t rows = p.rows;
        for (; !RL_SMALL && rows >= 4; rows -= 4, from += 4, to += 4 * step) {
            rl_transpose_word(to, step, from);
        }
        for (; rows > 0; rows--, to += step) {
            *to = *from++;
        }
    }
}

// Transposes three dense columns, such as the channel planes of an image that becomes channels-last. One word of each
// column makes three words of output. Addresses are aligned to words; `rows` is a multiple of four.
static __attribute__((noinline)) void rl_transpose_three_s8(const int8_t *input, int32_t input_step, int32_t rows,
                                                            int8_t *output)
{
    const uint32_t low = UINT32_C(0xff), middle = UINT32_C(0xff0000), high = UINT32_C(0xff000000);
    for (; rows > 0; rows -= 4, input += 4, output += 12) {
        const uint32_t a = rl_load_s8x4(input), b = rl_load_s8x4(input + input_step);
        const uint32_t c = rl_load_s8x4(input + 2 * input_step);
        rl_store_s8x4(output, (a & low) | (b & low) << 8 | (c & low) << 16 | (a >> 8 & low) << 24);
        rl_store_s8x4(output + 4, (b >> 8 & low) | (c & (low << 8)) | (a & middle) | (b << 8 & high));
        rl_store_s8x4(output + 8, (c >> 16 & low) | (a >> 16 & (low << 8)) | (b >> 8 & middle) | (c & high));
    }
}

// Transposes one plane, as far as possible in blocks of four by four.
static inline void rl_transpose_plane_words(const struct rl_transpose_plane *plane, const int8_t *input, int8_t *output)
{
    const struct rl_transpose_plane p = *plane;
    const uintptr_t addresses = (uintptr_t)input | (uintptr_t)output | (uintptr_t)p.input_step;
    const int32_t rows = p.rows & ~3;
    if (!RL_SMALL && p.columns == 3 && p.output_step == 3 && rl_words_allowed(addresses)) {
        rl_transpose_three_s8(input, p.input_step, rows, output);
        rl_transpose_rest_s8(plane, input, output, rows, 0);
        return;
    }
    if (p.columns < 4) {
        rl_transpose_columns_s8(plane, input, output, 0);
        return;
    }
    const bool has_words = RL_TRANSPOSE_OVERLAPS || ((addresses | (uintptr_t)p.output_step) & 3) == 0;
    if (!has_words && p.columns <= (RL_HAS_UNALIGNED_WORDS ? 4 : 1) * rows) {
        rl_transpose_columns_s8(plane, input, output, 0);
        return;
    }
    if (rows == 0 || !has_words) {
        rl_transpose_rest_s8(plane, input, output, 0, 0);
        return;
    }
    if (RL_TRANSPOSE_OVERLAPS) {
        const bool is_one_left = (p.rows & 3) == 1; // one row takes less alone than as a part of a block
        rl_transpose_blocks_s8(plane, input, output, is_one_left ? rows : p.rows, p.columns);
        if (is_one_left) {
            rl_transpose_rest_s8(plane, input, output, rows, 0);
        }
        return;
    }
    const int32_t columns = p.columns & ~3;
    rl_transpose_blocks_s8(plane, input, output, rows, columns);
    rl_transpose_rest_s8(plane, input, output, rows, 0);
    const struct rl_transpose_plane upper = {rows, p.columns, p.input_step, p.output_step};
    rl_transpose_columns_s8(&upper, input, output, columns);
}

#endif
