// SPDX-License-Identifier: Apache-2.0
// Four by four bytes as words, for transpose_words.h.
#ifndef RL_KERNELS_SCALAR_TRANSPOSE_BLOCK_H
#define RL_KERNELS_SCALAR_TRANSPOSE_BLOCK_H

#include "data_movement/transpose.h"
#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// Transposes four by four elements: first it swaps pairs of bytes, then pairs of half words.
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

#endif
