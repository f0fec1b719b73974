// SPDX-License-Identifier: Apache-2.0
#include "convolution/patch_cut.h"

// Copies filter rows that need not be runs. Small code copies all rows in this way. Not inlined, so that other paths
// need not save the registers that it uses.
static __attribute__((noinline)) void copy_scattered(const struct rl_patch_row *row, int32_t in_x, int8_t *patch)
{
    const struct rl_convolution *c = row->layer;
    const int8_t fill = (int8_t)-c->input_offset;
    const int32_t up_h = c->spread_h ? 1 : 0, up_w = c->spread_w ? 1 : 0;
    const int32_t dilation = c->dilation.w, taps = c->filter.w;
    const int32_t channels = c->filter_channels, pixel_bytes = c->input.c;
    // The taps that lie on an input: every `step`-th, `inside` in number, from `first` on.
    const int32_t step = 1 + (up_w & dilation);
    int32_t first = 0, inside = 0;
    if (up_w == 0 && in_x >= 0 && in_x + (taps - 1) * dilation < c->input.w) {
        inside = taps;
    } else {
        for (; first < taps && (in_x < 0 || (in_x & up_w) != 0); first++) {
            in_x += dilation;
        }
        for (int32_t x = in_x, tap = first; tap < taps && x < c->input.w; tap += step) {
            x += step * dilation;
            inside++;
        }
    }
    const ptrdiff_t from_step = (ptrdiff_t)(step * dilation >> up_w) * pixel_bytes;
    const int8_t *column = row->input + (ptrdiff_t)(in_x >> up_w) * pixel_bytes;
    int32_t in_y = row->in_y;
    const int32_t last_y = in_y + (c->filter.h - 1) * c->dilation.h;
    if (RL_HAS_MVE && inside == taps && taps <= c->filter.h && up_h == 0 && in_y >= 0 && last_y < c->input.h) {
        column += (ptrdiff_t)in_y * row->line_bytes;
        for (int32_t tap = 0; tap < taps; tap++, column += from_step, patch += channels) {
            rl_copy_runs_s8(patch, row->run_bytes, column, (ptrdiff_t)c->dilation.h * row->line_bytes, channels,
                            c->filter.h);
        }
        return;
    }
    for (int32_t i = c->filter.h; i > 0; i--, in_y += c->dilation.h, patch += row->run_bytes) {
        const bool absent = in_y < 0 || in_y >= c->input.h || (in_y & up_h) != 0;
        if (absent || inside < taps) {
            rl_fill_s8(patch, fill, row->run_bytes);
        }
        if (!absent) {
            rl_copy_runs_s8(patch + first * channels, step * channels,
                            column + (ptrdiff_t)(in_y >> up_h) * row->line_bytes, from_step, channels, inside);
        }
    }
}

void rl_patch_row_start(struct rl_patch_row *row, const struct rl_convolution *c, const int8_t *input, int32_t y)
{
    const int32_t taps = c->filter.h;
    const int32_t in_y = y * c->stride.h - c->padding.h;
    const int32_t below = rl_clamp_s32(in_y + taps - c->input.h, 0, taps);
    row->layer = c;
    row->input = input;
    row->in_y = in_y;
    row->line_bytes = (c->spread_w ? c->input.w / 2 : c->input.w) * c->input.c;
    row->run_bytes = c->filter.w * c->filter_channels;
    row->above = rl_clamp_s32(-in_y, 0, taps - below);
    row->present = taps - below - row->above;
    row->last_inside = c->rows_are_runs && row->present == taps ? c->input.w - c->filter.w : -1;
}

void rl_patch_copy(const struct rl_patch_row *row, int32_t x, int8_t *patch)
{
    const struct rl_convolution *c = row->layer;
    const int32_t in_x = x * c->stride.w - c->padding.w;
    const int8_t *from = rl_patch_inside(row, x);
    int32_t count = row->run_bytes;
    if (!from) {
        if (RL_SMALL || !c->rows_are_runs) {
            copy_scattered(row, in_x, patch);
            return;
        }
        from = rl_patch_cut(row, in_x, &patch, &count);
    }
    if (from) {
        rl_copy_runs_s8(patch, row->run_bytes, from, row->line_bytes, count, row->present);
    }
}
