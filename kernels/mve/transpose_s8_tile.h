// SPDX-License-Identifier: Apache-2.0
// Transposes planes by loads from, or stores to, eight addresses at a time. scalar/transpose_words.h runs planes whose
// steps do not fit the offsets.
#ifndef RL_KERNELS_MVE_TRANSPOSE_S8_TILE_H
#define RL_KERNELS_MVE_TRANSPOSE_S8_TILE_H

#include <arm_mve.h>

#include "requantize.h"
#include "scalar/transpose_words.h"

enum {
    RL_TRANSPOSED_LANES = 8,
    RL_TRANSPOSED_FEW = 96,                                      // elements below which words are faster than vectors
    RL_TRANSPOSED_STEP = UINT16_MAX / (RL_TRANSPOSED_LANES - 1), // the largest one
};

// Loads `lanes` inputs, up to eight, from `offsets` and stores them as a run; `count` times.
static __attribute__((noinline)) void rl_transpose_gather_s8(uint16x8_t offsets, const uint8_t *from,
                                                             ptrdiff_t from_step, uint8_t *to, ptrdiff_t to_step,
                                                             int32_t count, int32_t lanes)
{
    if (lanes >= RL_TRANSPOSED_LANES) {
        for (; count >= 2; count -= 2, from += 2 * from_step, to += 2 * to_step) {
            const uint16x8_t first = vldrbq_gather_offset_u16(from, offsets);
            const uint16x8_t second = vldrbq_gather_offset_u16(from + from_step, offsets);
            vstrbq_u16(to, first);
            vstrbq_u16(to + to_step, second);
        }
    }
    const mve_pred16_t active = vctp16q((uint32_t)lanes);
    for (; count > 0; count--, from += from_step, to += to_step) {
        vstrbq_p_u16(to, vldrbq_gather_offset_z_u16(from, offsets, active), active);
    }
}

// Gathers each output run, along the rows if they are few.
static inline void rl_transpose_gathered_s8(const struct rl_transpose_plane *p, uint16x8_t offsets, const uint8_t *from,
                                            uint8_t *to)
{
    enum { LANES = RL_TRANSPOSED_LANES };
    const ptrdiff_t across = LANES * (ptrdiff_t)p->input_step;
    if (p->rows >= LANES) {
        for (int32_t c = p->columns; c > 0; c -= LANES, from += across, to += LANES) {
            rl_transpose_gather_s8(offsets, from, 1, to, p->output_step, p->rows, c);
        }
        return;
    }
    const int32_t whole = p->columns / LANES, rest = p->columns % LANES;
    for (int32_t r = p->rows; r > 0; r--, from++, to += p->output_step) {
        rl_transpose_gather_s8(offsets, from, across, to, LANES, whole, LANES);
        if (rest > 0) {
            rl_transpose_gather_s8(offsets, from + whole * across, 0, to + whole * LANES, 0, 1, rest);
        }
    }
}

// Reads a run of inputs, and stores eight of them at a time to `offsets`.
static __attribute__((noinline)) void rl_transpose_scatter_s8(const struct rl_transpose_plane *p, uint16x8_t offsets,
                                                              const uint8_t *from, uint8_t *to)
{
    const ptrdiff_t step = RL_TRANSPOSED_LANES * (ptrdiff_t)p->output_step;
    int32_t rows = p->rows;
    for (; rows >= RL_TRANSPOSED_LANES; rows -= RL_TRANSPOSED_LANES, from += RL_TRANSPOSED_LANES, to += step) {
        vstrbq_scatter_offset_u16(to, offsets, vldrbq_u16(from));
    }
    const mve_pred16_t active = vctp16q((uint32_t)rows);
    vstrbq_scatter_offset_p_u16(to, offsets, vldrbq_z_u16(from, active), active);
}

static inline void rl_transpose_plane_s8(const struct rl_transpose_plane *p, const int8_t *input, int8_t *output)
{
    const bool gathers = p->columns >= RL_TRANSPOSED_LANES || p->columns >= p->rows;
    const int32_t spread = gathers ? p->input_step : p->output_step;
    if (spread > RL_TRANSPOSED_STEP || p->rows * p->columns < RL_TRANSPOSED_FEW) {
        rl_transpose_plane_words(p, input, output);
        return;
    }
    const uint16x8_t offsets = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)spread);
    const uint8_t *from = (const uint8_t *)input;
    uint8_t *to = (uint8_t *)output;
    if (gathers) {
        rl_transpose_gathered_s8(p, offsets, from, to);
        return;
    }
    for (int32_t c = 0; c < p->columns; c++) {
        rl_transpose_scatter_s8(p, offsets, from + (ptrdiff_t)c * p->input_step, to + c);
    }
}

#endif
