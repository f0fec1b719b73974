// SPDX-License-Identifier: Apache-2.0
// One input row times all filters, four at a time. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_SCALAR_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_SCALAR_FULLY_CONNECTED_TILE_H

#include "fully_connected/fully_connected.h"
#include "scalar/dot_1x4.h"
#include "scalar/dot_channels.h"
#include "scalar/dot_fours.h"
#include "scalar/dot_tile.h"
#include "scalar/fully_connected_none.h"
#include "scalar/packed_rows.h"
#include "scalar/store_s8.h"

enum {
    RL_FILTERS = 4,            // filters at a time
    RL_SINGLES_ADD_OFFSET = 0, // rl_fully_connected_singles leaves the offset of the weights to its caller
};

// Up to two channels, four filters at a time do not pay.
static inline bool rl_fully_connected_suits_singles(const struct rl_fully_connected *f)
{
    return f->channels <= (RL_HAS_DOT_CHANNELS ? 1 : 2);
}

// Channel by channel, for layers that suit it. `constant` has the part of the weights' offset.
static inline void rl_fully_connected_singles(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                              int8_t *output)
{
    const int8_t *filter = f->weights;
    for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth) {
        const int32_t sum = constant + rl_dot_s8_s8(input, f->base_offset, filter, f->depth);
        *output++ = rl_fully_connected_output(f, channel, sum);
    }
}

// Whether rl_dot_fours_own can use the scales of all channels. A loop without branches.
static inline bool rl_own_scales_suit_fours(const struct rl_fully_connected *f)
{
    const int32_t *multiplier = f->scales.multiplier, *shift = f->scales.shift, *const end = shift + f->channels;
    uint32_t others = 0; // with a high bit that is set where a scale does not fit
    while (shift != end) {
        others |= ((uint32_t)*shift + 20) | ~(uint32_t)*shift | ((uint32_t)*multiplier++ - (UINT32_C(1) << 30));
        shift++;
        RL_KEEP_LOOP();
    }
    return others >> 31 == 0 && rl_offset_is_small(f->output_offset);
}

// Whether rl_dot_fours or, with a scale for each channel, rl_dot_fours_own takes less time, and can use the scales.
static inline bool rl_suits_fours(const struct rl_fully_connected *f, ptrdiff_t step)
{
    if (!RL_HAS_THUMB2_LOOP || RL_SMALL || f->channels < 4 || f->depth == 0) {
        return false;
    }
    if (f->scales.multiplier) {
        return step == 1 && rl_own_scales_suit_fours(f);
    }
    return f->has_rescale && f->rescale.multiplier >= 1 << 30 && f->rescale.right_shift <= 20;
}

static inline void rl_run_fours(struct rl_dot_fours *job, bool own)
{
    if (own) {
        rl_dot_fours_own(job);
    } else {
        rl_dot_fours(job);
    }
}

// Runs whole groups of channels. The last group overlaps the one before when the channels are not a multiple of four.
static __attribute__((noinline)) void rl_fully_connected_fours(const struct rl_fully_connected *f, const int8_t *input,
                                                               int32_t row_constant, int8_t *output, ptrdiff_t step)
{
    const bool own = f->scales.multiplier;
    struct rl_dot_fours job = {
        .row = input,
        .depth = f->depth,
        .offset = f->base_offset,
        .constant = row_constant,
        .base = f->base,
        .filter = f->weights,
        .output = output,
        .step = step,
        .groups = f->channels / 4,
        .multiplier = f->rescale.multiplier,
        .addend = f->rescale.addend,
        .right_shift = f->rescale.right_shift,
        .low = f->range.min,
        .high = f->range.max,
        .multipliers = f->scales.multiplier,
        .shifts = f->scales.shift,
        .rounding = rl_rescale_rounding(f->output_offset),
    };
    rl_run_fours(&job, own);
    if (f->channels % 4 != 0) {
        const int32_t last = f->channels - 4;
        job.base = f->base ? f->base + last : NULL;
        job.filter = f->weights + (ptrdiff_t)last * f->depth;
        job.output = output + last * step;
        job.groups = 1;
        job.multipliers = own ? f->scales.multiplier + last : NULL;
        job.shifts = own ? f->scales.shift + last : NULL;
        rl_run_fours(&job, own);
    }
}

// Writes the outputs of `count` channels from `first` on, each with a scale of its own; `sums` lacks the base.
static inline void rl_fully_connected_store_own(const struct rl_fully_connected *f, const int32_t *sums, int32_t first,
                                                int32_t count, int8_t *output, ptrdiff_t step)
{
    const int32_t *multiplier = f->scales.multiplier + first, *shift = f->scales.shift + first;
    const int32_t *base = f->base ? f->base + first : NULL;
    const int32_t offset = f->output_offset, low = f->range.min, high = f->range.max;
    for (const int32_t *end = sums + count; sums != end; output += step) {
        const int32_t sum = *sums++ + (base ? *base++ : 0);
        *output = rl_output_s8(rl_requantize(sum, *multiplier++, *shift++), offset, low, high);
    }
}

