// SPDX-License-Identifier: Apache-2.0
// Which loops run an int8 depthwise convolution, for every instruction set. It is plain arithmetic: on a core
// rl_depthwise_prepare asks for its own, and a compiler on the host for that of its target.
#ifndef RL_KERNELS_DEPTHWISE_CHOICE_H
#define RL_KERNELS_DEPTHWISE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/points_sizes.h"
#include "dsp/shared_sizes.h"
#include "requantize.h"
#include "rushlight/kernels/depthwise.h"

enum {
    // Outputs below which planes take longer to prepare than they save. Planes of dilated filters are wider; with a
    // stride or more than nine taps they also run longer.
    RL_DEPTHWISE_FEW_UNSHARED_DSP = 7, // where windows take no words of channels
    RL_DEPTHWISE_FEW_DILATED_DSP = 50,
    RL_DEPTHWISE_FEW_DILATED_SLOW_DSP = 101,
    RL_DEPTHWISE_FEW_MVE = 8,
    // With a dilation or a multiplier on scalar cores. Planes compute pairs of rows and of columns, so odd numbers of
    // both cost more. On a Cortex-M3 they are faster for filters of 3x3 than for others.
    RL_DEPTHWISE_FEW_THUMB1 = 13,
    RL_DEPTHWISE_FEW_THUMB2 = 17,
    RL_DEPTHWISE_FEW_ODD = 26,
    RL_DEPTHWISE_FEW_OF_MANY_TAPS = 65,
    // The most channels of an input that Helium computes from copies of it, also for short filters with stride 1, for
    // those if there is one input channel, and for a few outputs.
    RL_DEPTHWISE_MOST_REPEATED = 8,
    RL_DEPTHWISE_MOST_SHORT = 18,
    RL_DEPTHWISE_MOST_OF_ONE = 16,
    RL_DEPTHWISE_MOST_OF_FEW = 24,
    // Multipliers of Helium below which patches of one channel take longer than windows, for a few outputs and for
    // more. With many outputs patches are always faster.
    RL_DEPTHWISE_SMALL_MULTIPLIER = 12,
    RL_DEPTHWISE_SMALLER_MULTIPLIER = 4,
    RL_DEPTHWISE_MORE_OUTPUTS = 20,
    RL_DEPTHWISE_MANY_OUTPUTS = 100,
    // Channels up to which one loop over the image keeps everything in core registers, which is faster than vectors and
    // than loops over channels.
    RL_DEPTHWISE_NARROW = 3,
    // Bands (mve/depthwise_bands_nest.h): the channels of a band, the most taps, and the most outputs for which planes
    // take longer, with stride 1 and with others. A single line is always faster so.
    RL_BAND_CHANNELS = 16,
    RL_BAND_TAPS = 64,
    RL_BAND_OUTPUTS = 32,
    RL_BAND_STRIDED_OUTPUTS = 48,
    // Outputs above which planes are faster than 16 channels of an output: with long lines as filters, whose windows
    // take planes more than two vectors, and with others.
    RL_DEPTHWISE_SIXTEENS_OF_LINES = 1024,
    RL_DEPTHWISE_SIXTEENS = 64,
    RL_DEPTHWISE_LONG_LINE = 9,
};

// Whether planes of every core take this filter: a condition that is simpler than theirs (scalar/plane_blocks.h,
// mve/plane_nest.h), and narrower.
static inline bool rl_depthwise_filter_fits_planes(const struct rl_depthwise *d)
{
    enum { REACH = 7, TAPS = 28, STRIDE = 2 };
    const struct rl_extent f = d->filter, s = d->stride, p = d->dilation;
    return f.h > 0 && f.w > 0 && f.h <= REACH && f.w <= REACH && p.h > 0 && p.w > 0 && p.h <= REACH && p.w <= REACH &&
           (f.h - 1) * p.h < REACH && (f.w - 1) * p.w < REACH && f.h * f.w <= TAPS && s.h > 0 && s.w > 0 &&
           s.h <= STRIDE && s.w <= STRIDE;
}

static inline bool rl_depthwise_fits_planes(const struct rl_depthwise *d)
{
    enum { CHANNELS = 8 };
    return d->multiplier == 1 && d->output.c >= CHANNELS && rl_depthwise_filter_fits_planes(d);
}

// Whether planes waste much, because they compute pairs of rows and of columns and keep the pixels between taps.
static inline bool rl_depthwise_wastes_planes(const struct rl_depthwise *d)
{
    return d->output.h == 1 || d->output.w == 1 || d->stride.w > 2;
}

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

