// SPDX-License-Identifier: Apache-2.0
// The part of a patch that lies on the input. Each file that includes this calls it once, so that it is inlined.
#ifndef RL_KERNELS_CONVOLUTION_PATCH_CUT_H
#define RL_KERNELS_CONVOLUTION_PATCH_CUT_H

#include "convolution/patch.h"
#include "isa.h"
#include "requantize.h"

#include RL_TILE(memory_tile.h)

// For a filter that hangs over the edge of the input: fills `*patch` with padding and moves it on to the part that lies
// on the input. Returns where that part is, or NULL if there is none, and the bytes of its rows.
static const int8_t *rl_patch_cut(const struct rl_patch_row *row, int32_t in_x, int8_t **patch, int32_t *count)
{
    const struct rl_convolution *c = row->layer;
    const int32_t taps = c->filter.w;
    const int32_t channels = c->filter_channels;
    const int32_t left = rl_clamp_s32(-in_x, 0, taps);
    const int32_t right = rl_clamp_s32(in_x + taps - c->input.w, 0, taps - left);
    const int32_t inside = taps - left - right;
    rl_fill_s8(*patch, (int8_t)-c->input_offset, c->filter.h * row->run_bytes);
    if (inside == 0 || row->present == 0) {
        return NULL;
    }
    *patch += row->above * row->run_bytes + left * channels;
    *count = inside * channels;
    return row->input + (ptrdiff_t)(row->in_y + row->above) * row->line_bytes + (in_x + left) * c->input.c;
}

#endif
