// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with products of eight channels side by side, for layers whose planes (plane_nest.h) cost more
// to prepare than they save: small maps, strides above 1, filters of one line or column.
//
// For each line of outputs, the input rows under the filter are copied for 16 channels, with padding, as
// [column][row][channel]: a band. The window of an output is then a run of taps, and the weights are copied in the same
// order. Two outputs share each load of weights.
#ifndef RL_KERNELS_MVE_DEPTHWISE_BANDS_NEST_H
#define RL_KERNELS_MVE_DEPTHWISE_BANDS_NEST_H

#include "depthwise/choice.h"
#include "depthwise/planes.h"
#include "isa.h"
#include "mve/depthwise_bands.h"
#include "mve/depthwise_sharing.h"
#include "mve/memory_tile.h"
#include "mve/plane_store.h"

enum {
    RL_BAND_BYTES = 2048, // of a band, for layers whose windows leave room
    RL_BAND_GROUPS = RL_BAND_CHANNELS / RL_PLANE_CHANNELS,
};

// What is kept for 16 channels.
struct rl_bands {
    const struct rl_depthwise *layer;
    struct rl_plane_axes axes;
    int32_t width;                      // the most outputs of a line
    int32_t lines;                      // lines at a time
    bool padded;                        // windows reach beyond the image
    int8_t *weights;                    // [column][row][channel], then a pixel
    int8_t *memory;                     // [line][column][row][channel], then a pixel
    int32_t channel;                    // the first one
    int32_t first_group;                // 1 if the first eight channels were run before
    uint8_t distance[RL_BAND_CHANNELS]; // of the input channels from that of the first one
    struct rl_plane_scale scale[RL_BAND_GROUPS];
};

// rl_band_run for any shifts.
static __attribute__((noinline)) void rl_band_run_any(const void *argument)
{
    const struct rl_band *band = argument;
    const struct rl_plane_scale *s = band->scale;
    const int32x4x2_t multiplier = {{vldrwq_s32(s->multiplier), vldrwq_s32(s->multiplier + 4)}};
    const int32x4x2_t shift = {{vldrwq_s32(s->shift), vldrwq_s32(s->shift + 4)}};
    const int8_t *window = band->x;
    int8_t *output = band->output;
    int32_t left = band->width;
    for (int32_t i = band->count; i > 0; i--, window += band->step, output += band->output_step) {
        if (left == 0) {
            window += band->jump;
            left = band->width;
        }
        left--;
        const int8_t *x = window, *w = band->weights;
        int32x4x2_t sums = {{vldrwq_s32(s->bias), vldrwq_s32(s->bias + 4)}};
        for (int32_t tap = band->taps; tap > 0; tap--, x += RL_BAND_CHANNELS, w += RL_BAND_CHANNELS) {
            const int16x8_t value = vldrbq_s16(x), weight = vldrbq_s16(w);
            sums.val[0] = vaddq_s32(sums.val[0], vmullbq_int_s16(value, weight));
            sums.val[1] = vaddq_s32(sums.val[1], vmulltq_int_s16(value, weight));
        }
        const int16x8_t result = rl_requantize_eight_mve(sums, &multiplier, &shift, s->offset[0]);
        vstrbq_s16(output, vminq_s16(vmaxq_s16(result, vldrhq_s16(s->low)), vldrhq_s16(s->high)));
    }
}

// The columns under a line of outputs.
static inline int32_t rl_bands_columns(const struct rl_plane_axis *along, int32_t outputs)
{
    return (outputs - 1) * along->stride + along->taps;
}

static bool rl_bands_reach_beyond(const struct rl_plane_axis *axis)
{
    return axis->padding > 0 || (axis->output - 1) * axis->stride + axis->reach - axis->padding > axis->input;
}

// Copies the weights and prepares the scales.
static void rl_bands_prepare(struct rl_bands *b)
{
    const struct rl_plane_axis *along = &b->axes.along, *across = &b->axes.across;
    const int8_t *column = b->layer->weights + b->channel;
    int16x8_t low = vdupq_n_s16(0), high = low;
    int8_t *to = b->weights;
    for (int32_t columns = along->taps; columns > 0; columns--, column += along->filter_step) {
        const int8_t *from = column;
        for (int32_t rows = across->taps; rows > 0; rows--, to += RL_BAND_CHANNELS) {
            vstrbq_s8(to, vldrbq_s8(from));
            low = vaddq_s16(low, vldrbq_s16(from));
            high = vaddq_s16(high, vldrbq_s16(from + RL_PLANE_CHANNELS));
            from += across->filter_step;
        }
    }
    rl_plane_group_scale(&b->scale[0], b->layer, low, b->channel);
    rl_plane_group_scale(&b->scale[1], b->layer, high, b->channel + RL_PLANE_CHANNELS);
}

// Copies one pixel or more. In assembler for the alignment of the loop.
static inline void rl_bands_copy_pixels(const int8_t *from, ptrdiff_t step, int32_t pixels, int8_t *to, int32_t to_step)
{
    __asm__ volatile("dls lr, %[pixels]\n"
                     ".p2align 2\n"
                     "1: vldrb.u8 q0, [%[from]]\n"
                     "add %[from], %[from], %[step]\n"
                     "vstrb.8 q0, [%[to]]\n"
                     "add %[to], %[to], %[to_step]\n"
                     "le lr, 1b\n"
                     : [from] "+&r"(from), [to] "+&r"(to)
                     : [step] "r"(step), [pixels] "r"(pixels), [to_step] "r"(to_step)
                     : "q0", "lr", "memory");
}