// With Helium: whether the loops for one channel an input, on inputs that are copied once for each channel that reads
// them, take less time than patches of each input channel, which all channels that read it share.
static inline bool rl_depthwise_repeats_inputs(const struct rl_depthwise *d)
{
    enum { FEW = 4 };
    const bool is_short = d->filter.h * d->filter.w <= 9 && d->stride.h == 1 && d->stride.w == 1;
    if (d->multiplier == 1) {
        return false;
    }
    if (d->input.c == 1) { // whose patches are runs
        return is_short && d->multiplier <= RL_DEPTHWISE_MOST_OF_ONE;
    }
    if (d->output.h * d->output.w <= FEW) {
        return d->multiplier <= RL_DEPTHWISE_MOST_OF_FEW;
    }
    return d->multiplier <= (is_short ? RL_DEPTHWISE_MOST_SHORT : RL_DEPTHWISE_MOST_REPEATED);
}

// Whether the lines of a band go down the image, as filters of one column do.
static inline bool rl_depthwise_band_turns(const struct rl_depthwise *d)
{
    return d->output.w == 1 || (d->filter.w == 1 && d->output.h > 1);
}

// Whether Helium runs a layer by bands: it has the channels, its taps fit, and planes would take longer. They do with
// filters of one line, which they compute as more lines, and with the smallest ones under a stride.
static inline bool rl_depthwise_suits_bands(const struct rl_depthwise *d)
{
    const struct rl_image out = d->output;
    const int32_t taps = d->filter.h * d->filter.w;
    if (out.c < RL_BAND_CHANNELS) {
        return false;
    }
    const int32_t dilation = rl_depthwise_band_turns(d) ? d->dilation.h : d->dilation.w;
    const bool one_line = d->filter.h == 1 || d->filter.w == 1 || out.h == 1 || out.w == 1;
    const bool least = taps <= 4 && d->stride.w > 1;
    const bool fits = taps > 0 && taps <= RL_BAND_TAPS && dilation == 1 && d->stride.w > 0 && d->stride.h > 0;
    const int32_t most = d->stride.w == 1 && d->stride.h == 1 ? RL_BAND_OUTPUTS : RL_BAND_STRIDED_OUTPUTS;
    return fits && (d->multiplier == 1 || rl_depthwise_repeats_inputs(d)) &&
           (out.h * out.w <= most || one_line || least);
}

// How many of the taps of all outputs on one axis lie on the input; without dilation, about as many with one.
static inline int32_t rl_depthwise_taps_inside(int32_t outputs, int32_t stride, int32_t padding, int32_t taps,
                                               int32_t inputs)
{
    int32_t count = outputs * taps;
    int32_t before = padding, behind = (outputs - 1) * stride - padding + taps - inputs;
    for (; outputs > 0 && (before > 0 || behind > 0); outputs--, before -= stride, behind -= stride) {
        count -= rl_clamp_s32(before, 0, taps) + rl_clamp_s32(behind, 0, taps);
    }
    return count;
}

// The taps of all outputs that lie on the image.
static inline int32_t rl_depthwise_all_taps_inside(const struct rl_depthwise *d)
{
    return rl_depthwise_taps_inside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h) *
           rl_depthwise_taps_inside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
}

// Whether Helium computes 16 channels of an output at a time, or fewer than 16 but more than eight together
// (mve/depthwise_sixteen.h).
static inline bool rl_depthwise_has_sixteens(const struct rl_depthwise *d)
{
    return d->multiplier == 1 && d->output.c > 8 && d->bias && d->filter.h * d->filter.w <= RL_BAND_TAPS;
}

// The cycles of 16 channels of all outputs that way, as fitted to 1200 layers, like those of other ways below.
static inline int32_t rl_depthwise_sixteens_cycles(const struct rl_depthwise *d)
{
    enum { EIGHT = 8, SIXTEEN = 16, LAYER = 100, COLUMN = 95, OUTPUT = 100, TAP = 18, NARROW_TAP = 27 };
    const int32_t channels = d->output.c, outputs = d->output.h * d->output.w;
    const int32_t once = LAYER + COLUMN * d->output.w; // for any number of channels
    if (channels < SIXTEEN) {
        return once + OUTPUT * outputs + NARROW_TAP * rl_depthwise_all_taps_inside(d);
    }
    // Channels that are left over take as long as 16. Other ways waste less.
    const int32_t sixteens = (channels + SIXTEEN - 1) / SIXTEEN, eights = (channels + EIGHT - 1) / EIGHT;
    const int32_t each = OUTPUT * outputs + TAP * rl_depthwise_all_taps_inside(d);
    return 2 * (once + sixteens * each) / eights;
}

// The same by bands: copies of weights, and products of all taps of each output.
static inline int32_t rl_depthwise_bands_cycles(const struct rl_depthwise *d)
{
    const int32_t taps = d->filter.h * d->filter.w;
    return 730 + 32 * taps + d->output.h * d->output.w * (88 + 15 * taps);
}

