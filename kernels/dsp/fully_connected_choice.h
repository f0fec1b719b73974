// SPDX-License-Identifier: Apache-2.0
// Which loop takes a fully connected layer.
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_CHOICE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_CHOICE_H

#include "dsp/dot_pairs_plain.h"
#include "dsp/matmul_bytes.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"

enum {
    RL_FILTERS = 3,                                 // filters in a group
    RL_FEWEST_THREES = 4,                           // values of rows that rl_dot_threes takes
    RL_SINGLE_PRODUCTS = RL_DUAL_ISSUE ? 140 : 105, // the most for which rl_dot_threes prepares too much
    RL_FEWEST_GROUPED = RL_DUAL_ISSUE ? 11 : 16,    // channels that rl_dot_1x3 may take
    RL_FEWEST_WORDS = RL_DUAL_ISSUE ? 13 : 32,      // channels that may run with their words aligned
    RL_FEWEST_SHORT = 80,                           // the same for rows that rl_dot_threes does not take
};

// Doubling saturates values of 2^30 and more. With a multiplier of 2^30 or more and a shift of 20 or less, such values
// leave the range of int8 by far, saturated or not.
static inline bool rl_saturation_is_exact(const struct rl_fully_connected *f)
{
    return f->has_rescale && f->rescale.multiplier >= (1 << 30) && f->rescale.right_shift <= 20;
}

// Whether rl_dot_1x3 takes less time than rl_dot_threes. It saves a part of a cycle for each product, but needs the
// expanded row, and zeros up to a whole step. Figures are measured, in sixteenths of a cycle.
static inline bool rl_groups_take_less(const struct rl_fully_connected *f)
{
    const int32_t depth = f->depth, rest = depth % RL_ROW_STEP, steps = (depth + RL_ROW_STEP - 1) / RL_ROW_STEP;
    const int32_t fours = depth >> 2, last = (depth & 3) != 0 ? 1 : 0;
    const int32_t saved =
        RL_DUAL_ISSUE ? 80 * fours + 100 * last - 136 * steps : 104 * fours + 140 * last - 192 * steps;
    const int32_t start = RL_DUAL_ISSUE ? 27 * depth + 2000 + 150 * rest : 60 * depth + 4800 + 370 * rest;
    return f->channels >= RL_FEWEST_GROUPED && depth >= RL_ROW_STEP && f->channels * saved > start;
}

// How many channels apart filters begin at the same place in a word, for a depth that is not a multiple of four.
static inline int32_t rl_words_apart(int32_t depth)
{
    return (depth & 1) != 0 ? 4 : 2;
}

// The channels that run together. Bytes behind a filter in its last word are those of the next one, so that the very
// last filter is not among them, if there are any.
static inline int32_t rl_words_channels(const struct rl_fully_connected *f)
{
    const int32_t group = RL_FILTERS * rl_words_apart(f->depth), alone = ((f->channels * f->depth) & 3) != 0 ? 1 : 0;
    return (f->channels - alone) / group * group;
}

// Whether rl_dot_threes and rl_dot_expanded can use the scale, or find out about scales of channels.
static inline bool rl_fully_connected_has_scales(const struct rl_fully_connected *f)
{
    return f->scales.multiplier ? rl_offset_is_small(f->output_offset) : rl_saturation_is_exact(f);
}

// Whether running filters with their words aligned takes less time than others. It saves a part of a cycle for each
// product, on a Cortex-M7 more, but expands the row for each place in a word. Figures are measured, in sixteenths of a
// cycle. Most layers that it does not suit are refused without a division.
static inline bool rl_fully_connected_suits_words(const struct rl_fully_connected *f)
{
    const int32_t depth = f->depth;
    if (RL_SMALL || f->channels < RL_FEWEST_WORDS || (depth & 3) == 0 || ((uintptr_t)f->weights & 3) != 0) {
        return false;
    }
    if (depth < RL_FEWEST_THREES) {
        return f->channels >= RL_FEWEST_SHORT && rl_fully_connected_has_scales(f);
    }
    const int32_t saved = RL_DUAL_ISSUE ? 9 * depth + 32 : 4 * depth + 32;
    const int32_t place = RL_DUAL_ISSUE ? 25 * depth + 320 : 36 * depth + 2880;
    const int32_t cost = rl_words_apart(depth) * place + 8000;
    if (f->channels * saved <= cost) {
        return false;
    }
    const int32_t together = rl_words_channels(f), rest = f->channels - together;
    return together * saved > cost + 480 * rest && rl_fully_connected_has_scales(f);
}

