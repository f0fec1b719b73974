// SPDX-License-Identifier: Apache-2.0
#include "depthwise/planes.h"

#include "isa.h"

#include RL_TILE(memory_tile.h)
#include RL_TILE(plane_tile.h)
#include RL_TILE(rescale_tile.h)

// Where the zeros of a block are: values on the left, pixels after them, lines above, lines of input.
struct margins {
    int32_t left;
    int32_t pixels;
    int32_t above;
    int32_t lines;
};

// Four channels and a block of outputs.
struct plane_block {
    const struct rl_depthwise *d;
    const int8_t *input; // of the batch, first of the four channels
    int8_t *output;      // likewise
    int32_t channel;     // the first of the four
    int32_t columns;     // outputs side by side, at most
    int32_t rows;        // outputs one below the other, at most
    int32_t pitch;       // values per row of a plane
    int32_t plane;       // values per plane
    int32_t bias[RL_PLANE_CHANNELS];
    struct rl_rescale scale[RL_PLANE_CHANNELS];
    bool simple;            // `scale` holds all four
    struct margins margins; // of the block that is in the planes
    uint32_t weights[RL_PLANE_CHANNELS][RL_PLANE_WEIGHTS];
    _Alignas(4) int16_t planes[RL_PLANE_VALUES];
};

static int32_t round_up_to_outputs(int32_t columns)
{
    return (columns + RL_PLANE_OUTPUTS - 1) & ~(RL_PLANE_OUTPUTS - 1);
}

// The largest block that the planes have room for; false if there is none.
static bool size_block(struct plane_block *b)
{
    const struct rl_depthwise *d = b->d;
    const int32_t room = RL_PLANE_VALUES / RL_PLANE_CHANNELS;
    const int32_t taps = d->filter_dims->h;
    // Wide blocks have fewer margins, high ones read fewer lines twice.
    const int32_t widest = RL_PLANE_TILE / d->params->stride.w;
    for (b->columns = rl_min_s32(d->output_dims->w, widest); b->columns > 0; b->columns -= RL_PLANE_OUTPUTS) {
        const int32_t values =
            (round_up_to_outputs(b->columns) - 1) * d->params->stride.w + d->filter_dims->w;
        b->pitch = (values + RL_PLANE_SLACK + 1) & ~1;
        const int32_t lines = room / b->pitch;
        if (lines >= taps) {
            b->rows = rl_min_s32((lines - taps) / d->params->stride.h + 1, d->output_dims->h);
            b->plane = b->pitch * ((b->rows - 1) * d->params->stride.h + taps);
            return true;
        }
    }
    return false;
}

static void prepare_channels(struct plane_block *b, int32_t first)
{
    const struct rl_depthwise *d = b->d;
    const int32_t limit = INT32_C(1) << 28;
    b->channel = first;
    b->simple = true;
    for (int32_t i = 0; i < RL_PLANE_CHANNELS; i++) {
        const int32_t channel = first + i;
        b->bias[i] = d->bias != NULL ? d->bias[channel] : 0;
        b->simple = b->simple && b->bias[i] >= -limit && b->bias[i] <= limit &&
                    rl_rescale_init(d->params->output_offset, d->quant->multiplier[channel],
                                    d->quant->shift[channel], &b->scale[i]);
        rl_plane_weights(d->filter + channel, d->channels, d->filter_dims->h, d->filter_dims->w,
                         b->weights[i]);
    }
}

// Zeros around the pixels stay from one block to the next where the margins do.
static void set_margins(struct plane_block *b, struct margins next)
{
    const bool same = b->margins.left == next.left && b->margins.pixels == next.pixels &&
                      b->margins.above == next.above && b->margins.lines == next.lines;
    if (!same) {
        rl_fill_s8((int8_t *)b->planes, 0, RL_PLANE_CHANNELS * b->plane * (int32_t)sizeof b->planes[0]);
        b->margins = next;
    }
}

// Fills the planes with what the outputs from (y, x) on see.
static void expand_block(struct plane_block *b, int32_t y, int32_t x, int32_t rows)
{
    const struct rl_depthwise *d = b->d;
    const cmsis_nn_dims *in = d->input_dims;
    const int32_t top = y * d->params->stride.h - d->params->padding.h;
    const int32_t start = x * d->params->stride.w - d->params->padding.w;
    const int32_t bottom = rl_min_s32(top + (rows - 1) * d->params->stride.h + d->filter_dims->h, in->h);
    const int32_t first = rl_max_s32(top, 0);
    const int32_t left = rl_clamp_s32(-start, 0, b->pitch);
    const int32_t pixels = rl_clamp_s32(in->w - start - left, 0, b->pitch - left);
    set_margins(b, (struct margins){left, pixels, first - top, bottom - first});

    const int16_t offset = (int16_t)d->params->input_offset;
    const ptrdiff_t line_bytes = (ptrdiff_t)in->w * in->c;
    const int8_t *from = b->input + first * line_bytes + (ptrdiff_t)(start + left) * in->c;
    int16_t *to = b->planes + (first - top) * b->pitch + left;
    for (int32_t line = first; line < bottom; line++, from += line_bytes, to += b->pitch) {
        rl_plane_expand(from, in->c, pixels, offset, to, b->plane);
    }
}

