// SPDX-License-Identifier: Apache-2.0
// Which loops run an int8 depthwise convolution with DSP instructions. Included by choice.h.
#ifndef RL_KERNELS_DEPTHWISE_CHOICE_DSP_H
#define RL_KERNELS_DEPTHWISE_CHOICE_DSP_H

#include "depthwise/choice_taps.h"
#include "dsp/points_sizes.h"
#include "dsp/shared_sizes.h"

enum {
    // Outputs below which planes take longer to prepare than they save. Planes of dilated filters are wider; with a
    // stride or more than nine taps they also run longer.
    RL_DEPTHWISE_FEW_UNSHARED_DSP = 7, // where windows take no words of channels
    RL_DEPTHWISE_FEW_DILATED_DSP = 50,
    RL_DEPTHWISE_FEW_DILATED_SLOW_DSP = 101,
};

// With DSP instructions: the number of neighbouring channels of a word that read one input channel; 0 if they cannot be
// computed in words.
static inline int32_t rl_depthwise_sharing(const struct rl_depthwise *d)
{
    const int32_t multiplier = d->multiplier;
    if (multiplier == 1) {
        return d->dilation.w == 1 ? 1 : 0;
    }
    if (multiplier == 2) {
        return 2;
    }
    return multiplier % 4 == 0 ? 4 : 0;
}

// With DSP instructions: whether windows run some outputs at a time (dsp/depthwise_points.h), and not so few that the
// weights of each group of channels take longer to prepare than they save.
static inline bool rl_depthwise_suits_points(const struct rl_depthwise *d)
{
    enum { FEW = 4, OUTPUT = 45, GROUP = 90, TAP = 10 };
    const int32_t outputs = d->output.h * d->output.w, taps = d->filter.h * d->filter.w;
    return outputs >= FEW && outputs * OUTPUT > GROUP + TAP * taps && d->multiplier == 1 && d->dilation.w == 1 &&
           d->filter.w <= RL_POINTS_COLUMNS && d->filter.h <= RL_POINTS_ROWS && taps <= RL_POINTS_TAPS &&
           (int64_t)d->dilation.h * d->input.w * d->input.c <= RL_POINTS_LINE;
}

// With DSP instructions, the cycles of a Cortex-M4 for four channels of a layer: the mean of those measured there, and,
// in proportion, on a Cortex-M7 and a Cortex-M33. First by windows, which leave out the taps on padding.
static inline uint32_t rl_depthwise_windows_cycles_dsp(const struct rl_depthwise *d)
{
    const uint32_t outputs = (uint32_t)(d->output.h * d->output.w), groups = (uint32_t)(d->output.c + 3) / 4;
    const uint32_t rows =
        (uint32_t)rl_depthwise_taps_inside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h);
    const uint32_t columns =
        (uint32_t)rl_depthwise_taps_inside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
    if (!rl_depthwise_suits_points(d)) {
        return 106 * outputs + 16 * rows * columns + (910 + 120 * outputs) / groups;
    }
    const uint32_t taps = (uint32_t)(d->filter.h * d->filter.w), rounds = (outputs + RL_POINTS - 1) / RL_POINTS;
    const uint32_t tap = (d->output.c & 3) == 0 ? 21 : 27; // halves of cycles
    return 60 * outputs + 7 * rows * (uint32_t)d->output.w + (tap * rows * columns >> 1) + rounds * (166 + 12 * taps) +
           (970 + 57 * outputs) / groups;
}

// The same by planes, which compute pairs of rows and of columns from pixels with padding.
static inline uint32_t rl_depthwise_planes_cycles_dsp(const struct rl_depthwise *d)
{
    const struct rl_extent f = d->filter;
    const uint32_t groups = (uint32_t)(d->output.c + 3) / 4, taps = (uint32_t)(f.h * f.w);
    const uint32_t paired = ((uint32_t)(d->output.h + 1) & ~1u) * ((uint32_t)(d->output.w + 1) & ~1u);
    const uint32_t pixels = (uint32_t)(((d->output.h - 1) * d->stride.h + (f.h - 1) * d->dilation.h + 1) *
                                       ((d->output.w - 1) * d->stride.w + (f.w - 1) * d->dilation.w + 1));
    if (f.h == 3 && f.w == 3) {
        const bool strided = d->stride.w > 1;
        return (strided ? 1500 : 1730) + 800 / groups + (strided ? 105 : 89) * paired + 14 * pixels;
    }
    const uint32_t words = (uint32_t)((f.h + 2) / 2 * f.w); // of weights, which are loaded for each output
    return 1740 + 1110 / groups + (78 + 12 * words) * paired + 34 * pixels + 11 * taps;
}