// Whether rl_dot_pairs and rl_dot_singles can use the scales.
static inline bool rl_scales_are_usual(const struct rl_fully_connected *f)
{
    if (!f->scales.multiplier) {
        return rl_saturation_is_exact(f);
    }
    return rl_pairs_scale(f->scales.multiplier, f->scales.shift, f->channels, f->output_offset);
}

// Whether a row has so few products that no preparation pays, and rl_dot_singles_last can run it. `others` is 0 if
// nothing else is against it.
static inline bool rl_row_is_small(const struct rl_fully_connected *f, int32_t others)
{
    return !RL_SMALL && !f->scales.multiplier && (others | f->weight_offset) == 0 &&
           f->channels * f->depth <= RL_SINGLE_PRODUCTS && rl_saturation_is_exact(f);
}

// Whether a layer of one row is one of these.
static inline bool rl_fully_connected_is_small(const struct rl_fully_connected *f)
{
    return rl_row_is_small(f, f->rows ^ 1);
}

// Whether several rows are.
static inline bool rl_fully_connected_has_small_rows(const struct rl_fully_connected *f)
{
    return rl_row_is_small(f, 0);
}

// Whether rl_dot_threes can take the channels and rows. It has no scales of its own for two channels.
static inline bool rl_sizes_fit_threes(const struct rl_fully_connected *f)
{
    return f->channels >= (f->scales.multiplier ? RL_FILTERS : 2) && f->depth >= RL_FEWEST_THREES;
}

// Whether rl_dot_singles takes less time than others, and can use the scales.
static inline bool rl_fully_connected_suits_singles(const struct rl_fully_connected *f)
{
    const bool own = f->scales.multiplier, short_rows = f->depth < RL_FEWEST_THREES && !own;
    const bool threes = rl_sizes_fit_threes(f) && f->weight_offset == 0;
    const bool few = short_rows || f->channels * (f->depth + 7) <= 320 + f->depth;
    const bool least = !own && f->channels * f->depth <= RL_SINGLE_PRODUCTS;
    return !RL_SMALL && (threes ? least : few) && rl_scales_are_usual(f) && !rl_fully_connected_suits_words(f);
}

// Whether rl_dot_threes can run the layer, if its scales are usual.
static inline bool rl_fully_connected_takes_threes(const struct rl_fully_connected *f)
{
    return !RL_SMALL && rl_sizes_fit_threes(f) && rl_fully_connected_has_scales(f);
}

// Whether rl_dot_threes takes less time than other loops. Where one or two channels of a few are left over, a Cortex-M7
// takes long rows in pairs.
static inline bool rl_fully_connected_suits_threes(const struct rl_fully_connected *f)
{
    const bool few = f->channels == 4 || f->channels == 5 || f->channels == 8;
    const bool pairs = RL_DUAL_ISSUE && few && f->depth > 300;
    return rl_fully_connected_takes_threes(f) && !pairs && !rl_groups_take_less(f) &&
           !rl_fully_connected_suits_words(f);
}

// Whether a row of a layer with one scale has so few filters that it suits rl_dot_threes without other questions. It is
// not one of the least. `others` is 0 if nothing else is against it.
static inline bool rl_row_is_short(const struct rl_fully_connected *f, int32_t others)
{
    const uint32_t beyond_two = (uint32_t)f->channels - 2;
    return !RL_SMALL && !f->scales.multiplier && (others | f->weight_offset) == 0 &&
           beyond_two < RL_FEWEST_GROUPED - 2 && f->depth >= RL_FEWEST_THREES && !(RL_DUAL_ISSUE && f->depth > 300) &&
           rl_saturation_is_exact(f);
}

// Whether a layer of one row is one of these.
static inline bool rl_fully_connected_is_short(const struct rl_fully_connected *f)
{
    return rl_row_is_short(f, f->rows ^ 1);
}

// Whether several rows are.
static inline bool rl_fully_connected_has_short_rows(const struct rl_fully_connected *f)
{
    return rl_row_is_short(f, 0);
}

// Whether expanding the row does not pay, and rl_dot_pairs can use the scales.
static inline bool rl_suits_pairs(const struct rl_fully_connected *f)
{
    return !RL_SMALL && !rl_groups_take_less(f) && rl_scales_are_usual(f);
}

#endif
