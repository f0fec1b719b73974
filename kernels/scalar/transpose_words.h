// SPDX-License-Identifier: Apache-2.0
// Transposes planes of bytes by words.
#ifndef RL_KERNELS_SCALAR_TRANSPOSE_WORDS_H
#define RL_KERNELS_SCALAR_TRANSPOSE_WORDS_H

#include <stddef.h>

#include "data_movement/transpose.h"
#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// Transposes four by four elements, as words: first it swaps pairs of bytes, then pairs of half words.
static inline void rl_transpose_4x4_s8(const struct rl_transpose_plane *p, const int8_t *input, int8_t *output)
{
    const uint32_t even = UINT32_C(0x00ff00ff);
    const uint32_t a = rl_load_s8x4(input), b = rl_load_s8x4(input + p->input_step);
    const uint32_t c = rl_load_s8x4(input + 2 * p->input_step), d = rl_load_s8x4(input + 3 * p->input_step);
    const uint32_t ab_02 = (a & even) | (b & even) << 8, ab_13 = ((a >> 8) & even) | (b & ~even);
    const uint32_t cd_02 = (c & even) | (d & even) << 8, cd_13 = ((c >> 8) & even) | (d & ~even);
    rl_store_s8x4(output, (ab_02 & 0xffffu) | cd_02 << 16);
    rl_store_s8x4(output + p->output_step, (ab_13 & 0xffffu) | cd_13 << 16);
    rl_store_s8x4(output + 2 * p->output_step, ab_02 >> 16 | (cd_02 & ~UINT32_C(0xffff)));
    rl_store_s8x4(output + 3 * p->output_step, ab_13 >> 16 | (cd_13 & ~UINT32_C(0xffff)));
}

// Transposes blocks of four by four; `rows` and `columns` are multiples of four. This function and the next ones are
// not inlined, because a Cortex-M0 has few registers.
static __attribute__((noinline)) void rl_transpose_blocks_s8(const struct rl_transpose_plane *plane,
                                                             const int8_t *input, int8_t *output, int32_t rows,
                                                             int32_t columns)
{
    const struct rl_transpose_plane p = *plane;
    for (int32_t r = 0; r < rows; r += 4) {
        const int8_t *from = input + r;
        int8_t *to = output + r * p.output_step;
        for (int32_t c = 0; c < columns; c += 4) {
            rl_transpose_4x4_s8(&p, from, to);
            from += 4 * p.input_step;
            to += 4;
        }
    }
}

// Transposes the rows from first_row and the columns from first_column on, one element at a time.
static __attribute__((noinline)) void rl_transpose_rest_s8(const struct rl_transpose_plane *plane, const int8_t *input,
                                                           int8_t *output, int32_t first_row, int32_t first_column)
{
    const struct rl_transpose_plane p = *plane;
    for (int32_t r = first_row; r < p.rows; r++) {
        const int8_t *from = input + first_column * p.input_step + r;
        int8_t *to = output + r * p.output_step;
        for (int32_t c = first_column; c < p.columns; c++) {
            to[c] = *from;
            from += p.input_step;
        }
    }
}

// Transposes the columns from first_column on, if they are few, along the runs of the input.
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
            const int8_t values[4] = {from[0], from[1], from[2], from[3]};
            to[0] = values[0];
            to[step] = values[1];
            to[2 * step] = values[2];
            to[3 * step] = values[3];
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
        rl_transpose_rest_s8(&p, input, output, rows, 0);
        return;
    }
    if (p.columns < 4) {
        rl_transpose_columns_s8(&p, input, output, 0);
        return;
    }
    if (!rl_words_allowed(addresses | (uintptr_t)p.output_step)) {
        rl_transpose_rest_s8(&p, input, output, 0, 0);
        return;
    }
    const int32_t columns = p.columns & ~3;
    rl_transpose_blocks_s8(&p, input, output, rows, columns);
    rl_transpose_rest_s8(&p, input, output, rows, 0);
    const struct rl_transpose_plane upper = {rows, p.columns, p.input_step, p.output_step};
    rl_transpose_columns_s8(&upper, input, output, columns);
}

#endif