static void store_sums(const struct plane_block *b, int32_t channel, const int32_t *sums, int32_t count,
                       int8_t *output)
{
    const struct rl_depthwise *d = b->d;
    const cmsis_nn_activation *limits = &d->params->activation;
    const int32_t index = b->channel + channel;
    for (int32_t i = 0; i < count; i++, output += d->channels) {
        if (b->simple) {
            *output =
                (int8_t)rl_clamp_s32(rl_rescale(b->scale[channel], sums[i] * 2), limits->min, limits->max);
        } else {
            const int32_t scaled =
                rl_requantize(sums[i], d->quant->multiplier[index], d->quant->shift[index]);
            *output = rl_output_s8(scaled, d->params->output_offset, limits->min, limits->max);
        }
    }
}

// The outputs of one channel from (y, x) on.
static void run_channel(const struct plane_block *b, int32_t channel, int32_t y, int32_t x, int32_t rows,
                        int32_t columns)
{
    const struct rl_depthwise *d = b->d;
    const struct rl_limits_s8 limits = {d->params->activation.min, d->params->activation.max};
    struct rl_plane_outputs p = {
        .plane = b->planes + channel * b->plane,
        .weights = b->weights[channel],
        .pitch = b->pitch,
        .row_step = b->pitch * d->params->stride.h,
        .filter_rows = d->filter_dims->h,
        .filter_columns = d->filter_dims->w,
        .stride = d->params->stride.w,
        .rows = rows,
        .columns = columns,
        .bias = b->bias[channel],
        .scale = b->scale[channel],
        .output = b->output + ((ptrdiff_t)y * d->output_dims->w + x) * d->channels + channel,
        .output_step = d->channels,
        .output_row = (ptrdiff_t)d->output_dims->w * d->channels,
    };
    if (b->simple && rl_limits_are_open(limits)) {
        rl_plane_outputs(&p);
        return;
    }
    int32_t sums[RL_PLANE_TILE];
    p.sums = sums;
    p.rows = 1;
    for (; rows > 0; rows--, p.plane += p.row_step, p.output += p.output_row) {
        rl_plane_outputs(&p);
        store_sums(b, channel, sums, columns, p.output);
    }
}

static void run_image(struct plane_block *b)
{
    const cmsis_nn_dims *out = b->d->output_dims;
    for (int32_t x = 0; x < out->w; x += b->columns) {
        const int32_t columns = rl_min_s32(b->columns, out->w - x);
        for (int32_t y = 0; y < out->h; y += b->rows) {
            const int32_t rows = rl_min_s32(b->rows, out->h - y);
            expand_block(b, y, x, rows);
            for (int32_t channel = 0; channel < RL_PLANE_CHANNELS; channel++) {
                run_channel(b, channel, y, x, rows, columns);
            }
        }
    }
}

bool rl_depthwise_run_planes(const struct rl_depthwise *d)
{
    struct plane_block b;
    b.d = d;
    const bool fits = d->channel_multiplier == 1 && d->channels >= RL_PLANE_CHANNELS &&
                      d->params->dilation.w == 1 && d->params->dilation.h == 1 && d->params->stride.w <= 2 &&
                      d->filter_dims->h * rl_plane_words(d->filter_dims->w) <= RL_PLANE_WEIGHTS;
    if (!fits || !size_block(&b)) {
        return false;
    }
    const ptrdiff_t image = (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
    const ptrdiff_t result = (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    b.margins = (struct margins){-1, 0, 0, 0};
    for (int32_t i = 0; i < d->channels; i += RL_PLANE_CHANNELS) {
        // The last four channels overlap the ones before when the count is no multiple of four.
        const int32_t channel = rl_min_s32(i, d->channels - RL_PLANE_CHANNELS);
        prepare_channels(&b, channel);
        for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
            b.input = d->input + batch * image + channel;
            b.output = d->output + batch * result + channel;
            run_image(&b);
        }
    }
    return true;
}
