// SPDX-License-Identifier: Apache-2.0
// Which int8 convolutions take other ways than blocks of many outputs and channels, for every instruction set. It is
// plain arithmetic: on a core rl_convolution_run asks for its own, and a compiler on the host for that of its target.
#ifndef RL_KERNELS_CONVOLUTION_CHOICE_H
#define RL_KERNELS_CONVOLUTION_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "requantize.h"
#include "rushlight/kernels/convolution.h"

// What the choice depends on. `thumb2` is RL_HAS_THUMB2_LOOP of the core, `small` its RL_SMALL (isa.h). A constant in
// kernels.
struct rl_convolution_core {
    enum rl_isa isa;
    bool thumb2;
    bool small;
};

enum {
    RL_CONVOLUTION_FEW_CHANNELS = 3, // whose filters run as rows
    // Helium: up to so many outputs have loops that prepare nothing (mve/few_rows.h), three of them for up to so many
    // channels.
    RL_CONVOLUTION_FEW_ROWS = 4,
    RL_CONVOLUTION_THREE_ROWS_CHANNELS = 32,
    // Filters so short that expanding and packing rows does not pay, for as many channels.
    RL_CONVOLUTION_SHORT_DEPTH = 16,
    RL_CONVOLUTION_SHORT_CHANNELS = 4,
    RL_CONVOLUTION_LONG_DEPTH = 32, // Helium: the most weights of a filter that is short, see mve/short_rows.h
    RL_CONVOLUTION_LEAST_LINE = 32, // Helium: values in a line of windows that are read in place, see mve/dot_lines.h
    RL_CONVOLUTION_MOST_CUT = 16,   // outputs at which taps may all meet padding
    // Layers whose filters and inputs change places with DSP instructions (dsp/turned_nest.h): groups of three
    // channels, or with one channel more. Measured; 8 and 10 channels take less time in fours. Two channels that are
    // not dense are three, too.
    RL_CONVOLUTION_TURNED_LEAST = 3,
    RL_CONVOLUTION_TURNED_MOST = 9,
    RL_CONVOLUTION_TURNED_FOURS = 8,
    RL_CONVOLUTION_TURNED_DEPTH = 256, // values that are expanded at a time
    RL_CONVOLUTION_TURNED_OUTPUTS = 10,
    RL_CONVOLUTION_TURNED_THREE_OUTPUTS = 6, // for three channels
    // The same with int16 results (dsp/lines_s16_nest.h): filter rows and filters of so many bytes, as measured.
    RL_CONVOLUTION_LINES_RUN = 8,
    RL_CONVOLUTION_LINES_DEPTH = 2048,
    RL_CONVOLUTION_LINES_OUTPUTS = 12,
};

// The number of output positions.
static inline int32_t rl_convolution_outputs(const struct rl_convolution *c)
{
    return c->input.n * c->output.h * c->output.w;
}

// The most outputs that run as rows of a fully connected layer.
static inline int32_t rl_convolution_few_outputs(struct rl_convolution_core core)
{
    if (core.isa == RL_ISA_MVE) {
        return 1;
    }
    return core.small ? 0 : 2;
}

// Whether a few more outputs run in that way on a scalar core, where packing their inputs and folding the input offset
// into the biases would not pay, as measured.
static inline bool rl_convolution_are_short(int32_t outputs, int32_t depth, struct rl_convolution_core core)
{
    if (core.isa != RL_ISA_SCALAR || core.small) {
        return false;
    }
    if (core.thumb2) {
        return outputs == 3;
    }
    return (outputs == 3 && depth <= 48) || (outputs == 4 && depth <= 72);
}

// Whether a few more outputs run in that way with DSP instructions, three filters at a time: where preparing channels
// and multiplying them in pairs would not pay, as measured.
static inline bool rl_convolution_are_threes(int32_t outputs, int32_t channels, int32_t depth,
                                             struct rl_convolution_core core)
{
    if (core.isa != RL_ISA_DSP || core.small || outputs < 3 || outputs > 4) {
        return false;
    }
    return channels < 8 ? depth <= 128 : channels < 16 && channels % 6 == 3 && depth <= 32;
}

