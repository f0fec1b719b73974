// SPDX-License-Identifier: Apache-2.0
#include "depthwise/window.h"

#include "depthwise/window_groups.h"
#include "depthwise/window_sums.h"
#include "isa.h"
#include "scalar/store_s8.h"
#include "scalar/window_fours.h"

#include RL_TILE(depthwise_s8_tile.h)
#include RL_TILE(rescale_tile.h)

#include <string.h>

enum {
    CHANNEL_BLOCK = RL_HAS_STORE_S8 ? 128 : 32, // channels whose sums are kept at a time, by calls
};

// This function and the next are not inlined, because the loops around them would take their registers.
static __attribute__((noinline)) void sum_together(const struct rl_depthwise_sums *s, const int8_t *x, const int8_t *w,
                                                   int32_t count, int32_t *sums)
{
    rl_depthwise_sum_some(s, x, w, count, RL_DEPTHWISE_TOGETHER, sums);
}

// The same for channels that all read one input; `some` is 2 or 4.
static inline __attribute__((always_inline)) void sum_sharing(const struct rl_depthwise_sums *s, const int8_t *x,
                                                              const int8_t *w, int32_t count, int32_t some,
                                                              int32_t *sums)
{
    const int32_t offset = s->offset, columns = s->window->columns;
    const ptrdiff_t x_step = s->step->x, w_step = s->step->w;
    const ptrdiff_t x_back = s->step->x_line - columns * x_step, w_back = s->step->w_line - columns * w_step;
    for (; count > 0; count -= some, sums += some, w += some) {
        const int8_t *from = x, *weights = w;
        int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
        for (int32_t rows = s->window->rows; rows > 0; rows--, from += x_back, weights += w_back) {
            int32_t left = columns;
            do {
                int32_t w_0 = weights[0], w_1 = weights[1];
                int32_t w_2 = some > 2 ? weights[2] : 0, w_3 = some > 2 ? weights[3] : 0;
                const int32_t value = *from + offset;
                if (RL_HAS_LONG_MULTIPLY && some > 2) { // loads right after loads are cheap on a Cortex-M3
                    RL_KEEP("+r"(w_0), "+r"(w_1), "+r"(w_2), "+r"(w_3));
                }
                sum_0 += value * w_0;
                sum_1 += value * w_1;
                sum_2 += value * w_2;
                sum_3 += value * w_3;
                from += x_step;
                weights += w_step;
            } while (--left != 0);
        }
        const int32_t all[] = {sum_0, sum_1, sum_2, sum_3};
        for (int32_t i = 0; i < some; i++) {
            sums[i] = all[i];
        }
    }
}

static __attribute__((noinline)) void sum_four_sharing(const struct rl_depthwise_sums *s, const int8_t *x,
                                                       const int8_t *w, int32_t count, int32_t *sums)
{
    const struct rl_window_fours job = rl_window_fours_of(s, x, w, NULL, sums, count);
    if (RL_HAS_WINDOW_FOURS && job.rows != 0 && job.left_out >= 0) {
        rl_window_shared(&job);
        return;
    }
    sum_sharing(s, x, w, count, 4, sums);
}

static __attribute__((noinline)) void sum_two_sharing(const struct rl_depthwise_sums *s, const int8_t *x,
                                                      const int8_t *w, int32_t count, int32_t *sums)
{
    sum_sharing(s, x, w, count, 2, sums);
}

static __attribute__((noinline)) void sum_three(const struct rl_depthwise_sums *s, const int8_t *x, const int8_t *w,
                                                int32_t *sums)
{
    rl_depthwise_sum_some(s, x, w, 3, 3, sums);
}

static __attribute__((noinline)) void sum_one(const struct rl_depthwise_sums *s, const int8_t *x, const int8_t *w,
                                              int32_t *sum)
{
    rl_depthwise_sum_some(s, x, w, 1, 1, sum);
}

// Computes the sums of `count` channels in fours, where a core has a loop for them that takes the window, and returns
// how many: all but a single one that is left over, which takes less time alone. Two or three are computed with those
// in front of them, of which there are `before` in front of the first one.
static inline int32_t sum_fours(const struct rl_depthwise_sums *s, const int8_t *x, const int8_t *w, int32_t before,
                                int32_t count, int32_t *sums)
{
    const struct rl_depthwise_window *window = s->window;
    const int32_t columns = window->columns, all = (count & 3) == 1 ? count - 1 : count, more = all < 4 ? 4 - all : 0;
    const ptrdiff_t step = s->step->w;
    if (!RL_HAS_WINDOW_FOURS || window->rows == 0 || columns > RL_WINDOW_COLUMNS || s->step->x != step || all == 0 ||
        before < more) {
        return 0;
    }
    int32_t four[4];
    int32_t *const to = more == 0 ? sums : four;
    const struct rl_window_fours job = rl_window_fours_of(s, x - more, w - more, NULL, to, all + more);
    rl_window_fours(&job);
    if (more != 0) {
        memcpy(sums, four + more, (size_t)all * sizeof *sums);
    }
    return all;
}