// The same by pairs of outputs, from where their inputs lie (dsp/depthwise_pairs.h), for a stride of 2. Columns of taps
// of which some lie on padding run by windows.
static inline uint32_t rl_depthwise_pairs_cycles_dsp(const struct rl_depthwise *d)
{
    const uint32_t height = (uint32_t)d->output.h, groups = (uint32_t)(d->output.c + 3) / 4;
    const uint32_t outside =
        (uint32_t)((d->padding.w > 0 ? 1 : 0) + ((d->output.w - 1) * 2 - d->padding.w + 3 > d->input.w ? 1 : 0));
    const uint32_t paired = ((uint32_t)d->output.w - outside + 1) & ~1u;
    const uint32_t unaligned = (d->output.c & 3) == 0 ? 0 : 11 * (uint32_t)d->output.w;
    return 590 + 1250 / groups + height * (148 * paired + unaligned + 67 + outside * (182 + 270 / groups));
}

// With DSP instructions: whether pairs of outputs take less time than what a layer that is prepared would take
// otherwise.
static inline bool rl_depthwise_suits_pairs(const struct rl_depthwise *d)
{
    enum { FEW = 8, MANY = 1024 }; // outputs below and above which there is nothing to compute
    const int32_t outputs = d->output.h * d->output.w;
    if (d->stride.w != 2 || d->output.c < 4 || d->output.w <= 2 || d->multiplier != 1 || d->filter.h != 3 ||
        d->filter.w != 3 || d->dilation.w != 1 || outputs <= FEW) {
        return false;
    }
    return outputs > MANY ||
           (d->by_windows ? 19 * rl_depthwise_pairs_cycles_dsp(d) < 20 * rl_depthwise_windows_cycles_dsp(d)
                          : 10 * rl_depthwise_pairs_cycles_dsp(d) < 11 * rl_depthwise_planes_cycles_dsp(d));
}

// With DSP instructions: whether planes take longer than windows. The planes' loop for a stride of 2 takes 3x3 only;
// the loop for any filter loads all weights each time.
static inline bool rl_depthwise_suits_windows_dsp(const struct rl_depthwise *d)
{
    enum { FEW = 8, FEW_SHARED = 19, MANY = 4096 }; // inputs that channels share take longer to copy
    const int32_t outputs = d->output.h * d->output.w;
    if (outputs <= (d->multiplier > 1 ? FEW_SHARED : FEW) || rl_depthwise_wastes_planes(d) ||
        (d->stride.w > 1 && (d->filter.w != 3 || d->filter.h != 3))) {
        return true;
    }
    // Planes are given a lead, because the proportions on a Cortex-M7 are others.
    const uint32_t lead = d->filter.w == 3 && d->filter.h == 3 ? 93 : 85;
    return outputs < MANY && 100 * rl_depthwise_windows_cycles_dsp(d) < lead * rl_depthwise_planes_cycles_dsp(d);
}

// With DSP instructions: whether a layer with a channel multiplier runs by planes.
static inline bool rl_depthwise_shares_planes(const struct rl_depthwise *d)
{
    if (d->multiplier <= 1 || d->output.c < 4 || !rl_depthwise_filter_fits_planes(d)) {
        return false;
    }
    if (rl_depthwise_sharing(d) == 0) {
        return d->output.h * d->output.w >= RL_DEPTHWISE_FEW_UNSHARED_DSP;
    }
    return !rl_depthwise_suits_windows_dsp(d);
}