// Whether so many outputs, whose inputs lie in rows of `depth` values, are few enough for that.
static inline bool rl_convolution_are_few(int32_t outputs, int32_t channels, int32_t depth,
                                          struct rl_convolution_core core)
{
    return outputs <= rl_convolution_few_outputs(core) || rl_convolution_are_short(outputs, depth, core) ||
           rl_convolution_are_threes(outputs, channels, depth, core);
}

// Whether the layer has so few outputs, and their inputs lie in rows.
static inline bool rl_convolution_has_few_outputs(const struct rl_convolution *c, struct rl_convolution_core core)
{
    return c->dense && rl_convolution_are_few(rl_convolution_outputs(c), c->output.c,
                                              c->filter.h * c->filter.w * c->filter_channels, core);
}

// Whether the first or the last tap of a filter meets padding at every output, on one axis.
static inline bool rl_convolution_is_idle(int32_t input, int32_t output, int32_t window, int32_t stride,
                                          int32_t padding, int32_t dilation)
{
    return padding > (output - 1) * stride || input + padding <= (window - 1) * dilation;
}

// Whether a layer of few outputs has such taps.
static inline bool rl_convolution_has_idle_taps(const struct rl_convolution *c)
{
    return rl_convolution_outputs(c) <= RL_CONVOLUTION_MOST_CUT && (c->padding.h | c->padding.w) != 0 &&
           (rl_convolution_is_idle(c->input.h, c->output.h, c->filter.h, c->stride.h, c->padding.h, c->dilation.h) ||
            rl_convolution_is_idle(c->input.w, c->output.w, c->filter.w, c->stride.w, c->padding.w, c->dilation.w));
}

// Whether the layer has two to four outputs, which Helium runs with nothing prepared.
static inline bool rl_convolution_are_few_rows(int32_t outputs, int32_t channels, struct rl_convolution_core core)
{
    return core.isa == RL_ISA_MVE && !core.small && outputs > 1 && outputs <= RL_CONVOLUTION_FEW_ROWS &&
           (outputs != 3 || channels <= RL_CONVOLUTION_THREE_ROWS_CHANNELS);
}

// Taps of all outputs on one axis.
struct rl_convolution_taps {
    int32_t inside; // that lie on the image
    int32_t used;   // of a filter, from the first to the last that some output has on the image
};

static inline struct rl_convolution_taps rl_convolution_taps(int32_t outputs, int32_t stride, int32_t padding,
                                                             int32_t taps, int32_t dilation, int32_t inputs)
{
    int32_t inside = 0, first = taps, end = 0;
    for (int32_t start = -padding; outputs > 0; outputs--, start += stride) {
        int32_t before = rl_max_s32(-start, 0), behind = rl_max_s32(inputs - start, 0);
        if (dilation > 1) {
            before = (before + dilation - 1) / dilation;
            behind = (behind + dilation - 1) / dilation;
        }
        behind = rl_min_s32(behind, taps);
        if (behind > before) {
            inside += behind - before;
            first = rl_min_s32(first, before);
            end = rl_max_s32(end, behind);
        }
    }
    return (struct rl_convolution_taps){inside, rl_max_s32(end - first, 0)};
}

// Tenths of cycles, as measured on a Cortex-M4, M3 and M0: of each output apart, and of what a layer takes otherwise,
// where a weight's share is that of rl_convolution_weight_cost.
struct rl_small_windows_costs {
    int32_t product, value, run, result, output, layer; // a run costs so much for each channel
    int32_t other_value, other_channel, other_result, other_output, other_layer;
};

