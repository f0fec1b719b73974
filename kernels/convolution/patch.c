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

void rl_patch_copy(const struct rl_convolution *c, const int8_t *input, int32_t y, int32_t x, int8_t *patch)
{
    const cmsis_nn_conv_params *params = c->params;
    const int32_t row_bytes = c->filter_dims->w * c->filter_dims->c;
    const int32_t line_pixels = c->upscale_w ? c->input_dims->w / 2 : c->input_dims->w;
    const ptrdiff_t line_bytes = (ptrdiff_t)line_pixels * c->input_dims->c;
    const int8_t fill = (int8_t)-params->input_offset;
    const int32_t in_x = x * params->stride.w - params->padding.w;
    const bool whole_row = c->groups == 1 && params->dilation.w == 1 && !c->upscale_w && in_x >= 0 &&
                           in_x + c->filter_dims->w <= c->input_dims->w &&
                           c->filter_dims->c == c->input_dims->c;

    int32_t in_y = y * params->stride.h - params->padding.h;
    for (int32_t row = 0; row < c->filter_dims->h; row++, in_y += params->dilation.h, patch += row_bytes) {
        const bool absent = in_y < 0 || in_y >= c->input_dims->h || (c->upscale_h && in_y % 2 != 0);
        const int8_t *line = absent ? NULL : input + (c->upscale_h ? in_y / 2 : in_y) * line_bytes;
        if (absent) {
            rl_fill_s8(patch, fill, row_bytes);
        } else if (whole_row) {
            rl_copy_s8(patch, line + (ptrdiff_t)in_x * c->input_dims->c, row_bytes);
        } else {
            copy_taps(c, line, in_x, fill, patch);
        }
    }
}
