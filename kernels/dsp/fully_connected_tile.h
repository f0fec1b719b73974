// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with SMLAD, three filters at a time. The row is expanded to int16 once, which also
// adds the input offset. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H

#include "dsp/dot_1x3.h"
#include "dsp/dot_pairs.h"
#include "dsp/dot_singles.h"
#include "dsp/dot_tile.h"
#include "dsp/expand_values.h"
#include "dsp/fully_connected_choice.h"
#include "dsp/fully_connected_threes.h"
#include "dsp/instructions.h"
#include "dsp/matmul_bytes.h"
#include "dsp/simd.h"
#include "fully_connected/fully_connected.h"

enum {
    RL_LONG_ROW = 24, // from this depth on, a single filter takes less time alone than computed twice as a pair
    RL_SINGLES_ADD_OFFSET = 1, // rl_fully_connected_singles adds the offset of the weights
};

// Writes the words of struct rl_dot_1x3 for `count` values, with zeros up to a whole step.
static inline void rl_expand_steps(const int8_t *row, int32_t count, uint32_t offsets, uint32_t *words)
{
    const uint32_t *const start = words;
    words = rl_expand_values(row, 0, count, offsets, words);
    if (((words - start) & 2) != 0) {
        words[0] = words[1] = 0;
        words += 2;
    }
    words[0] = RL_ROW_END;
}

// sums = start + the products of `count` filters from channel `first` on with the values from `at` on, of which `words`
// has `values`, expanded.
static inline __attribute__((always_inline)) void rl_dot_words(const struct rl_fully_connected *f, int32_t at,
                                                               int32_t values, int32_t first, int32_t count,
                                                               const int32_t *start, int32_t *sums,
                                                               const uint32_t *words)
{
    const int32_t steps = (values + RL_ROW_STEP - 1) / RL_ROW_STEP;
    const struct rl_dot_1x3 job = {
        .row = words,
        .depth = f->depth,
        .skipped = (uint32_t)-steps & 3u,
        .start = start,
        .end = start + count,
        .filter = f->weights + (ptrdiff_t)first * f->depth + at,
        .gap = f->depth - RL_ROW_STEP * steps,
        .sums = sums,
    };
    rl_dot_1x3(&job);
}

// The same, of at most `most` values, which it expands to `words`.
static inline __attribute__((always_inline)) void rl_dot_block(const struct rl_fully_connected *f, const int8_t *input,
                                                               int32_t at, int32_t most, int32_t first, int32_t count,
                                                               const int32_t *start, int32_t *sums, uint32_t *words)
{
    const int32_t values = rl_min_s32(f->depth - at, most);
    rl_expand_steps(input + at, values, rl_repeat_s16x2(f->base_offset), words);
    rl_dot_words(f, at, values, first, count, start, sums, words);
}

// The outputs of `count` >= 1 sums, with one scale for which doubling saturates as it may. `open` is a constant.
static inline __attribute__((always_inline)) void rl_fully_connected_rescaled(const struct rl_fully_connected *f,
                                                                              const int32_t *sums, int32_t count,
                                                                              int8_t *output, ptrdiff_t step, bool open)
{
    const struct rl_limits_s8 limits = {f->range.min, f->range.max};
    const struct rl_rescale scale = f->rescale;
    const int32_t *end = sums + count;
    do {
        *output = rl_limit_s8(rl_rescale(scale, rl_double_saturated(*sums++)), limits, open);
        output += step;
    } while (sums != end);
}

// The same from channel `first` on with scales of their own that fit rl_rescale.
static inline __attribute__((always_inline)) void rl_fully_connected_rescaled_each(const struct rl_fully_connected *f,
                                                                                   const int32_t *sums, int32_t first,
                                                                                   int32_t count, int8_t *output,
                                                                                   ptrdiff_t step)
{
    const int32_t *multiplier = f->scales.multiplier + first, *shift = f->scales.shift + first;
    const struct rl_limits_s8 limits = {f->range.min, f->range.max};
    const int32_t rounding = rl_rescale_rounding(f->output_offset);
    const int32_t *end = sums + count;
    do {
        const struct rl_rescale scale = rl_rescale_of(rounding, *multiplier++, *shift++);
        *output = rl_limit_s8(rl_rescale(scale, rl_double_saturated(*sums++)), limits, false);
        output += step;
    } while (sums != end);
}

// The same with any scales.
static __attribute__((noinline)) void rl_fully_connected_store_each(const struct rl_fully_connected *f,
                                                                    const int32_t *sums, int32_t first, int32_t count,
                                                                    int8_t *output, ptrdiff_t step)
{
    const bool has_own = !RL_SMALL && f->scales.multiplier;
    if (has_own && rl_pairs_scale(f->scales.multiplier + first, f->scales.shift + first, count, f->output_offset)) {
        rl_fully_connected_rescaled_each(f, sums, first, count, output, step);
        return;
    }
    for (int32_t i = 0; i < count; i++, output += step) {
        *output = rl_fully_connected_scaled(f, first + i, sums[i]);
    }
}

// Writes the outputs of `count` >= 1 channels whose scale is one for which doubling may saturate; else returns false.
// `sums` includes the base.
static inline __attribute__((always_inline)) bool rl_fully_connected_store_exact(const struct rl_fully_connected *f,
                                                                                 const int32_t *sums, int32_t count,
                                                                                 int8_t *output, ptrdiff_t step)
{
    if (RL_SMALL || !rl_saturation_is_exact(f)) {
        return false;
    }
    if (rl_limits_are_open((struct rl_limits_s8){f->range.min, f->range.max})) {
        rl_fully_connected_rescaled(f, sums, count, output, step, true);
    } else {
        rl_fully_connected_rescaled(f, sums, count, output, step, false);
    }
    return true;
}