// Copies pixels whose channels share inputs.
static inline void rl_bands_copy_shared(const struct rl_bands *b, const int8_t *from, ptrdiff_t step, int32_t pixels,
                                        int8_t *to, int32_t to_step)
{
    const uint8x16_t distance = vldrbq_u8(b->distance);
    for (; pixels > 0; pixels--, from += step, to += to_step) {
        vstrbq_s8(to, vldrbq_gather_offset_s8(from, distance));
    }
}

// Copies the rows under `lines` lines of outputs from `line` on, the first of whose columns is `start`.
static void rl_bands_copy(const struct rl_bands *b, const int8_t *input, int32_t line, int32_t lines, int32_t start,
                          int32_t columns)
{
    const struct rl_plane_axis *along = &b->axes.along, *across = &b->axes.across;
    const int32_t pixel = across->taps * RL_BAND_CHANNELS;
    const int32_t left = rl_clamp_s32(-start, 0, columns);
    const int32_t count = rl_clamp_s32(along->input - start - left, 0, columns - left);
    const ptrdiff_t step = along->input_step;
    const bool shares = b->layer->multiplier > 1;
    if (b->padded) {
        rl_fill_s8(b->memory, (int8_t)-b->layer->input_offset, lines * columns * pixel);
    }
    if (count == 0) {
        return;
    }
    const int8_t *inside = input + (start + left) * step;
    int8_t *band = b->memory + left * pixel;
    for (; lines > 0; lines--, line++, band += columns * pixel) {
        int32_t row = line * across->stride - across->padding;
        for (int32_t i = 0; i < across->taps; i++, row += across->dilation) {
            if (row >= 0 && row < across->input) {
                const int8_t *from = inside + row * across->input_step;
                int8_t *to = band + i * RL_BAND_CHANNELS;
                if (shares) {
                    rl_bands_copy_shared(b, from, step, count, to, pixel);
                    continue;
                }
                rl_bands_copy_pixels(from, step, count, to, pixel);
            }
        }
    }
}

// Computes an image; `input` and `output` are at the first channel. Not inlined: the caller has an array of variable
// length, for which clang keeps r6, which the assembler does not preserve.
static __attribute__((noinline)) void rl_bands_image(const struct rl_bands *b, const int8_t *input, int8_t *output)
{
    const struct rl_plane_axis *along = &b->axes.along, *across = &b->axes.across;
    const int32_t pixel = across->taps * RL_BAND_CHANNELS;
    struct rl_band band = {
        .step = along->stride * pixel, .taps = across->taps * along->taps, .output_step = along->output_step};
    for (int32_t first = 0; first < along->output; first += b->width) {
        band.width = rl_min_s32(b->width, along->output - first);
        const int32_t columns = rl_bands_columns(along, band.width);
        band.jump = columns * pixel - band.width * band.step;
        for (int32_t line = 0; line < across->output; line += b->lines) {
            const int32_t lines = rl_min_s32(b->lines, across->output - line);
            int8_t *to = output + line * across->output_step + first * along->output_step;
            band.count = lines * band.width;
            rl_bands_copy(b, input, line, lines, first * along->stride - along->padding, columns);
            for (int32_t group = b->first_group; group < RL_BAND_GROUPS; group++) {
                const int32_t at = group * RL_PLANE_CHANNELS;
                band.output = to + at;
                band.x = b->memory + at;
                band.weights = b->weights + at;
                band.scale = &b->scale[group];
                rl_call_assembler(band.scale->shifts_right ? rl_band_run : rl_band_run_any, &band);
            }
        }
    }
}

// Runs the channels [first, end), 16 or more. `input` and `output` are at channel 0.
static void rl_bands_run(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input, int8_t *output)
{
    struct rl_bands b = {.layer = d};
    rl_plane_axes_of(d, rl_depthwise_band_turns(d), &b.axes);
    const struct rl_plane_axis *along = &b.axes.along, *across = &b.axes.across;
    const int32_t column = across->taps * RL_BAND_CHANNELS, weight_bytes = along->taps * column;
    const int32_t most = (RL_BAND_BYTES / column - along->taps) / along->stride + 1;
    b.width = rl_clamp_s32(along->output, 1, rl_max_s32(most, 1));
    const int32_t line_bytes = rl_bands_columns(along, b.width) * column;
    // Lines that are cut, or that go down the image, do not follow each other.
    const bool whole = b.width == along->output && across->output_step == along->output * along->output_step;
    b.lines = whole ? rl_clamp_s32(RL_BAND_BYTES / line_bytes, 1, across->output) : 1;
    b.padded = rl_bands_reach_beyond(along) || rl_bands_reach_beyond(across);
    uint64_t stack[(weight_bytes + b.lines * line_bytes + 2 * RL_BAND_CHANNELS + 7) / 8];
    b.weights = (int8_t *)stack;
    b.memory = b.weights + weight_bytes + RL_BAND_CHANNELS;
    for (int32_t done = first; done < end; done = b.channel + RL_BAND_CHANNELS) {
        // The last 16 channels overlap those before when there are no 16 left.
        b.channel = rl_min_s32(done, end - RL_BAND_CHANNELS);
        rl_bands_prepare(&b);
        b.first_group = done - b.channel >= RL_PLANE_CHANNELS ? 1 : 0;
        int32_t input_channel = b.channel;
        if (d->multiplier > 1) {
            input_channel = b.channel / d->multiplier;
            rl_depthwise_distances(d->multiplier, b.channel, RL_BAND_CHANNELS, b.distance);
        }
        for (int32_t batch = 0; batch < d->input.n; batch++) {
            rl_bands_image(&b, input + batch * rl_image_size(d->input) + input_channel,
                           output + batch * rl_image_size(d->output) + b.channel);
        }
    }
}

#endif
