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

// The largest block that there is room for; false if there is none. Long lines have fewer margins, many lines
// are read twice less often.
static bool size_block(const struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const int32_t widest = RL_PLANE_TILE / along->stride;
    for (b->columns = rl_min_s32(along->output, widest); b->columns > 0; b->columns -= RL_PLANE_OUTPUTS) {
        const int32_t computed = (b->columns + RL_PLANE_OUTPUTS - 1) & ~(RL_PLANE_OUTPUTS - 1);
        const int32_t needed = (computed - 1) * along->stride + along->taps;
        b->pitch = (needed + RL_PLANE_SLACK + 1) & ~1;
        const int32_t room = RL_PLANE_PIXELS / b->pitch;
        if (room >= across->taps) {
            b->rows = rl_min_s32((room - across->taps) / across->stride + 1, across->output);
            b->lines = (b->rows - 1) * across->stride + across->taps;
            return true;
        }
    }
    return false;
}

// Fills the block with what the outputs from (row, column) on see of `input`, whose first channel is the
// group's. Padding stays from one block to the next where the margins do.
static void expand_block(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                         struct rl_plane_block *b, struct margins *before, const int8_t *input, int32_t row,
                         int32_t column, int32_t rows)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const int32_t top = row * across->stride - across->padding;
    const int32_t start = column * along->stride - along->padding;
    const int32_t bottom = rl_min_s32(top + (rows - 1) * across->stride + across->taps, across->input);
    const int32_t first = rl_max_s32(top, 0);
    const int32_t left = rl_clamp_s32(-start, 0, b->pitch);
    const int32_t pixels = rl_clamp_s32(along->input - start - left, 0, b->pitch - left);
    const struct margins margins = {left, pixels, first - top, bottom - first};
    if (!equal_margins(margins, *before)) {
        rl_plane_clear(b, d);
        *before = margins;
    }
    const int8_t *from = input + first * across->input_step + (start + left) * along->input_step;
    for (int32_t line = first; line < bottom; line++, from += across->input_step) {
        rl_plane_expand(b, d, axes, from, line - top, left, pixels);
    }
}

static void run_image(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                      struct rl_plane_block *b, const struct rl_plane_group *group, const int8_t *input,
                      int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    struct margins margins = {-1, 0, 0, 0};
    for (int32_t column = 0; column < along->output; column += b->columns) {
        const int32_t columns = rl_min_s32(b->columns, along->output - column);
        for (int32_t row = 0; row < across->output; row += b->rows) {
            const int32_t rows = rl_min_s32(b->rows, across->output - row);
            int8_t *first = output + row * across->output_step + column * along->output_step;
            expand_block(d, axes, b, &margins, input, row, column, rows);
            rl_plane_run(b, d, axes, group, rows, columns, first);
        }
    }
}

// Outputs that are computed when lines go along `a`, those beyond the end of a line included.
static int32_t computed_outputs(const struct rl_plane_axis *a, const struct rl_plane_axis *other)
{
    return ((a->output + RL_PLANE_OUTPUTS - 1) & ~(RL_PLANE_OUTPUTS - 1)) * other->output;
}

static bool axes_fit(const struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    return axes->along.stride >= 1 && axes->along.stride <= 2 && axes->across.stride >= 1 &&
           rl_plane_fits(axes) && size_block(axes, b);
}

// False if lines can go in neither direction.
static bool choose_axes(const struct rl_depthwise *d, struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    const cmsis_nn_dims *in = d->input_dims;
    const cmsis_nn_dims *out = d->output_dims;
    const cmsis_nn_dw_conv_params *p = d->params;
    const struct rl_plane_axis x = {in->w,        out->w, d->filter_dims->w, p->stride.w,
                                    p->padding.w, in->c,  d->channels,       d->channels};
    const struct rl_plane_axis y = {in->h,
                                    out->h,
                                    d->filter_dims->h,
                                    p->stride.h,
                                    p->padding.h,
                                    (ptrdiff_t)in->w * in->c,
                                    (ptrdiff_t)out->w * d->channels,
                                    (ptrdiff_t)d->filter_dims->w * d->channels};
    *axes = (struct rl_plane_axes){y, x};
    if (computed_outputs(&y, &x) < computed_outputs(&x, &y) && axes_fit(axes, b)) {
        return true;
    }
    *axes = (struct rl_plane_axes){x, y};
    return axes_fit(axes, b);
}

bool rl_depthwise_run_planes(const struct rl_depthwise *d)
{
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    const bool plain = d->channel_multiplier == 1 && d->channels >= RL_PLANE_CHANNELS &&
                       d->params->dilation.w == 1 && d->params->dilation.h == 1;
    if (!plain || !choose_axes(d, &axes, &b)) {
        return false;
    }
    const ptrdiff_t image = (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
    const ptrdiff_t result = (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    for (int32_t i = 0; i < d->channels; i += RL_PLANE_CHANNELS) {
        // The last group overlaps the one before when the channels are no multiple.
        const int32_t channel = rl_min_s32(i, d->channels - RL_PLANE_CHANNELS);
        struct rl_plane_group group;
        rl_plane_prepare(d, &axes, channel, &group);
        for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
            run_image(d, &axes, &b, &group, d->input + batch * image + channel,
                      d->output + batch * result + channel);
        }
    }
    return true;
}
