// SPDX-License-Identifier: Apache-2.0
// A row times three filters at a time, with scaled outputs: filters one after the other (dot_threes.h), or those
// together that begin at the same place in a word (dot_expanded.h).
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_THREES_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_THREES_H

#include "dsp/dot_expanded.h"
#include "dsp/dot_threes.h"
#include "dsp/dot_tile.h"
#include "dsp/expand_values.h"
#include "dsp/fully_connected_choice.h"
#include "dsp/simd.h"

// `count` channels, `apart` from each other, from `first` on, one by one. They may have any scales.
static __attribute__((noinline)) void rl_fully_connected_one_by_one(const struct rl_fully_connected *f,
                                                                    const int8_t *input, int32_t constant,
                                                                    int8_t *output, ptrdiff_t step, int32_t first,
                                                                    int32_t count, int32_t apart)
{
    for (int32_t channel = first; count > 0; count--, channel += apart) {
        const int8_t *filter = f->weights + (ptrdiff_t)channel * f->depth;
        const int32_t sum = rl_dot_s8_s8(input, f->base_offset, filter, f->depth);
        output[channel * step] = rl_fully_connected_output(f, channel, constant + sum);
    }
}

// All channels, for layers that rl_fully_connected_takes_threes.
static inline void rl_fully_connected_threes(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                             int8_t *output, ptrdiff_t step)
{
    const int32_t left = rl_dot_threes(f, input, output, constant, step);
    if (left != 0) {
        rl_fully_connected_one_by_one(f, input, constant, output, step, f->channels - left, left, 1);
    }
}

// The channels from `first` on, of which there are few.
static __attribute__((noinline)) void rl_words_rest(const struct rl_fully_connected *f, const int8_t *input,
                                                    int32_t constant, int8_t *output, ptrdiff_t step, int32_t first)
{
    struct rl_fully_connected rest = *f;
    rest.channels -= first;
    rest.weights += (ptrdiff_t)first * f->depth;
    rest.base = f->base ? f->base + first : NULL;
    if (f->scales.multiplier) {
        rest.scales.multiplier += first;
        rest.scales.shift += first;
    }
    if (rl_fully_connected_takes_threes(&rest)) {
        rl_fully_connected_threes(&rest, input, constant, output + first * step, step);
    } else {
        rl_fully_connected_one_by_one(f, input, constant, output, step, first, rest.channels, 1);
    }
}

// Sets what the sums of `count` filters from number `first` of `whole` on start from, and where they go.
static inline void rl_words_set_part(struct rl_dot_expanded *job, const struct rl_dot_expanded *whole, int32_t first,
                                     int32_t count, int32_t at, bool is_last, int32_t *sums)
{
    *job = *whole;
    job->filters = count;
    job->filter += first * whole->filter_step + at;
    job->base += first * whole->base_step / 4;
    job->output += first * whole->output_step;
    if (at != 0) {
        job->base = sums;
        job->base_step = 4;
        job->constant = 0;
    }
    if (!is_last) {
        job->sums = sums;
        job->multiplier = sums;
        job->scale_step = 0;
    } else if (whole->multiplier) {
        job->multiplier += first * whole->scale_step / 4;
        job->shift += first * whole->scale_step / 4;
    }
}

// The same as rl_dot_expanded for a row of `values`, zeros included, which is expanded in several parts.
static __attribute__((noinline)) void rl_words_in_parts(struct rl_dot_expanded *job, const int8_t *input, int32_t zeros,
                                                        int32_t values, uint32_t offsets, uint32_t *words)
{
    const struct rl_dot_expanded whole = *job;
    int32_t *const sums = (int32_t *)words + RL_LONG_BLOCK / 2 + 4;
    int32_t left = whole.filters;
    job->filters = 0;
    while (left > 0 && job->filters == 0) {
        const int32_t count = rl_min_s32(left, RL_SUM_BLOCK);
        for (int32_t at = 0; at < values; at += RL_LONG_BLOCK) {
            const int32_t part = rl_min_s32(values - at, RL_LONG_BLOCK), skipped = at == 0 ? zeros : 0;
            rl_words_set_part(job, &whole, whole.filters - left, count, at, at + part == values, sums);
            rl_expand_values(input + at - (zeros - skipped), skipped, part - skipped, offsets, words);
            job->fours = (part + 3) >> 2;
            rl_dot_expanded(job);
        }
        left -= count;
    }
    left += job->filters;
    *job = whole;
    job->filters = left;
}

// Runs a row with filters at the same place in a word together, so that all their words are aligned: the row has as
// many zeros in front as there are bytes before the filter in its first word.
static __attribute__((noinline)) void rl_fully_connected_words(const struct rl_fully_connected *f, const int8_t *input,
                                                               int32_t row_constant, int8_t *output, ptrdiff_t step,
                                                               struct rl_scratch scratch)
{
    const int32_t no_base = 0, depth = f->depth, apart = rl_words_apart(depth);
    const int32_t bytes = rl_fully_connected_bytes(depth, f->channels);
    const uint32_t offsets = rl_repeat_s16x2(f->base_offset);
    scratch = rl_scratch_rest(scratch, 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    uint32_t *const words = rl_scratch_memory(scratch, bytes, stack);
    const int32_t each = rl_words_channels(f) / apart;
    struct rl_dot_expanded job;
    job.row = words;
    job.filter_step = apart * depth;
    job.base_step = f->base ? 4 * apart : 0;
    job.constant = row_constant;
    job.scale = f->rescale;
    job.low = (uint8_t)rl_max_s32(f->range.min, INT8_MIN) * UINT32_C(0x01010101);
    job.high = (uint8_t)rl_min_s32(f->range.max, INT8_MAX) * UINT32_C(0x01010101);
    job.output_step = apart * step;
    job.multiplier = job.shift = NULL;
    job.scale_step = 0;
    job.rounding = rl_rescale_rounding(f->output_offset);
    job.sums = NULL;
    for (int32_t place = 0; place < apart; place++) {
        const int32_t zeros = (place * depth) & 3;
        job.filters = each;
        job.filter = f->weights + (ptrdiff_t)place * depth - zeros;
        job.base = f->base ? f->base + place : &no_base;
        job.output = output + place * step;
        if (f->scales.multiplier) {
            job.multiplier = f->scales.multiplier + place;
            job.shift = f->scales.shift + place;
            job.scale_step = 4 * apart;
        }
        if (zeros + depth <= RL_LONG_BLOCK) {
            rl_expand_values(input, zeros, depth, offsets, words);
            job.fours = (zeros + depth + 3) >> 2;
            rl_dot_expanded(&job);
        } else {
            rl_words_in_parts(&job, input, zeros, zeros + depth, offsets, words);
        }
        if (job.filters != 0) {
            rl_fully_connected_one_by_one(f, input, row_constant, output, step, place + (each - job.filters) * apart,
                                          job.filters, apart);
        }
    }
    if (each * apart != f->channels) {
        rl_words_rest(f, input, row_constant, output, step, each * apart);
    }
}

#endif
