// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_TRANSPOSE_S8_TILE_H
#define RL_KERNELS_SCALAR_TRANSPOSE_S8_TILE_H

#include "data_movement/transpose.h"
#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// Four by four elements, as words: first pairs of bytes change places, then pairs of half words.
static inline void rl_transpose_4x4_s8(const struct rl_transpose_plane *p, const int8_t *input,
                                       int8_t *output)
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

// Rows first_row.. and columns first_column.., one element at a time.
static inline void rl_transpose_rest_s8(const struct rl_transpose_plane *p, const int8_t *input,
                                        int8_t *output, int32_t first_row, int32_t first_column)
{
    for (int32_t r = first_row; r < p->rows; r++) {
        const int8_t *from = input + first_column * p->input_step + r;
        int8_t *to = output + r * p->output_step;
        for (int32_t c = first_column; c < p->columns; c++) {
            to[c] = *from;
            from += p->input_step;
        }
    }
}

// One plane, by blocks of four by four as far as they go.
static inline void rl_transpose_plane_s8(const struct rl_transpose_plane *plane, const int8_t *input,
                                         int8_t *output)
{
    const struct rl_transpose_plane p = *plane;
    const uintptr_t addresses =
        (uintptr_t)input | (uintptr_t)output | (uintptr_t)p.input_step | (uintptr_t)p.output_step;
    if (!rl_words_allowed(addresses)) {
        rl_transpose_rest_s8(&p, input, output, 0, 0);
        return;
    }
    const int32_t rows = p.rows & ~3, columns = p.columns & ~3;
    for (int32_t r = 0; r < rows; r += 4) {
        const int8_t *from = input + r;
        int8_t *to = output + r * p.output_step;
        for (int32_t c = 0; c < columns; c += 4) {
            rl_transpose_4x4_s8(&p, from, to);
            from += 4 * p.input_step;
            to += 4;
        }
    }
    rl_transpose_rest_s8(&p, input, output, rows, 0);
    const struct rl_transpose_plane upper = {rows, p.columns, p.input_step, p.output_step};
    rl_transpose_rest_s8(&upper, input, output, 0, columns);
}

#endif
