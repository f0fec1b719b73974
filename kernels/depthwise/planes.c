// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

#include "isa.h"

#include RL_TILE(plane_tile.h)

// What of a block is not padding: pixels and lines, and what lies before them.
struct margins {
    int32_t left;
    int32_t pixels;
    int32_t above;
    int32_t lines;
};

static bool equal_margins(struct margins a, struct margins b)
{
    return a.left == b.left && a.pixels == b.pixels && a.above == b.above && a.lines == b.lines;
}

// The largest block that there is room for; false if there is none. Wide blocks have fewer margins, high ones
// read fewer lines twice.
static bool size_block(const struct rl_depthwise *d, struct rl_plane_block *b)
{
    const int32_t taps = d->filter_dims->h;
    const int32_t widest = RL_PLANE_TILE / d->params->stride.w;
    for (b->columns = rl_min_s32(d->output_dims->w, widest); b->columns > 0; b->columns -= RL_PLANE_OUTPUTS) {
        const int32_t computed = (b->columns + RL_PLANE_OUTPUTS - 1) & ~(RL_PLANE_OUTPUTS - 1);
        const int32_t needed = (computed - 1) * d->params->stride.w + d->filter_dims->w;
        b->pitch = (needed + RL_PLANE_SLACK + 1) & ~1;
        const int32_t room = RL_PLANE_PIXELS / b->pitch;
        if (room >= taps) {
            b->rows = rl_min_s32((room - taps) / d->params->stride.h + 1, d->output_dims->h);
            b->lines = (b->rows - 1) * d->params->stride.h + taps;
            return true;
        }
    }
    return false;
}

// Fills the block with what the outputs from (y, x) on see of `input`, whose first channel is the group's.
// Padding stays from one block to the next where the margins do.
static void expand_block(const struct rl_depthwise *d, struct rl_plane_block *b, struct margins *before,
                         const int8_t *input, int32_t y, int32_t x, int32_t rows)
{
    const cmsis_nn_dims *in = d->input_dims;
    const int32_t top = y * d->params->stride.h - d->params->padding.h;
    const int32_t start = x * d->params->stride.w - d->params->padding.w;
    const int32_t bottom = rl_min_s32(top + (rows - 1) * d->params->stride.h + d->filter_dims->h, in->h);
    const int32_t first = rl_max_s32(top, 0);
    const int32_t left = rl_clamp_s32(-start, 0, b->pitch);
    const int32_t pixels = rl_clamp_s32(in->w - start - left, 0, b->pitch - left);
    const struct margins margins = {left, pixels, first - top, bottom - first};
    if (!equal_margins(margins, *before)) {
        rl_plane_clear(b, d);
        *before = margins;
    }
    const ptrdiff_t line_bytes = (ptrdiff_t)in->w * in->c;
    const int8_t *from = input + first * line_bytes + (ptrdiff_t)(start + left) * in->c;
    for (int32_t line = first; line < bottom; line++, from += line_bytes) {
        rl_plane_expand(b, d, from, line - top, left, pixels);
    }
}

static void run_image(const struct rl_depthwise *d, struct rl_plane_block *b,
                      const struct rl_plane_group *group, const int8_t *input, int8_t *output)
{
    const cmsis_nn_dims *out = d->output_dims;
    struct margins margins = {-1, 0, 0, 0};
    for (int32_t x = 0; x < out->w; x += b->columns) {
        const int32_t columns = rl_min_s32(b->columns, out->w - x);
        for (int32_t y = 0; y < out->h; y += b->rows) {
            const int32_t rows = rl_min_s32(b->rows, out->h - y);
            expand_block(d, b, &margins, input, y, x, rows);
            rl_plane_run(b, d, group, rows, columns, output + ((ptrdiff_t)y * out->w + x) * d->channels);
        }
    }
}

bool rl_depthwise_run_planes(const struct rl_depthwise *d)
{
    struct rl_plane_block b;
    const bool fits = d->channel_multiplier == 1 && d->channels >= RL_PLANE_CHANNELS &&
                      d->params->dilation.w == 1 && d->params->dilation.h == 1 && d->params->stride.w <= 2 &&
                      rl_plane_fits(d);
    if (!fits || !size_block(d, &b)) {
        return false;
    }
    const ptrdiff_t image = (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
    const ptrdiff_t result = (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    for (int32_t i = 0; i < d->channels; i += RL_PLANE_CHANNELS) {
        // The last group overlaps the one before when the channels are no multiple.
        const int32_t channel = rl_min_s32(i, d->channels - RL_PLANE_CHANNELS);
        struct rl_plane_group group;
        rl_plane_prepare(d, channel, &group);
        for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
            run_image(d, &b, &group, d->input + batch * image + channel,
                      d->output + batch * result + channel);
        }
    }
    return true;
}
