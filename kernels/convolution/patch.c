// SPDX-License-Identifier: Apache-2.0
#include "convolution/patch.h"

#include "isa.h"

#include RL_TILE(memory_tile.h)

// One filter row over the input row `line`, tap by tap. `x` is the (upscaled) column of the first tap.
static void copy_taps(const struct rl_convolution *c, const int8_t *line, int32_t x, int8_t fill,
                      int8_t *patch)
{
    const int32_t channels = c->filter_dims->c;
    const int32_t pixel_bytes = c->input_dims->c;
    const int32_t up = c->upscale_w ? 1 : 0;
    for (int32_t tap = 0; tap < c->filter_dims->w; tap++, x += c->params->dilation.w, patch += channels) {
        const bool absent = x < 0 || x >= c->input_dims->w || (x & up) != 0;
        if (absent) {
            rl_fill_s8(patch, fill, channels);
        } else {
            rl_copy_s8(patch, line + (ptrdiff_t)(x >> up) * pixel_bytes, channels);
        }
    }
}

static void copy_scattered(const struct rl_patch_row *row, int32_t in_x, int8_t *patch)
{
    const struct rl_convolution *c = row->convolution;
    const int8_t fill = (int8_t)-c->params->input_offset;
    const int32_t up = c->upscale_h ? 1 : 0;
    int32_t in_y = row->in_y;
    for (int32_t i = c->filter_dims->h; i > 0; i--, in_y += c->params->dilation.h, patch += row->run_bytes) {
        const bool absent = in_y < 0 || in_y >= c->input_dims->h || (in_y & up) != 0;
        if (absent) {
            rl_fill_s8(patch, fill, row->run_bytes);
        } else {
            copy_taps(c, row->input + (in_y >> up) * row->line_bytes, in_x, fill, patch);
        }
    }
}

// The filter hangs over: the part of its rows that lies on the input, in a patch of padding.
static void copy_cut(const struct rl_patch_row *row, int32_t in_x, int8_t *patch)
{
    const struct rl_convolution *c = row->convolution;
    const int32_t taps = c->filter_dims->w;
    const int32_t channels = c->filter_dims->c;
    const int32_t left = rl_clamp_s32(-in_x, 0, taps);
    const int32_t right = rl_clamp_s32(in_x + taps - c->input_dims->w, 0, taps - left);
    const int32_t inside = taps - left - right;
    rl_fill_s8(patch, (int8_t)-c->params->input_offset, c->filter_dims->h * row->run_bytes);
    if (inside == 0 || row->present == 0) {
        return;
    }
    patch += row->above * row->run_bytes + left * channels;
    const int8_t *from = row->input + (ptrdiff_t)(row->in_y + row->above) * row->line_bytes;
    rl_copy_runs_s8(patch, row->run_bytes, from + (in_x + left) * channels, row->line_bytes,
                    inside * channels, row->present);
}

void rl_patch_row_start(struct rl_patch_row *row, const struct rl_convolution *c, const int8_t *input,
                        int32_t y)
{
    const int32_t taps = c->filter_dims->h;
    const int32_t in_y = y * c->params->stride.h - c->params->padding.h;
    const int32_t below = rl_clamp_s32(in_y + taps - c->input_dims->h, 0, taps);
    row->convolution = c;
    row->input = input;
    row->in_y = in_y;
    row->line_bytes = (c->upscale_w ? c->input_dims->w / 2 : c->input_dims->w) * c->input_dims->c;
    row->run_bytes = c->filter_dims->w * c->filter_dims->c;
    row->above = rl_clamp_s32(-in_y, 0, taps - below);
    row->present = taps - below - row->above;
    row->last_inside = c->rows_are_runs && row->present == taps ? c->input_dims->w - c->filter_dims->w : -1;
}

void rl_patch_copy(const struct rl_patch_row *row, int32_t x, int8_t *patch)
{
    const struct rl_convolution *c = row->convolution;
    const int32_t in_x = x * c->params->stride.w - c->params->padding.w;
    const int8_t *inside = rl_patch_inside(row, x);
    if (inside != NULL) {
        rl_copy_runs_s8(patch, row->run_bytes, inside, row->line_bytes, row->run_bytes, row->present);
    } else if (c->rows_are_runs) {
        copy_cut(row, in_x, patch);
    } else {
        copy_scattered(row, in_x, patch);
    }
}