// With DSP instructions: whether a layer with a channel multiplier takes less time by planes of single input channels
// (dsp/shared_nest.h) than by windows or by planes of four channels. In cycles of a Cortex-M4 for four channels, as
// measured; windows are given a lead, because the proportions on a Cortex-M33 are others.
static inline bool rl_depthwise_suits_shared(const struct rl_depthwise *d)
{
    enum { FEW = 4, MANY = 4096, FEW_CHANNELS = 4, LEAD = 93 }; // outputs for which there is nothing to compute
    const uint32_t outputs = (uint32_t)(d->output.h * d->output.w), multiplier = (uint32_t)d->multiplier;
    if (outputs <= FEW || multiplier < 4 || d->input.c == 1 || !rl_shared_fits(d)) {
        return false;
    }
    const bool is_3x3 = d->filter.h == 3 && d->filter.w == 3, planes = rl_depthwise_shares_planes(d);
    if (outputs > MANY || (planes && (!is_3x3 || d->stride.w > 1))) {
        return !planes || !is_3x3 || (d->stride.w > 1 && multiplier > FEW_CHANNELS);
    }
    const uint32_t taps = (uint32_t)d->filter.h, pairs = taps * (uint32_t)((d->filter.w + 1) / 2);
    const uint32_t pixels = (uint32_t)(((d->output.h - 1) * d->stride.h + (d->filter.h - 1) * d->dilation.h + 1) *
                                       ((d->output.w - 1) * d->stride.w + d->filter.w));
    const uint32_t shared =
        290 + (31 + 10 * outputs) * pairs + outputs * (76 + 7 * taps) + (155 + 6 * pixels) * 4 / multiplier;
    if (planes) {
        const uint32_t paired = ((uint32_t)(d->output.h + 1) & ~1u) * ((uint32_t)(d->output.w + 1) & ~1u);
        return shared < 1000 + 110 * paired + 6000 / multiplier;
    }
    const uint32_t rows =
        (uint32_t)rl_depthwise_taps_inside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h);
    const uint32_t columns =
        (uint32_t)rl_depthwise_taps_inside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
    const uint32_t windows = 50 + 198 * outputs + 16 * rows * columns + 19 * rows * (uint32_t)d->output.w;
    return 100 * shared < LEAD * windows;
}

// With DSP instructions: whether one loop over the image takes less time than planes, for up to three channels. In
// cycles of a Cortex-M4, as measured; those of others are in about the same proportion.
static inline bool rl_depthwise_suits_narrow_dsp(const struct rl_depthwise *d)
{
    enum { FEW = 17, MANY = 4096 }; // where there is nothing to compute
    const struct rl_extent f = d->filter;
    const uint32_t channels = (uint32_t)d->output.c, outputs = (uint32_t)(d->output.h * d->output.w);
    const uint32_t paired = ((uint32_t)(d->output.h + 1) & ~1u) * ((uint32_t)(d->output.w + 1) & ~1u);
    const uint32_t pixels = (uint32_t)(d->input.h * d->input.w), taps = (uint32_t)(f.h * f.w);
    if (outputs < FEW || outputs > MANY) {
        return outputs < FEW;
    }
    const uint32_t inside = (uint32_t)rl_depthwise_all_taps_inside(d);
    const uint32_t narrow = outputs * (70 + 53 * channels) + inside * (4 + 7 * channels);
    const bool is_3x3 = f.h == 3 && f.w == 3 && d->dilation.h == 1 && d->dilation.w == 1;
    const uint32_t words = (uint32_t)((f.h + 2) / 2 * f.w); // of weights, which other filters load for each output
    const uint32_t each = is_3x3 ? 26 : 28 + words * (d->stride.w == 1 ? 4 : 8);
    return narrow < 1800 + channels * (550 + 34 * taps + 12 * pixels + each * paired);
}

static inline bool rl_depthwise_by_windows_dsp(const struct rl_depthwise *d)
{
    if (d->output.c <= RL_DEPTHWISE_NARROW) {
        return rl_depthwise_suits_narrow_dsp(d);
    }
    if (d->multiplier > 1) {
        return d->input.c > 1 && !rl_depthwise_shares_planes(d);
    }
    if (rl_depthwise_sharing(d) == 0) {
        const bool slow_planes = d->stride.w > 1 || d->filter.h * d->filter.w > 9;
        const int32_t few = slow_planes ? RL_DEPTHWISE_FEW_DILATED_SLOW_DSP : RL_DEPTHWISE_FEW_DILATED_DSP;
        return d->output.h * d->output.w < few;
    }
    return rl_depthwise_suits_windows_dsp(d);
}

#endif