static inline struct rl_small_windows_costs rl_convolution_small_windows_costs(struct rl_convolution_core core,
                                                                               bool few)
{
    if (core.isa == RL_ISA_DSP) {
        return few ? (struct rl_small_windows_costs){16, 41, 330, 190, 3550, 11200, 44, 0, 655, 2575, 10800}
                   : (struct rl_small_windows_costs){16, 41, 330, 190, 3550, 11200, 31, 1860, 0, 2200, 12700};
    }
    if (core.thumb2) {
        return few ? (struct rl_small_windows_costs){41, 56, 90, 750, 1500, 17500, 10, 0, 530, 9900, 1000}
                   : (struct rl_small_windows_costs){41, 56, 90, 750, 1500, 17500, 55, 1000, 270, 1500, 20000};
    }
    return few ? (struct rl_small_windows_costs){45, 81, 66, 1080, 4700, 17700, 12, 0, 680, 10800, 8000}
               : (struct rl_small_windows_costs){45, 81, 66, 1080, 4700, 17700, 100, 3500, 300, 5000, 15000};
}

// What a weight costs in a layer that is not run by small windows: products with groups of outputs, its part of a sum
// where sums are needed, and, if `idle`, its copy to a filter without the taps that no output uses.
static inline int32_t rl_convolution_weight_cost(struct rl_convolution_core core, int32_t outputs, bool few, bool idle)
{
    if (core.isa == RL_ISA_DSP) {
        const int32_t left = outputs % 3, rest = few ? (left == 1 ? 14 : 39) : (left == 1 ? 27 : 79);
        return 40 * (outputs / 3) + (left == 0 ? 0 : rest) + (idle ? 40 : 0);
    }
    if (core.thumb2) {
        return (few ? 41 * outputs : 100 * ((outputs + 3) / 4) + 25) + (idle ? 50 : 0);
    }
    const int32_t threes = (outputs + 2) / 3, sixes = threes / 2;
    return (few ? 52 * outputs : 160 * sixes + 90 * (threes % 2) + 25) + (idle ? 90 : 0);
}

// Whether each output of a small map takes less time apart, from the taps that lie on the image (small_windows.c), than
// blocks or layers with cut filters do. DSP cores other than a Cortex-M4 have other proportions, a little.
static inline bool rl_convolution_small_windows_pay(const struct rl_convolution *c, struct rl_convolution_core core)
{
    enum { FEW = 2, LEAD = 88, DSP_LEAD = 92 }; // hundredths of the others at most, for estimates err
    const struct rl_convolution_taps rows =
        rl_convolution_taps(c->output.h, c->stride.h, c->padding.h, c->filter.h, c->dilation.h, c->input.h);
    const struct rl_convolution_taps columns =
        rl_convolution_taps(c->output.w, c->stride.w, c->padding.w, c->filter.w, 1, c->input.w);
    const int32_t outputs = rl_convolution_outputs(c), channels = c->output.c, runs = rows.inside * c->output.w;
    const bool few = outputs <= FEW, idle = rows.used < c->filter.h || columns.used < c->filter.w;
    const struct rl_small_windows_costs cost = rl_convolution_small_windows_costs(core, few);
    const int64_t inside = (int64_t)c->input.n * rows.inside * columns.inside * c->filter_channels;
    const int64_t used = (int64_t)rows.used * columns.used * c->filter_channels;
    const int64_t others = used * channels * rl_convolution_weight_cost(core, outputs, few, idle) +
                           used * outputs * cost.other_value +
                           (int64_t)channels * (cost.other_channel + outputs * cost.other_result) +
                           outputs * cost.other_output + cost.other_layer;
    const int64_t windows = inside * (channels * cost.product + cost.value) +
                            (int64_t)channels * (runs * cost.run + outputs * cost.result) + outputs * cost.output +
                            cost.layer;
    return 100 * windows < (core.isa == RL_ISA_DSP ? DSP_LEAD : LEAD) * others;
}

