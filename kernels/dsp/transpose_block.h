// SPDX-License-Identifier: Apache-2.0
// Four by four bytes as words. On a Cortex-M7 these instructions wait for each other longer than plain ones.
#ifndef RL_KERNELS_DSP_TRANSPOSE_BLOCK_H
#define RL_KERNELS_DSP_TRANSPOSE_BLOCK_H

#include "isa.h"

#if RL_DUAL_ISSUE
#include "scalar/transpose_block.h"
#else

#include "data_movement/transpose.h"
#include "dsp/instructions.h"
#include RL_TILE(packed_s8_tile.h)

// Bytes 0 and 2 of a beside those of b: a0 b0 a2 b2. In assembler because compilers make other instructions of this.
static inline uint32_t rl_pair_even_s8(uint32_t a, uint32_t b)
{
    __asm__("uxtb16 %0, %0" : "+r"(a));
    __asm__("uxtb16 %0, %0" : "+r"(b));
    return a | b << 8;
}

// The same of bytes 1 and 3.
static inline uint32_t rl_pair_odd_s8(uint32_t a, uint32_t b)
{
    __asm__("uxtb16 %0, %0, ror #8" : "+r"(a));
    __asm__("uxtb16 %0, %0, ror #8" : "+r"(b));
    return a | b << 8;
}

// Transposes four by four elements: first it pairs bytes, then half words.
static inline void rl_transpose_4x4_s8(const struct rl_transpose_plane *p, const int8_t *input, int8_t *output)
{
    const uint32_t a = rl_load_s8x4(input), b = rl_load_s8x4(input + p->input_step);
    const uint32_t c = rl_load_s8x4(input + 2 * p->input_step), d = rl_load_s8x4(input + 3 * p->input_step);
    const uint32_t ab_02 = rl_pair_even_s8(a, b), ab_13 = rl_pair_odd_s8(a, b);
    const uint32_t cd_02 = rl_pair_even_s8(c, d), cd_13 = rl_pair_odd_s8(c, d);
    rl_store_s8x4(output, rl_pkhbt(ab_02, cd_02));
    rl_store_s8x4(output + p->output_step, rl_pkhbt(ab_13, cd_13));
    rl_store_s8x4(output + 2 * p->output_step, rl_pkhtb(cd_02, ab_02));
    rl_store_s8x4(output + 3 * p->output_step, rl_pkhtb(cd_13, ab_13));
}

#endif

#endif