// The same by planes, whose weights take longer to prepare. With few channels they waste more on lines of one row.
static inline int32_t rl_depthwise_planes_cycles(const struct rl_depthwise *d)
{
    enum { SIXTEEN = 16 };
    const int32_t taps = d->filter.h * d->filter.w, outputs = d->output.h * d->output.w;
    if (d->output.c >= SIXTEEN) {
        return 1000 + 170 * taps + outputs * (90 + 8 * taps);
    }
    const bool one_line = d->filter.h == 1 || d->filter.w == 1 || d->output.h == 1 || d->output.w == 1;
    const int32_t strided = 145 + 7 * taps, dense = 60 + (17 * taps >> 1);
    const int32_t square = d->stride.h == 1 && d->stride.w == 1 ? dense : strided;
    return 900 + 270 * taps + outputs * (one_line ? 70 + 28 * taps : square);
}

// Whether Helium runs a layer with a channel multiplier by planes.
static inline bool rl_depthwise_shares_planes_mve(const struct rl_depthwise *d)
{
    enum { CHANNELS = 8 };
    return rl_depthwise_repeats_inputs(d) && d->output.c >= CHANNELS && rl_depthwise_filter_fits_planes(d) &&
           d->output.h * d->output.w >= RL_DEPTHWISE_FEW_MVE;
}

static inline bool rl_depthwise_by_windows_mve(const struct rl_depthwise *d, bool small)
{
    if (!small && rl_depthwise_suits_bands(d)) {
        return true;
    }
    if (d->multiplier == 1) {
        const int32_t outputs = d->output.h * d->output.w;
        const bool line = (d->filter.h == 1 || d->filter.w == 1) && d->filter.h + d->filter.w > RL_DEPTHWISE_LONG_LINE;
        return outputs < RL_DEPTHWISE_FEW_MVE ||
               (!small && outputs <= (line ? RL_DEPTHWISE_SIXTEENS_OF_LINES : RL_DEPTHWISE_SIXTEENS) &&
                rl_depthwise_has_sixteens(d) && rl_depthwise_sixteens_cycles(d) < rl_depthwise_planes_cycles(d));
    }
    if (!small && rl_depthwise_shares_planes_mve(d)) {
        return false;
    }
    const int32_t outputs = d->output.h * d->output.w;
    if (d->input.c == 1 || outputs >= RL_DEPTHWISE_MANY_OUTPUTS) {
        return false;
    }
    return d->multiplier <
           (outputs < RL_DEPTHWISE_MORE_OUTPUTS ? RL_DEPTHWISE_SMALL_MULTIPLIER : RL_DEPTHWISE_SMALLER_MULTIPLIER);
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

// On scalar cores, the cycles of a layer by windows, which leave out the taps on padding, as measured. `groups` is the
// number of fours of channels.
static inline uint32_t rl_depthwise_windows_cycles_scalar(const struct rl_depthwise *d, uint32_t groups, bool thumb2)
{
    const uint32_t outputs = (uint32_t)(d->output.h * d->output.w);
    const uint32_t lines =
        (uint32_t)rl_depthwise_taps_inside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h);
    const uint32_t columns =
        (uint32_t)rl_depthwise_taps_inside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
    const uint32_t rows = lines * (uint32_t)d->output.w, taps = lines * columns;
    return thumb2 ? groups * (127 * outputs + 28 * taps + 8 * rows) + 790 + 192 * outputs
                  : groups * (265 * outputs + 30 * taps + 16 * rows) + 770 + 624 * outputs;
}

// The same by planes, which compute pairs of rows and of columns from pixels with padding, and have a loop for nine
// taps.
static inline uint32_t rl_depthwise_planes_cycles_scalar(const struct rl_depthwise *d, uint32_t groups, bool thumb2)
{
    const struct rl_extent f = d->filter;
    const uint32_t taps = (uint32_t)(f.h * f.w);
    const uint32_t paired = ((uint32_t)(d->output.h + 1) & ~1u) * ((uint32_t)(d->output.w + 1) & ~1u);
    const uint32_t pixels = (uint32_t)(((d->output.h - 1) * d->stride.h + (f.h - 1) * d->dilation.h + 1) *
                                       ((d->output.w - 1) * d->stride.w + f.w));
    const bool strided = d->stride.w > 1, line = f.h == 1;
    if (taps == 9) {
        return thumb2 ? groups * (1630 + (strided ? 158 : 178) * paired + (strided ? 34 : 40) * pixels) + 790
                      : groups * (2730 + (strided ? 267 : 301) * paired + (strided ? 59 : 70) * pixels) + 1290;
    }
    return thumb2 ? groups * (1330 + (155 + 17 * taps) * paired + (line ? 22 : 28) * pixels + 49 * taps) + 760
                  : groups * (2400 + (195 + 23 * taps) * paired + (line ? 38 : 44) * pixels + 81 * taps) + 1100;
}

