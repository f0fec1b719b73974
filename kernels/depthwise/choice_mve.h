// SPDX-License-Identifier: Apache-2.0
// Which loops run an int8 depthwise convolution with Helium. Included by choice.h.
#ifndef RL_KERNELS_DEPTHWISE_CHOICE_MVE_H
#define RL_KERNELS_DEPTHWISE_CHOICE_MVE_H

#include "depthwise/choice_taps.h"

enum {
    RL_DEPTHWISE_FEW_MVE = 8, // outputs below which planes take longer to prepare than they save
    // The most channels of an input that Helium computes from copies of it, also for short filters with stride 1, for
    // those if there is one input channel, and for a few outputs.
    RL_DEPTHWISE_MOST_REPEATED = 8,
    RL_DEPTHWISE_MOST_SHORT = 18,
    RL_DEPTHWISE_MOST_OF_ONE = 16,
    RL_DEPTHWISE_MOST_OF_FEW = 24,
    // Multipliers below which patches of one channel take longer than windows, for a few outputs and for more. With
    // many outputs patches are always faster.
    RL_DEPTHWISE_SMALL_MULTIPLIER = 12,
    RL_DEPTHWISE_SMALLER_MULTIPLIER = 4,
    RL_DEPTHWISE_MORE_OUTPUTS = 20,
    RL_DEPTHWISE_MANY_OUTPUTS = 100,
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

#endif