// Computes the sums of the channels [first, end), which may share inputs; x is at the input of channel 0.
static void sum_channels(const struct rl_depthwise_sums *s, const int8_t *x, int32_t multiplier, int32_t first,
                         int32_t end, int32_t *sums)
{
    const int8_t *w = s->window->w;
    if (RL_HAS_WINDOW_FOURS && multiplier == 1) {
        const int32_t done = sum_fours(s, x + first, w + first, first, end - first, sums);
        first += done;
        sums += done;
    }
    for (int32_t some; first < end; first += some, sums += some) {
        const int32_t left = multiplier == 1 ? end - first : rl_min_s32(end - first, multiplier - first % multiplier);
        const int8_t *from = x + (multiplier == 1 ? first : first / multiplier);
        const int32_t sharing = left >= 4 ? 4 : 2;
        const int32_t together = multiplier == 1 ? RL_DEPTHWISE_TOGETHER : sharing;
        some = left >= together ? left / together * together : 1;
        if (left >= together && multiplier == 1) {
            sum_together(s, from, w + first, some, sums);
        } else if (left >= 4) {
            sum_four_sharing(s, from, w + first, some, sums);
        } else if (left >= 2 && multiplier > 1) {
            sum_two_sharing(s, from, w + first, some, sums);
        } else if (!RL_DEPTHWISE_OVERLAPS && left == 3 && multiplier == 1) { // else hardly any are left over
            some = 3;
            sum_three(s, from, w + first, sums);
        } else {
            sum_one(s, from, w + first, sums);
        }
    }
}

enum scaling {
    ANY_SCALE,
    TILE_SCALES,       // simple for rl_depthwise_run_together
    SIMPLE_SCALE,      // rl_rescale takes all scales and sums
    SIMPLE_OPEN_SCALE, // a simple scale, and no limits but those of int8
};

// Scales and stores the outputs of `count` channels from `first` on.
static inline __attribute__((always_inline)) void store_scaled(const struct rl_depthwise *d, int32_t first,
                                                               int32_t count, const int32_t *sums, enum scaling scaling,
                                                               int8_t *output)
{
    const int32_t no_bias = 0, offset = d->output_offset;
    const int32_t rounding = rl_rescale_rounding(offset);
    const int32_t bias_step = d->bias ? 1 : 0;
    const struct rl_limits_s8 limits = {d->range.min, d->range.max};
    const int32_t *bias = d->bias ? d->bias + first : &no_bias;
    const int32_t *multiplier = d->scales.multiplier + first, *shift = d->scales.shift + first;
    const int32_t *const end = sums + count;
    do {
        const int32_t sum = *sums++ + *bias;
        if (scaling == ANY_SCALE) {
            const int32_t scaled = rl_requantize(sum, *multiplier++, *shift++);
            *output++ = rl_output_s8(scaled, offset, limits.low, limits.high);
        } else {
            const struct rl_rescale scale = rl_rescale_of(rounding, *multiplier++, *shift++);
            *output++ = rl_limit_s8(rl_rescale(scale, sum * 2), limits, scaling == SIMPLE_OPEN_SCALE);
        }
        bias += bias_step;
    } while (sums != end);
}

static __attribute__((noinline)) void store_any(const struct rl_depthwise *d, int32_t first, int32_t count,
                                                const int32_t *sums, int8_t *output)
{
    if (RL_HAS_STORE_S8) {
        const struct rl_scales scales = {d->scales.multiplier + first, d->scales.shift + first};
        const struct rl_limits_s8 limits = {d->range.min, d->range.max};
        rl_store_s8(sums, d->bias ? d->bias + first : NULL, scales, d->output_offset, limits, count, output);
        return;
    }
    store_scaled(d, first, count, sums, ANY_SCALE, output);
}

static __attribute__((noinline)) void store_simple(const struct rl_depthwise *d, int32_t first, int32_t count,
                                                   const int32_t *sums, int8_t *output)
{
    store_scaled(d, first, count, sums, SIMPLE_SCALE, output);
}

static __attribute__((noinline)) void store_open(const struct rl_depthwise *d, int32_t first, int32_t count,
                                                 const int32_t *sums, int8_t *output)
{
    store_scaled(d, first, count, sums, SIMPLE_OPEN_SCALE, output);
}

// Computes the channels [first, end) of one position, some sums at a time.
static void run_apart(const struct rl_depthwise *d, const struct rl_depthwise_sums *s, enum scaling scaling,
                      int32_t first, int32_t end, int8_t *output)
{
    for (int32_t count; first < end; first += count) {
        int32_t sums[CHANNEL_BLOCK];
        count = rl_min_s32(end - first, CHANNEL_BLOCK);
        sum_channels(s, s->window->x, d->multiplier, first, first + count, sums);
        if (scaling == SIMPLE_OPEN_SCALE) {
            store_open(d, first, count, sums, output + first);
        } else if (scaling == SIMPLE_SCALE) {
            store_simple(d, first, count, sums, output + first);
        } else {
            store_any(d, first, count, sums, output + first);
        }
    }
}