// Whether windows take less time than planes. Their loop in assembler takes neither dilated lines nor, on a Cortex-M0,
// long ones.
static inline bool rl_depthwise_suits_windows_scalar(const struct rl_depthwise *d, bool thumb2)
{
    enum { COLUMNS = 8, CHANNELS = 4, FEW = 8, MANY = 1024 }; // outputs with nothing to compute
    const int32_t outputs = d->output.h * d->output.w;
    if (outputs <= FEW || rl_depthwise_wastes_planes(d)) {
        return true;
    }
    if (d->multiplier == 1 && d->dilation.w == 1 && d->filter.w <= COLUMNS && d->output.c >= CHANNELS) {
        const uint32_t groups = (uint32_t)(d->output.c + 3) / 4;
        return outputs <= MANY && rl_depthwise_windows_cycles_scalar(d, groups, thumb2) <
                                      rl_depthwise_planes_cycles_scalar(d, groups, thumb2);
    }
    const bool odd = (d->output.h & d->output.w & 1) != 0;
    const bool many = thumb2 && d->filter.h * d->filter.w > 9 && d->dilation.w == 1;
    const int32_t usual = thumb2 ? RL_DEPTHWISE_FEW_THUMB2 : RL_DEPTHWISE_FEW_THUMB1;
    const int32_t few_of_few_taps = odd ? RL_DEPTHWISE_FEW_ODD : usual;
    return outputs < (many ? RL_DEPTHWISE_FEW_OF_MANY_TAPS : few_of_few_taps);
}

// On scalar cores: whether a layer with a channel multiplier takes less time as a convolution with a group for each
// input than by windows, which leave out the taps on padding. In tenths of cycles of a group, as measured: products,
// copies of taps and of weights, and what one of both takes beyond the other for an output and in all.
static inline bool rl_depthwise_suits_groups_scalar(const struct rl_depthwise *d, bool thumb2)
{
    enum { FEWEST = 4 };
    if (d->multiplier < FEWEST) {
        return false;
    }
    const bool one = d->input.c == 1; // whose patches are runs
    const uint32_t group = thumb2 ? 29 : 28, window = thumb2 ? 69 : 98, output = one ? 1500 : 200;
    const uint32_t weight = thumb2 ? 130 : 200, rest = thumb2 ? 15000 : 30000;
    const uint32_t copy = thumb2 ? (one ? 90 : 180) : (one ? 230 : 1000);
    const uint32_t outputs = (uint32_t)(d->output.h * d->output.w), multiplier = (uint32_t)d->multiplier;
    const uint32_t taps = (uint32_t)(d->filter.h * d->filter.w), inside = (uint32_t)rl_depthwise_all_taps_inside(d);
    return outputs * taps * (group * multiplier + copy) + taps * multiplier * weight + rest <
           inside * window * multiplier + outputs * output;
}

// On scalar cores: whether a layer with a channel multiplier runs by planes. The loop of a Cortex-M0 for more than nine
// taps takes half the time of windows, but computes the taps on padding and pairs of outputs.
static inline bool rl_depthwise_shares_planes_scalar(const struct rl_depthwise *d, bool thumb2)
{
    const int32_t taps = d->filter.h * d->filter.w;
    if (d->multiplier == 1 || d->output.c < 4 || !rl_depthwise_filter_fits_planes(d) ||
        rl_depthwise_suits_windows_scalar(d, thumb2)) {
        return false;
    }
    const int32_t paired = ((d->output.h + 1) & ~1) * ((d->output.w + 1) & ~1);
    return thumb2 || taps <= 9 || (10 * rl_depthwise_all_taps_inside(d) > taps * (5 * paired + 40) && d->input.c > 1);
}

static inline bool rl_depthwise_by_windows_scalar(const struct rl_depthwise *d, bool thumb2)
{
    if (d->multiplier > 1) {
        return !rl_depthwise_shares_planes_scalar(d, thumb2) && !rl_depthwise_suits_groups_scalar(d, thumb2);
    }
    return rl_depthwise_suits_windows_scalar(d, thumb2);
}

// Whether outputs are computed one by one instead of by planes or as a convolution. `thumb2` is RL_HAS_THUMB2_LOOP of
// the core, `small` its RL_SMALL (isa.h).
static inline bool rl_depthwise_by_windows(const struct rl_depthwise *d, enum rl_isa isa, bool thumb2, bool small)
{
    if (isa == RL_ISA_MVE) {
        return rl_depthwise_by_windows_mve(d, small);
    }
    if (small) {
        return false;
    }
    return isa == RL_ISA_DSP ? rl_depthwise_by_windows_dsp(d) : rl_depthwise_by_windows_scalar(d, thumb2);
}

#endif
