// SPDX-License-Identifier: Apache-2.0
// The sums of one output of a convolution, run by run of its window, three filters at a time.
#ifndef RL_KERNELS_DSP_WINDOW_SUMS_TILE_H
#define RL_KERNELS_DSP_WINDOW_SUMS_TILE_H

#include <string.h>

#include "dsp/fully_connected_tile.h"
#include "dsp/simd.h"

enum { RL_WINDOW_CHANNELS = RL_SUM_BLOCK }; // at a time

// The last three filters of the layer are a group of their own, which overlaps the one before it.
struct rl_window_sums {
    int32_t *sums;
    uint32_t *words;
    const int32_t *start; // what the next run adds to: biases or `sums`
    int32_t last[RL_FILTERS];
    bool scales_are_usual;
};

// Bytes for runs of so many values.
static inline int32_t rl_window_sums_bytes(int32_t run, int32_t channels)
{
    return rl_fully_connected_bytes(run, channels);
}

static inline void rl_window_sums_place(struct rl_window_sums *s, const struct rl_fully_connected *f, void *memory)
{
    s->sums = memory;
    s->words = (uint32_t *)memory + rl_min_s32(f->channels, RL_SUM_BLOCK);
    s->scales_are_usual = rl_pairs_scale(f->scales.multiplier, f->scales.shift, f->channels, f->output_offset);
}

// Begins the sums of `count` channels from `first` on with their biases.
static inline void rl_window_sums_begin(const struct rl_fully_connected *f, int32_t first, int32_t count,
                                        struct rl_window_sums *s)
{
    s->start = f->base ? f->base + first : s->sums;
    if (!f->base) {
        memset(s->sums, 0, (size_t)count * sizeof *s->sums);
    }
    for (int32_t i = 0; i < RL_FILTERS; i++) {
        s->last[i] = f->base ? f->base[f->channels - RL_FILTERS + i] : 0;
    }
}

// Adds a part of a run to the last three sums. `outside` tells that its last step would read weights behind those of
// the last filter.
static inline void rl_window_sums_add_last(const struct rl_fully_connected *f, int32_t at, int32_t values, bool outside,
                                           const int8_t *input, struct rl_window_sums *s)
{
    const int32_t first = f->channels - RL_FILTERS, whole = outside ? values & -RL_ROW_STEP : values;
    if (whole > 0) {
        s->words[(whole + RL_ROW_STEP - 1) / RL_ROW_STEP * 4] = RL_ROW_END;
        rl_dot_words(f, at, whole, first, RL_FILTERS, s->last, s->last, s->words);
    }
    const int8_t *filter = f->weights + (ptrdiff_t)first * f->depth + at + whole;
    for (int32_t i = 0; i < RL_FILTERS && whole < values; i++, filter += f->depth) {
        s->last[i] += rl_dot_s8_s8(input + whole, f->base_offset, filter, values - whole);
    }
}

// Adds the products of `count` filters from channel `first` on with a run of inputs. Their weights begin at number `at`
// of each filter. Groups may read up to seven weights behind a run.
static inline void rl_window_sums_add(const struct rl_fully_connected *f, int32_t at, int32_t run, const int8_t *input,
                                      int32_t first, int32_t count, struct rl_window_sums *s)
{
    const bool is_last = first + count == f->channels;
    const int32_t in_groups = (is_last ? count - 1 : count) / RL_FILTERS * RL_FILTERS;
    for (; run > 0; at += RL_LONG_BLOCK, input += RL_LONG_BLOCK, run -= RL_LONG_BLOCK) {
        const int32_t values = rl_min_s32(run, RL_LONG_BLOCK), read = (values + RL_ROW_STEP - 1) & -RL_ROW_STEP;
        rl_expand_steps(input, values, rl_repeat_s16x2(f->base_offset), s->words);
        if (in_groups > 0) {
            rl_dot_words(f, at, values, first, in_groups, s->start, s->sums, s->words);
            s->start = s->sums;
        }
        if (is_last) {
            rl_window_sums_add_last(f, at, values, at + read > f->depth, input, s);
        }
    }
}

static inline void rl_window_sums_store(const struct rl_fully_connected *f, int32_t first, int32_t count,
                                        const struct rl_window_sums *s, int8_t *output)
{
    const bool is_last = first + count == f->channels;
    const int32_t in_groups = (is_last ? count - 1 : count) / RL_FILTERS * RL_FILTERS, last = count - RL_FILTERS;
    if (!s->scales_are_usual) {
        for (int32_t i = 0; i < count; i++) {
            const int32_t sum = is_last && i >= last ? s->last[i - last] : s->start[i];
            output[i] = rl_fully_connected_requantized(f, first + i, sum);
        }
        return;
    }
    if (in_groups > 0) {
        rl_fully_connected_rescaled_each(f, s->start, first, in_groups, output, 1);
    }
    if (is_last) {
        rl_fully_connected_rescaled_each(f, s->last, first + last, RL_FILTERS, output + last, 1);
    }
}

#endif
