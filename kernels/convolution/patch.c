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
    for (int32_t tap = 0; tap < c->filter_dims->w; tap++, x += c->params->dilation.w, patch += channels) {
        const bool absent = x < 0 || x >= c->input_dims->w || (c->upscale_w && x % 2 != 0);
        if (absent) {
            rl_fill_s8(patch, fill, channels);
        } else {
            rl_copy_s8(patch, line + (ptrdiff_t)(c->upscale_w ? x / 2 : x) * pixel_bytes, channels);
        }
    }
}

static void copy_scattered(const struct rl_convolution *c, const int8_t *input, int32_t in_y, int32_t in_x,
                           int8_t *patch)
{
    const int32_t row_bytes = c->filter_dims->w * c->filter_dims->c;
    const int32_t line_pixels = c->upscale_w ? c->input_dims->w / 2 : c->input_dims->w;
    const ptrdiff_t line_bytes = (ptrdiff_t)line_pixels * c->input_dims->c;
    const int8_t fill = (int8_t)-c->params->input_offset;
    for (int32_t row = 0; row < c->filter_dims->h; row++, in_y += c->params->dilation.h, patch += row_bytes) {
        const bool absent = in_y < 0 || in_y >= c->input_dims->h || (c->upscale_h && in_y % 2 != 0);
        if (absent) {
            rl_fill_s8(patch, fill, row_bytes);
        } else {
            copy_taps(c, input + (c->upscale_h ? in_y / 2 : in_y) * line_bytes, in_x, fill, patch);
        }
    }
}

// Rows of the filter are runs of the input, cut off where the filter hangs over on the left or right.
static void copy_cut_rows(const struct rl_convolution *c, const int8_t *input, int32_t in_y, int32_t in_x,
                          int8_t *patch)
{
    const int32_t channels = c->filter_dims->c;
    const ptrdiff_t line_bytes = (ptrdiff_t)c->input_dims->w * channels;
    const int8_t fill = (int8_t)-c->params->input_offset;
    const int32_t taps = c->filter_dims->w;
    const int32_t left = rl_clamp_s32(-in_x, 0, taps);
    const int32_t right = rl_clamp_s32(in_x + taps - c->input_dims->w, 0, taps - left);
    const int32_t left_bytes = left * channels;
    const int32_t right_bytes = right * channels;
    const int32_t run_bytes = (taps - left - right) * channels;
    const int8_t *line = input + (in_x + left) * channels;
    for (int32_t row = c->filter_dims->h; row > 0; row--, in_y++) {
        const bool absent = in_y < 0 || in_y >= c->input_dims->h;
        rl_fill_s8(patch, fill, left_bytes);
        patch += left_bytes;
        if (absent) {
            rl_fill_s8(patch, fill, run_bytes);
        } else {
            rl_copy_s8(patch, line + in_y * line_bytes, run_bytes);
        }
        patch += run_bytes;
        rl_fill_s8(patch, fill, right_bytes);
        patch += right_bytes;
    }
}

void rl_patch_copy(const struct rl_convolution *c, const int8_t *input, int32_t y, int32_t x, int8_t *patch)
{
    const cmsis_nn_dims *in = c->input_dims;
    const cmsis_nn_dims *filter = c->filter_dims;
    const int32_t in_y = y * c->params->stride.h - c->params->padding.h;
    const int32_t in_x = x * c->params->stride.w - c->params->padding.w;
    if (!c->rows_are_runs) {
        copy_scattered(c, input, in_y, in_x, patch);
        return;
    }
    if (in_y < 0 || in_x < 0 || in_y + filter->h > in->h || in_x + filter->w > in->w) {
        copy_cut_rows(c, input, in_y, in_x, patch);
        return;
    }
    const int32_t row_bytes = filter->w * in->c;
    const ptrdiff_t line_bytes = (ptrdiff_t)in->w * in->c;
    const int8_t *line = input + in_y * line_bytes + (ptrdiff_t)in_x * in->c;
    for (int32_t row = filter->h; row > 0; row--, line += line_bytes, patch += row_bytes) {
        rl_copy_s8(patch, line, row_bytes);
    }
}