// Whether sums are kept until there are many, which a Cortex-M0 computes and scales in less time.
static inline bool rl_suits_many_sums(const struct rl_fully_connected *f, ptrdiff_t step)
{
    return RL_HAS_DOT_CHANNELS && f->depth > 0 && (f->has_rescale || (f->scales.multiplier && step == 1));
}

// Scales and stores `count` sums, base included, from channel number `first` on; `near` tells that they are at most
// 2^29 in magnitude.
static inline void rl_fully_connected_store(const struct rl_fully_connected *f, int32_t first, int32_t count,
                                            const struct rl_row_sums *sums, bool near, int8_t *output, ptrdiff_t step)
{
    // To rl_packed_rows_store they are the rows of one channel.
    const struct rl_packed_rows rows = {.count = count, .output = {0, step}};
    if (near && rl_packed_rows_store(&f->rescale, true, f->range.min, f->range.max, 1, sums, &rows, output)) {
        return;
    }
    const int32_t *sum = (const int32_t *)(const void *)sums;
    for (int32_t i = 0; i < count; i++) {
        output[i * step] = rl_fully_connected_scaled(f, first + i, sum[i]);
    }
}

// Whether rl_fully_connected_store takes all sums as near ones, because they are at most 2^29 in magnitude or because
// its loop limits others before they are scaled.
static inline bool rl_sums_are_near(struct rl_rescale scale, const int32_t *sums, int32_t count)
{
    if (scale.multiplier >= 1 << 30 && scale.right_shift >= 6 && scale.right_shift <= 21) {
        return true;
    }
    enum { LIMIT = 1 << 29 };
    uint32_t far = 0;
    for (int32_t i = 0; i < count; i++) {
        far |= ((uint32_t)sums[i] + LIMIT) >> 30;
    }
    return far == 0;
}

static __attribute__((noinline)) void rl_fully_connected_many_sums(const struct rl_fully_connected *f,
                                                                   const int8_t *input, int32_t row_constant,
                                                                   int8_t *output, ptrdiff_t step)
{
    enum { BLOCK = 64 };
    struct rl_row_sums block[BLOCK * sizeof(int32_t) / sizeof(struct rl_row_sums) + 1];
    int32_t *const sums = (int32_t *)(void *)block;
    struct rl_dot_channels job;
    job.row_end = input + f->depth;
    job.filter = f->weights;
    job.depth = f->depth;
    job.base = f->base;
    job.start = row_constant;
    job.offset = f->base_offset;
    for (int32_t first = 0; first < f->channels; first += BLOCK) {
        const int32_t count = rl_min_s32(f->channels - first, BLOCK);
        job.sums = sums;
        job.count = count;
        rl_dot_channels(&job);
        if (f->has_rescale) {
            rl_fully_connected_store(f, first, count, block, rl_sums_are_near(f->rescale, sums, count),
                                     output + first * step, step);
        } else {
            const struct rl_scales scales = {f->scales.multiplier + first, f->scales.shift + first};
            const struct rl_limits_s8 limits = {f->range.min, f->range.max};
            rl_store_s8(sums, NULL, scales, f->output_offset, limits, count, output + first);
        }
    }
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs, `step` bytes apart.
static inline __attribute__((always_inline)) void rl_fully_connected_row(const struct rl_fully_connected *f,
                                                                         const int8_t *input, int32_t row_constant,
                                                                         int8_t *output, ptrdiff_t step,
                                                                         struct rl_scratch scratch)
{
    (void)scratch;
    if (rl_suits_fours(f, step)) {
        rl_fully_connected_fours(f, input, row_constant, output, step);
        return;
    }
    if (rl_suits_many_sums(f, step)) {
        rl_fully_connected_many_sums(f, input, row_constant, output, step);
        return;
    }
    struct rl_dot_1x4 job; // the other fields are set for each four channels
    job.row = input;
    job.depth = f->depth;
    job.offset = f->base_offset;
    const int8_t *filter = f->weights;
    const int32_t *base = f->base;
    for (int32_t channel = 0; channel < f->channels; channel += 4, filter += 4 * (ptrdiff_t)f->depth) {
        const int32_t count = rl_min_s32(f->channels - channel, 4);
        rl_dot_few_filters(&job, filter, count, row_constant);
        if (!RL_SMALL && f->scales.multiplier) {
            rl_fully_connected_store_own(f, job.sums, channel, count, output + channel * step, step);
            continue;
        }
        for (int32_t i = 0; i < count; i++) {
            const int32_t sum = job.sums[i] + (base ? base[channel + i] : 0);
            output[(channel + i) * step] = rl_fully_connected_scaled(f, channel + i, sum);
        }
    }
}

#endif