// A layer that rl_fully_connected_is_small, as the last statement of a function that is not inlined.
static inline void rl_fully_connected_small(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    rl_dot_singles_last(f, input, output);
}

// The same for a layer that rl_fully_connected_is_short.
static inline void rl_fully_connected_short(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    rl_dot_threes_last(f, input, output);
}

// Channel by channel, for layers that suit it. It adds the offset of the weights itself.
static inline void rl_fully_connected_singles(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                              int8_t *output)
{
    rl_dot_singles(f, input, output, constant);
}

static __attribute__((noinline)) void rl_fully_connected_pairs(const struct rl_fully_connected *f, const int8_t *input,
                                                               int32_t row_constant, int8_t *output, ptrdiff_t step)
{
    const int32_t no_base = 0;
    const bool many = f->scales.multiplier;
    const int32_t last = f->depth >= RL_LONG_ROW ? f->channels & 1 : 0; // 1 if the last channel is alone
    struct rl_dot_pairs job = {
        .row = input,
        .filter = f->weights,
        .depth = f->depth,
        .offsets = rl_repeat_s16x2(f->base_offset),
        .base = f->base ? f->base : &no_base,
        .base_step = f->base ? 4 : 0,
        .constant = row_constant,
        .multiplier = many ? f->scales.multiplier : &f->scale.multiplier,
        .shift = many ? f->scales.shift : &f->scale.shift,
        .scale_step = many ? 4 : 0,
        .output = output,
        .output_step = step,
        .channels = f->channels - last,
        .rounding = rl_rescale_rounding(f->output_offset),
        .low = (uint8_t)rl_max_s32(f->range.min, INT8_MIN) * UINT32_C(0x01010101),
        .high = (uint8_t)rl_min_s32(f->range.max, INT8_MAX) * UINT32_C(0x01010101),
        .filter_step = f->depth,
    };
    if (job.channels > 0) {
        rl_dot_pairs(&job);
    }
    if (last != 0) {
        const int8_t *filter = f->weights + (ptrdiff_t)(f->channels - 1) * f->depth;
        const int32_t sum = rl_dot_s8_s8(input, f->base_offset, filter, f->depth);
        *job.output = rl_fully_connected_output(f, f->channels - 1, row_constant + sum);
    }
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs, `step` bytes apart.
static inline __attribute__((always_inline)) void rl_fully_connected_row(const struct rl_fully_connected *f,
                                                                         const int8_t *input, int32_t row_constant,
                                                                         int8_t *output, ptrdiff_t step,
                                                                         struct rl_scratch scratch)
{
    if (rl_fully_connected_suits_words(f)) {
        rl_fully_connected_words(f, input, row_constant, output, step, scratch);
        return;
    }
    if (rl_fully_connected_suits_threes(f)) {
        rl_fully_connected_threes(f, input, row_constant, output, step);
        return;
    }
    if (rl_suits_pairs(f)) {
        rl_fully_connected_pairs(f, input, row_constant, output, step);
        return;
    }
    const int32_t bytes = rl_fully_connected_bytes(f->depth, f->channels);
    scratch = rl_scratch_rest(scratch, 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    int32_t *sums = rl_scratch_memory(scratch, bytes, stack);
    uint32_t *words = (uint32_t *)sums + rl_min_s32(f->channels, RL_SUM_BLOCK);
    for (int32_t first = 0; first < f->channels; first += RL_SUM_BLOCK) {
        const int32_t count = rl_min_s32(f->channels - first, RL_SUM_BLOCK);
        // The row's zeros are multiplied by the next filter's weights. The last filter has no next: it is not grouped.
        const bool ends_outside = f->depth % RL_ROW_STEP != 0 && first + count == f->channels;
        const int32_t in_groups =
            f->depth < RL_ROW_STEP ? 0 : (count - (ends_outside ? 1 : 0)) / RL_FILTERS * RL_FILTERS;
        // Sums start from the base itself if there is nothing to add to it.
        const bool base_only = f->base && row_constant == 0;
        const int32_t *start = base_only ? f->base + first : sums;
        for (int32_t i = base_only ? in_groups : 0; i < count; i++) {
            sums[i] = row_constant + (f->base ? f->base[first + i] : 0);
        }
        for (int32_t at = 0; in_groups > 0 && at < f->depth; at += RL_LONG_BLOCK) {
            rl_dot_block(f, input, at, RL_LONG_BLOCK, first, in_groups, start, sums, words);
            start = sums;
        }
        int32_t i = in_groups;
        for (; !RL_SMALL && i + 1 < count; i += 2) {
            const int8_t *filter = f->weights + (ptrdiff_t)(first + i) * f->depth;
            rl_dot_s8_s8_pair(input, f->base_offset, filter, filter + f->depth, f->depth, &sums[i]);
        }
        for (; i < count; i++) {
            const int8_t *filter = f->weights + (ptrdiff_t)(first + i) * f->depth;
            sums[i] += rl_dot_s8_s8(input, f->base_offset, filter, f->depth);
        }
        if (!rl_fully_connected_store_exact(f, sums, count, output + first * step, step)) {
            rl_fully_connected_store_each(f, sums, first, count, output + first * step, step);
        }
    }
}

#endif