static void run_image(const struct rl_depthwise *d, enum scaling scaling, const int8_t *image, int32_t first,
                      int32_t end, int8_t *output)
{
    const struct rl_depthwise_steps step = rl_depthwise_steps_of(d);
    struct rl_depthwise_together together;
    int32_t next = first; // behind the channels that are run together
    if (scaling != ANY_SCALE) {
        next = rl_depthwise_start_together(&together, d, &step, first, end, scaling == TILE_SCALES);
    }
    if (next != first && rl_depthwise_run_positions(&together, d, image, output)) {
        return;
    }
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
        for (int32_t x = 0; x < d->output.w; x++, output += d->output.c) {
            const struct rl_taps columns =
                rl_taps_of(x * d->stride.w - d->padding.w, d->dilation.w, d->filter.w, d->input.w);
            const struct rl_depthwise_window window = rl_depthwise_window_of(d, image, rows, columns);
            const struct rl_depthwise_sums s = {d->input_offset, &step, &window};
            if (next != first) {
                rl_depthwise_run_together(&together, d, &step, &window, output);
            }
            run_apart(d, &s, scaling, next, end, output);
        }
    }
}

// The scales of a layer of which some shift is 0 or more, or below -16. Not inlined, because such layers are few.
static __attribute__((noinline)) enum scaling scaling_of_shifts(const struct rl_depthwise *d, int32_t first,
                                                                int32_t end)
{
    enum { LEAST = -22 }; // of rl_rescale_fits
    const int32_t *shift = d->scales.shift + first, *const last = d->scales.shift + end;
    uint32_t tiny = 0, left = 0; // with a high bit that is set where a shift is below LEAST, and where it is 0 or more
    for (; shift != last; shift++) {
        tiny |= (uint32_t)*shift - (uint32_t)LEAST;
        left |= ~(uint32_t)*shift;
        RL_KEEP_LOOP();
    }
    if (tiny >> 31 != 0) {
        return ANY_SCALE;
    }
    if (left >> 31 != 0) {
        return RL_DEPTHWISE_SHIFTS_LEFT ? TILE_SCALES : ANY_SCALE;
    }
    return SIMPLE_SCALE;
}

// Scales are simple if rl_rescale takes all of them and no sum can be above 2^29 in magnitude: 2^13 products of at most
// 2^15 are 2^28. Loops without branches look at all channels, because in layers of one output that takes a part of the
// time: usual shifts, from -16 to -1, are below 16 with all bits turned.
static enum scaling scaling_of(const struct rl_depthwise *d, int32_t first, int32_t end)
{
    enum { FOUR = 4 };
    const int32_t no_bias[FOUR] = {0}, bias_step = d->bias ? 1 : 0;
    const int32_t *bias = d->bias ? d->bias + first : no_bias;
    const int32_t *shift = d->scales.shift + first, *const last = d->scales.shift + end;
    const uint32_t middle = UINT32_C(1) << 28;
    uint32_t biases = 0, shifts = 0;
    for (; RL_HAS_LONG_MULTIPLY && last - shift >= FOUR; shift += FOUR, bias += FOUR * bias_step) {
        biases |= ((uint32_t)bias[0] + middle) | ((uint32_t)bias[1] + middle) | ((uint32_t)bias[2] + middle) |
                  ((uint32_t)bias[3] + middle);
        shifts |= ~((uint32_t)shift[0] & (uint32_t)shift[1] & (uint32_t)shift[2] & (uint32_t)shift[3]);
    }
    for (; shift != last; shift++, bias += bias_step) {
        biases |= (uint32_t)*bias + middle;
        shifts |= ~(uint32_t)*shift;
        RL_KEEP_LOOP();
    }
    if (d->filter.h * d->filter.w > 1 << 13 || !rl_offset_is_small(d->output_offset) || biases >> 29 != 0) {
        return ANY_SCALE;
    }
    const enum scaling scaling = shifts < 16 ? SIMPLE_SCALE : scaling_of_shifts(d, first, end);
    const bool open = rl_limits_are_open((struct rl_limits_s8){d->range.min, d->range.max});
    return scaling == SIMPLE_SCALE && open ? SIMPLE_OPEN_SCALE : scaling;
}

void rl_depthwise_run_windows(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                              int8_t *output)
{
    if (RL_DEPTHWISE_OVERLAPS && d->multiplier == 1 && end >= 4 && end - first > 1) {
        first =
            rl_min_s32(first, end - 4); // four channels together take less time than two or three that are left over
    }
    const enum scaling scaling = RL_HAS_STORE_S8 ? ANY_SCALE : scaling_of(d, first, end);
    const bool groups =
        RL_HAS_WINDOW_FOURS && rl_window_groups_suit(d, first, end) && scaling_of(d, first, end) >= SIMPLE_SCALE;
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        if (groups) {
            rl_window_groups_run(d, first, end, input, output);
        } else if (scaling < SIMPLE_SCALE || !rl_depthwise_run_points(d, first, end, input, output)) {
            run_image(d, scaling, input, first, end, output);
        }
        input += rl_image_size(d->input);
        output += rl_image_size(d->output);
    }
}
