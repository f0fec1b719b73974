// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of any window, eight channels at a time and output by output. It serves layers that planes do
// not take or take too long to prepare: those with few channels or outputs, large filters or small multipliers.
#ifndef RL_KERNELS_MVE_DEPTHWISE_S8_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_S8_TILE_H

#include <arm_mve.h>

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "mve/depthwise_bands_nest.h"
#include "mve/depthwise_lanes.h"
#include "mve/depthwise_positions.h"
#include "mve/requantize_mve.h"
#include "scalar/depthwise_none.h"

enum { RL_DEPTHWISE_EIGHT = 8 };

// Up to eight channels, the even ones before the odd ones, as widening products leave them. Distances are in bytes.
struct rl_depthwise_eight {
    int32_t first;
    int32_t count;
    int32_t input;                         // the input channel that the first one reads
    uint16_t distance[RL_DEPTHWISE_EIGHT]; // from `input` to the input channel of each, in the order of the channels
    ptrdiff_t next_row;                    // from one tap to the one below
    ptrdiff_t next_column;
    int32_t bias[RL_DEPTHWISE_EIGHT];
    int32_t multiplier[RL_DEPTHWISE_EIGHT];
    int32_t shift[RL_DEPTHWISE_EIGHT];
};

// Writes eight values, the even ones first: `count` from `from`, and zeros for the others. From NULL it writes zeros.
static inline void rl_depthwise_eight_split(const int32_t *from, int32_t count, int32_t *to)
{
    int32x4_t even = vdupq_n_s32(0), odd = even;
    if (from) {
        const mve_pred16_t evens = vctp32q((uint32_t)(count + 1) / 2), odds = vctp32q((uint32_t)count / 2);
        const uint32x4_t index = vidupq_n_u32(0, 2);
        even = vldrwq_gather_shifted_offset_z_s32(from, index, evens);
        odd = vldrwq_gather_shifted_offset_z_s32(from + 1, index, odds);
    }
    vstrwq_s32(to, even);
    vstrwq_s32(to + 4, odd);
}

static inline void rl_depthwise_eight_start(struct rl_depthwise_eight *e, const struct rl_depthwise *d, int32_t first,
                                            int32_t count)
{
    e->first = first;
    e->count = count;
    e->input = first / d->multiplier;
    e->next_row = d->dilation.h * d->input.w * (ptrdiff_t)d->input.c;
    e->next_column = d->dilation.w * (ptrdiff_t)d->input.c;
    rl_depthwise_eight_split(d->bias ? d->bias + first : NULL, count, e->bias);
    rl_depthwise_eight_split(d->scales.multiplier + first, count, e->multiplier);
    rl_depthwise_eight_split(d->scales.shift + first, count, e->shift);
    for (int32_t i = 0; d->multiplier > 1 && i < RL_DEPTHWISE_EIGHT; i++) {
        e->distance[i] = (uint16_t)((first + i) / d->multiplier - e->input);
    }
}

// The sums of one output; `shared` if several channels read one input channel.
static inline __attribute__((always_inline)) int32x4x2_t
rl_depthwise_eight_sum(const struct rl_depthwise *d, const struct rl_depthwise_eight *e,
                       const struct rl_depthwise_window *window, mve_pred16_t active, bool shared)
{
    const int16x8_t offset = vdupq_n_s16((int16_t)d->input_offset);
    const uint16x8_t distance = vldrhq_u16(e->distance);
    const int8_t *x = window->x, *w = window->w;
    const int32_t columns = window->columns;
    const ptrdiff_t x_step = e->next_column, w_step = d->output.c;
    const ptrdiff_t x_back = e->next_row - columns * x_step;
    const ptrdiff_t w_back = (d->filter.w - columns) * w_step;
    int32x4x2_t sums = {{vldrwq_s32(e->bias), vldrwq_s32(e->bias + 4)}};
    for (int32_t rows = window->rows; rows > 0; rows--, x += x_back, w += w_back) {
        for (int32_t column = columns; column > 0; column--, x += x_step, w += w_step) {
            const int16x8_t input = shared ? vldrbq_gather_offset_z_s16(x, distance, active) : vldrbq_z_s16(x, active);
            const int16x8_t value = vaddq_s16(input, offset);
            const int16x8_t weight = vldrbq_z_s16(w, active);
            sums.val[0] = vaddq_s32(sums.val[0], vmullbq_int_s16(value, weight));
            sums.val[1] = vaddq_s32(sums.val[1], vmulltq_int_s16(value, weight));
        }
    }
    return sums;
}