// Whether that may be so for a layer: rl_convolution_run_small_windows (convolution.h) tries to run it. Without padding
// only three or four outputs pay.
static inline bool rl_convolution_may_be_small_windows(const struct rl_convolution *c, struct rl_convolution_core core)
{
    enum { LEAST = 3, MOST = 4 };
    const int32_t outputs = rl_convolution_outputs(c);
    return core.isa != RL_ISA_MVE && !core.small && outputs <= RL_CONVOLUTION_MOST_CUT && !c->dense &&
           c->type == RL_CONVOLUTION_S8 && c->groups == 1 &&
           (c->path == RL_CONVOLUTION_PATCHES || c->path == RL_CONVOLUTION_ROW) &&
           ((outputs >= LEAST && outputs <= MOST) || (c->padding.h | c->padding.w) != 0);
}

// Whether it then runs.
static inline bool rl_convolution_are_small_windows(const struct rl_convolution *c, struct rl_convolution_core core)
{
    enum { CHANNELS = 3, DEPTH = 40, WEIGHTS = 400, SCALAR_WEIGHTS = 1000 };
    const int32_t fewest = core.isa == RL_ISA_DSP ? WEIGHTS : SCALAR_WEIGHTS;
    const int32_t depth = c->filter.h * c->filter.w * c->filter_channels;
    return !c->folded && !c->spread_h && !c->spread_w && (c->dilation.w == 1 || c->filter.w == 1) &&
           c->output.c >= CHANNELS && depth >= DEPTH && (int64_t)depth * c->output.c >= fewest &&
           rl_convolution_small_windows_pay(c, core);
}

// Whether the layer has at most as many outputs, whose windows may hang over the input and can be read in place.
static inline bool rl_convolution_has_few_windows(const struct rl_convolution *c, struct rl_convolution_core core)
{
    return core.isa == RL_ISA_MVE && !core.small && rl_convolution_outputs(c) <= RL_CONVOLUTION_FEW_ROWS &&
           (c->padding.h | c->padding.w) != 0 && c->output.c >= 4 && !c->folded && c->type == RL_CONVOLUTION_S8 &&
           c->groups == 1 && c->rows_are_runs && c->input.n == 1;
}

// Whether the layer may be one of a small map: rl_convolution_run_small_map (convolution.h) tries to run it.
static inline bool rl_convolution_may_be_small_map(const struct rl_convolution *c, struct rl_convolution_core core)
{
    const bool patches = c->path == RL_CONVOLUTION_PATCHES;
    if (core.small || (!patches && c->path != RL_CONVOLUTION_ROW)) {
        return false;
    }
    const int32_t outputs = rl_convolution_outputs(c);
    return (patches && (c->groups > 1 || outputs <= rl_convolution_few_outputs(core) ||
                        rl_convolution_are_few_rows(outputs, c->output.c, core))) ||
           rl_convolution_has_idle_taps(c);
}

// Whether Helium reads windows of more lines than one in place line by line, for so few channels that copies take
// longer: cycles of three windows for each line, as fitted to 150 layers that ran both ways.
static inline bool rl_convolution_suits_lines_mve(const struct rl_convolution *c, int32_t channels)
{
    enum { COPY = 12, PAIR = 16, PAIR_REST = 8 };
    const int32_t run = c->filter.w * c->filter_channels, pairs = (channels + 1) / 2;
    return run >= RL_CONVOLUTION_LEAST_LINE && c->filter.h > 1 &&
           pairs * (run % 16 == 0 ? PAIR : PAIR + PAIR_REST) < COPY * ((run + 15) / 16);
}

// Whether the inputs of each output are one run, and those of a row of outputs lie a stride apart.
static inline bool rl_convolution_has_rows_of_runs(const struct rl_convolution *c)
{
    return c->filter.h == 1 && c->rows_are_runs && c->padding.h == 0 && c->padding.w == 0 &&
           (int64_t)(c->output.h - 1) * c->stride.h < c->input.h &&
           (int64_t)(c->output.w - 1) * c->stride.w + c->filter.w <= c->input.w;
}

