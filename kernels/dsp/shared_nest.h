// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with a channel multiplier: each input channel is copied to a plane of its own, with the
// padding, and the outputs of four channels that read it are computed at a time, in pairs of taps.
#ifndef RL_KERNELS_DSP_SHARED_NEST_H
#define RL_KERNELS_DSP_SHARED_NEST_H

#include "depthwise/choice.h"
#include "depthwise/depthwise.h"
#include "dsp/depthwise_shared.h"
#include "dsp/instructions.h"
#include "dsp/shared_sizes.h"
#include "dsp/simd.h"
#include "scratch.h"

// The memory of a run.
struct rl_shared {
    struct rl_depthwise_shared job;
    uint32_t *weights;
    int16_t *plane;
};

static void rl_shared_clear(int16_t *to, int32_t count)
{
    for (; count > 0; count--) {
        *to++ = 0;
        RL_KEEP_LOOP();
    }
}

// Copies inputs `step` bytes apart.
static inline void rl_shared_values(const int8_t *from, int32_t step, int32_t count, int32_t offset, int16_t *to)
{
    for (; count >= 4; count -= 4, from += 4 * step, to += 4) {
        const int8_t *third = from + 2 * step;
        const int32_t a = from[0] + offset, b = from[step] + offset, c = third[0] + offset, e = third[step] + offset;
        to[0] = (int16_t)a;
        to[1] = (int16_t)b;
        to[2] = (int16_t)c;
        to[3] = (int16_t)e;
    }
    for (; count > 0; count--, from += step) {
        *to++ = (int16_t)(*from + offset);
    }
}

// Copies the inputs of the channel at `image` from line `y` on, which may lie outside the image. The plane has zeros
// wherever all lines have padding.
static void rl_shared_copy(const struct rl_depthwise *d, const struct rl_shared_plane *p, const int8_t *image,
                           int32_t y, int16_t *to)
{
    const int32_t before = rl_min_s32(d->padding.w, p->w), inside = rl_min_s32(d->input.w, p->w - before);
    const ptrdiff_t line = (ptrdiff_t)d->input.w * d->input.c;
    for (int32_t left = p->h; left > 0; left--, y++, to += p->w) {
        if ((uint32_t)y < (uint32_t)d->input.h) {
            rl_shared_values(image + y * line, d->input.c, inside, d->input_offset, to + before);
        } else if (p->lines < d->output.h) {
            rl_shared_clear(to + before, inside);
        }
    }
}

// Doubles the weights of four channels and puts those of two taps into a word each.
static inline void rl_shared_weights(uint32_t first, uint32_t second, uint32_t *to)
{
    const uint32_t even_1 = rl_double_pair(rl_even_s16(first)), even_2 = rl_double_pair(rl_even_s16(second));
    const uint32_t odd_1 = rl_double_pair(rl_odd_s16(first)), odd_2 = rl_double_pair(rl_odd_s16(second));
    to[0] = rl_pkhbt(even_1, even_2);
    to[1] = rl_pkhbt(odd_1, odd_2);
    to[2] = rl_pkhtb(even_2, even_1);
    to[3] = rl_pkhtb(odd_2, odd_1);
}

// Prepares the scales and weights of four channels.
static void rl_shared_prepare(const struct rl_depthwise *d, int32_t channel, struct rl_shared *s)
{
    const int32_t rounding = rl_rescale_rounding(d->output_offset), step = d->output.c;
    for (int32_t i = 0; i < 4; i++) {
        s->job.scale[i] = rl_rescale_of(rounding, d->scales.multiplier[channel + i], d->scales.shift[channel + i]);
        s->job.bias[i] = d->bias ? 2 * d->bias[channel + i] : 0;
    }
    const int8_t *w = d->weights + channel;
    uint32_t *to = s->weights;
    for (int32_t row = d->filter.h; row > 0; row--) {
        for (int32_t pair = d->filter.w / 2; pair > 0; pair--, w += 2 * step, to += 4) {
            rl_shared_weights(rl_load_s8x4(w), rl_load_s8x4(w + step), to);
        }
        if (d->filter.w & 1) {
            rl_shared_weights(rl_load_s8x4(w), 0, to);
            w += step;
            to += 4;
        }
    }
}

// Runs the channels that read the input channel at `image`, from `first` on.
static void rl_shared_run_channel(const struct rl_depthwise *d, const struct rl_shared_plane *p, const int8_t *image,
                                  int32_t first, int8_t *output, struct rl_shared *s)
{
    const ptrdiff_t line = (ptrdiff_t)d->output.w * d->output.c;
    struct rl_depthwise_shared *job = &s->job;
    for (int32_t y = 0; y < d->output.h; y += p->lines, output += p->lines * line) {
        rl_shared_copy(d, p, image, y * d->stride.h - d->padding.h, s->plane);
        for (int32_t channel = first; channel < first + d->multiplier; channel += 4) {
            rl_shared_prepare(d, channel, s);
            job->output = output + channel;
            job->x = s->plane + 2 * p->pairs;
            job->x_end = job->x + d->output.w * d->stride.w;
            job->lines = rl_min_s32(p->lines, d->output.h - y);
            rl_depthwise_shared(job);
        }
    }
}

static __attribute__((noinline)) void rl_shared_run_layer(const struct rl_depthwise *d, const int8_t *input,
                                                          int8_t *output, struct rl_scratch scratch)
{
    const struct rl_shared_plane p = rl_shared_plane_of(d);
    const int32_t bytes = rl_shared_bytes(d, &p);
    scratch = rl_scratch_rest(scratch, 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_shared s;
    s.weights = rl_scratch_memory(scratch, bytes, stack);
    s.plane = (int16_t *)(void *)(s.weights + rl_shared_weight_bytes(d, &p) / 4);
    s.job.low = (uint8_t)rl_max_s32(d->range.min, INT8_MIN) * UINT32_C(0x01010101);
    s.job.high = (uint8_t)rl_min_s32(d->range.max, INT8_MAX) * UINT32_C(0x01010101);
    s.job.output_right = d->output.c;
    s.job.output_gap = 0;
    s.job.x_right = 2 * d->stride.w;
    s.job.x_down = 2 * d->stride.h * p.w;
    s.job.x_gap = s.job.x_down - s.job.x_right * d->output.w;
    s.job.x_line = 2 * d->dilation.h * p.w;
    s.job.weights = s.weights;
    s.job.rows = d->filter.h;
    s.job.entry = rl_shared_entry(p.pairs);
    rl_shared_clear(s.plane, p.h * p.w);
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        for (int32_t i = 0; i < d->input.c; i++) {
            rl_shared_run_channel(d, &p, input + i, i * d->multiplier, output, &s);
        }
        input += rl_image_size(d->input);
        output += rl_image_size(d->output);
    }
}

// Runs a layer that suits it; else returns false and does nothing. Not inlined, which keeps its variables off the stack
// of other loops.
static __attribute__((noinline)) bool rl_shared_layer(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                                                      struct rl_scratch scratch)
{
    if (RL_SMALL || !rl_depthwise_suits_shared(d) ||
        !rl_rescale_fits_all(d->output_offset, d->scales, d->bias, INT32_C(1) << 28, d->output.c)) {
        return false;
    }
    rl_shared_run_layer(d, input, output, scratch);
    return true;
}

#endif