// Computes one output of each channel. Not inlined, because the loops around it would take its registers.
static __attribute__((noinline)) void rl_depthwise_eight_output(const struct rl_depthwise *d,
                                                                const struct rl_depthwise_eight *e,
                                                                const struct rl_depthwise_window *window,
                                                                int8_t *output)
{
    const mve_pred16_t active = vctp16q((uint32_t)e->count);
    const int32x4x2_t sums = d->multiplier > 1 ? rl_depthwise_eight_sum(d, e, window, active, true)
                                               : rl_depthwise_eight_sum(d, e, window, active, false);
    const int32x4x2_t multiplier = {{vldrwq_s32(e->multiplier), vldrwq_s32(e->multiplier + 4)}};
    const int32x4x2_t shift = {{vldrwq_s32(e->shift), vldrwq_s32(e->shift + 4)}};
    int16x8_t result = rl_requantize_eight_mve(sums, &multiplier, &shift, (int16_t)d->output_offset);
    result = vmaxq_s16(result, vdupq_n_s16((int16_t)d->range.min));
    result = vminq_s16(result, vdupq_n_s16((int16_t)d->range.max));
    vstrbq_p_s16(output, result, active);
}

// Computes one image; `image` and `output` point to the first of the channels.
static inline void rl_depthwise_eight_image(const struct rl_depthwise *d, const struct rl_depthwise_eight *e,
                                            const int8_t *image, int8_t *output)
{
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
        for (int32_t x = 0; x < d->output.w; x++, output += d->output.c) {
            const struct rl_taps columns =
                rl_taps_of(x * d->stride.w - d->padding.w, d->dilation.w, d->filter.w, d->input.w);
            struct rl_depthwise_window window = rl_depthwise_window_of(d, image, rows, columns);
            window.w += e->first;
            rl_depthwise_eight_output(d, e, &window, output);
        }
    }
}

// depthwise/window.h describes the functions below.
enum { RL_DEPTHWISE_SHIFTS_LEFT = 0, RL_DEPTHWISE_OVERLAPS = 0 };

struct rl_depthwise_together {
    int32_t none;
};

static inline int32_t rl_depthwise_start_together(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                                  const struct rl_depthwise_steps *step, int32_t first, int32_t end,
                                                  bool left)
{
    (void)t;
    (void)d;
    (void)step;
    (void)end;
    (void)left;
    return first;
}

static inline void rl_depthwise_run_together(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                             const struct rl_depthwise_steps *step,
                                             const struct rl_depthwise_window *window, int8_t *output)
{
    (void)t;
    (void)d;
    (void)step;
    (void)window;
    (void)output;
}

static void rl_depthwise_run_eights(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                                    int8_t *output)
{
    const ptrdiff_t image = rl_image_size(d->input);
    const ptrdiff_t result = rl_image_size(d->output);
    for (int32_t channel = first; channel < end; channel += RL_DEPTHWISE_EIGHT) {
        struct rl_depthwise_eight eight;
        rl_depthwise_eight_start(&eight, d, channel, rl_min_s32(end - channel, RL_DEPTHWISE_EIGHT));
        for (int32_t batch = 0; batch < d->input.n; batch++) {
            rl_depthwise_eight_image(d, &eight, input + batch * image + eight.input, output + batch * result + channel);
        }
    }
}

static inline bool rl_depthwise_run_vectors(const struct rl_depthwise *d, int32_t first, int32_t end,
                                            const int8_t *input, int8_t *output)
{
    if (d->dilation.w < 1 || d->dilation.h < 1) {
        return false;
    }
    if (!RL_SMALL && rl_depthwise_suits_lanes(d, end - first)) {
        rl_depthwise_run_lanes(d, first, end, input, output);
        return true;
    }
    if (!RL_SMALL && d->multiplier == 1 && d->output.c <= RL_DEPTHWISE_NARROW) {
        return false;
    }
    const bool bands = d->by_windows && end - first >= RL_BAND_CHANNELS && rl_depthwise_suits_bands(d);
    if (!RL_SMALL && rl_depthwise_suits_sixteens(d, first, end, bands)) {
        rl_depthwise_run_sixteens(d, first, end, input, output);
    } else if (!RL_SMALL && d->multiplier == 1 && end - first >= RL_DEPTHWISE_EIGHT &&
               !(bands && (rl_depthwise_has_sixteens(d) || !rl_depthwise_positions_beat_bands(d)))) {
        rl_depthwise_run_each_position(d, first, end, input, output);
    } else if (!RL_SMALL && bands) {
        rl_bands_run(d, first, end, input, output);
    } else {
        rl_depthwise_run_eights(d, first, end, input, output);
    }
    return true;
}

#endif