// Whether filters and inputs change places on a DSP core, if the scales allow it. Not in small code.
static inline bool rl_convolution_suits_turned(const struct rl_convolution *c)
{
    const int32_t channels = c->output.c, least = RL_CONVOLUTION_TURNED_LEAST;
    const int32_t fewest = channels <= least ? RL_CONVOLUTION_TURNED_THREE_OUTPUTS : RL_CONVOLUTION_TURNED_OUTPUTS;
    return c->type == RL_CONVOLUTION_S8 && c->groups == 1 && channels >= (c->dense ? least : least - 1) &&
           channels <= RL_CONVOLUTION_TURNED_MOST && channels != RL_CONVOLUTION_TURNED_FOURS &&
           c->filter.h * c->filter.w * c->filter_channels <= RL_CONVOLUTION_TURNED_DEPTH &&
           (c->dense ? rl_convolution_outputs(c) >= fewest
                     : c->output.w >= fewest && rl_convolution_has_rows_of_runs(c));
}

// Whether a channel behind groups of three runs as three lines of outputs at a time: see rl_convolution_suits_lines.
static inline bool rl_convolution_has_line_of_three(const struct rl_convolution *c)
{
    return !c->dense && c->output.c % 3 == 1 && 2 * c->stride.h < c->filter.h && c->output.h >= 3;
}

// Whether filters and inputs change places on a DSP core, with int16 results. Groups of three channels then multiply as
// much for one channel as for three, unless lines take the place of channels. The usual loop takes channels in pairs,
// but expands all inputs, copies patches, and scales three sums at a time. Costs are sixths of cycles of an output, as
// measured on a Cortex-M4. Not in small code.
static inline bool rl_convolution_suits_lines(const struct rl_convolution *c)
{
    enum { PRODUCT = 7, EXPANSION = 10, COPY = 5, SCALING = 90 };
    const bool lines = rl_convolution_has_line_of_three(c);
    const int64_t channels = c->output.c, run = c->filter.w * c->filter_channels, depth = c->filter.h * run;
    const int64_t groups = channels / 3 * 3 + (channels % 3 == 0 || lines ? 0 : 3);
    const int64_t single = lines ? (c->filter.h + 2 * c->stride.h) * run : 0;
    const int64_t usual = (channels + 1) / 2 * 2 * PRODUCT + EXPANSION + (c->dense ? 0 : COPY);
    const bool meets = c->padding.h < c->filter.h && (c->output.h - 1) * c->stride.h < c->input.h + c->padding.h;
    return c->groups == 1 && c->rows_are_runs && meets && (channels > 1 || lines) && run >= RL_CONVOLUTION_LINES_RUN &&
           depth + single <= RL_CONVOLUTION_LINES_DEPTH && rl_convolution_outputs(c) >= RL_CONVOLUTION_LINES_OUTPUTS &&
           (groups * depth + single) * PRODUCT <= usual * depth + channels * SCALING;
}

// Whether the layer has so few channels that their filters run as rows.
static inline bool rl_convolution_has_few_channels(const struct rl_convolution *c, struct rl_convolution_core core)
{
    if (c->dense && rl_convolution_are_few_rows(rl_convolution_outputs(c), c->output.c, core)) {
        return true;
    }
    if (core.isa == RL_ISA_MVE) {
        const bool is_pixels = c->path == RL_CONVOLUTION_POINTWISE && c->groups == 1;
        const bool is_one = c->output.c == 1 && c->groups == 1 && rl_convolution_has_rows_of_runs(c);
        return (c->dense || is_pixels || is_one) && c->output.c <= RL_CONVOLUTION_FEW_CHANNELS &&
               rl_convolution_outputs(c) > 0;
    }
    if (!c->dense || core.small) {
        return false;
    }
    const bool is_short = (core.isa == RL_ISA_DSP || core.thumb2) &&
                          c->filter.h * c->filter.w * c->filter_channels <= RL_CONVOLUTION_SHORT_DEPTH;
    const int32_t few = core.isa == RL_ISA_DSP ? RL_CONVOLUTION_FEW_CHANNELS : 1;
    return c->output.c <= (is_short ? RL_CONVOLUTION_SHORT_CHANNELS : few) && rl_convolution_outputs(c) > 0;
}

#endif
