// SPDX-License-Identifier: Apache-2.0
// Which loops run an int8 depthwise convolution on scalar cores. Included by choice.h.
#ifndef RL_KERNELS_DEPTHWISE_CHOICE_SCALAR_H
#define RL_KERNELS_DEPTHWISE_CHOICE_SCALAR_H

#include "depthwise/choice_taps.h"

enum {
    // Outputs below which planes take longer to prepare than they save, with a dilation or a multiplier. Planes compute
    // pairs of rows and of columns, so odd numbers of both cost more. On a Cortex-M3 they are faster for filters of 3x3
    // than for others.
    RL_DEPTHWISE_FEW_THUMB1 = 13,
    RL_DEPTHWISE_FEW_THUMB2 = 17,
    RL_DEPTHWISE_FEW_ODD = 26,
    RL_DEPTHWISE_FEW_OF_MANY_TAPS = 65,
    RL_DEPTHWISE_FEW_CHANNELS = 16, // which a Cortex-M0 runs for several outputs together (window_groups.h)
};

// On scalar cores, the cycles of a layer by windows, which leave out the taps on padding, as measured. `groups` is the
// number of fours of channels. A Cortex-M0 runs a few channels of several outputs together.
static inline uint32_t rl_depthwise_windows_cycles_scalar(const struct rl_depthwise *d, uint32_t groups, bool thumb2)
{
    const uint32_t outputs = (uint32_t)(d->output.h * d->output.w), channels = (uint32_t)d->output.c;
    const uint32_t lines =
        (uint32_t)rl_depthwise_taps_inside(d->output.h, d->stride.h, d->padding.h, d->filter.h, d->input.h);
    const uint32_t columns =
        (uint32_t)rl_depthwise_taps_inside(d->output.w, d->stride.w, d->padding.w, d->filter.w, d->input.w);
    const uint32_t rows = lines * (uint32_t)d->output.w, taps = lines * columns;
    if (!thumb2 && channels <= RL_DEPTHWISE_FEW_CHANNELS) {
        return groups * (88 * outputs + 30 * taps + 18 * rows) + (315 + 28 * channels) * outputs + 1650;
    }
    return thumb2 ? groups * (127 * outputs + 28 * taps + 8 * rows) + 790 + 192 * outputs
                  : groups * (265 * outputs + 30 * taps + 16 * rows) + 770 + 624 * outputs;
}

// The same by planes, which compute pairs of rows and of columns from pixels with padding, and have a loop for nine
// taps. Channels beyond fours take their own time only, except for what it takes to copy pixels.
static inline uint32_t rl_depthwise_planes_cycles_scalar(const struct rl_depthwise *d, uint32_t groups, bool thumb2)
{
    const struct rl_extent f = d->filter;
    const uint32_t taps = (uint32_t)(f.h * f.w), channels = (uint32_t)d->output.c;
    const uint32_t paired = ((uint32_t)(d->output.h + 1) & ~1u) * ((uint32_t)(d->output.w + 1) & ~1u);
    const uint32_t pixels = (uint32_t)(((d->output.h - 1) * d->stride.h + (f.h - 1) * d->dilation.h + 1) *
                                       ((d->output.w - 1) * d->stride.w + f.w));
    const bool strided = d->stride.w > 1, line = f.h == 1;
    if (!thumb2 && channels <= RL_DEPTHWISE_FEW_CHANNELS) {
        return taps == 9 ? channels * (510 + 69 * paired + (strided ? 6 : 12) * pixels) + groups * 37 * pixels + 2300
                         : channels * (350 + 24 * taps) + (channels * (203 + 23 * taps) >> 2) * paired +
                               groups * 50 * pixels + 1200;
    }
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

#endif
