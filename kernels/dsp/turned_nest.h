// SPDX-License-Identifier: Apache-2.0
// Convolutions of few channels whose windows are runs: dense ones, and rows a stride apart. Filters and rows of input
// change places in the loop of dot_3x2.h: three filters are expanded to int16 once, and the inputs of two outputs at a
// time are multiplied as they lie. So no input is expanded, which takes long where few filters share it. Where one
// channel is left over, its filter is multiplied alone.
#ifndef RL_KERNELS_DSP_TURNED_NEST_H
#define RL_KERNELS_DSP_TURNED_NEST_H

#include "convolution/choice.h"
#include "convolution/convolution.h"
#include "convolution/matmul.h"
#include "dsp/dot_3x2.h"
#include "dsp/expand_row.h"
#include "dsp/instructions.h"
#include "dsp/matmul_bytes.h"
#include "dsp/rescale_tile.h"
#include "dsp/turned_bytes.h"
#include "fully_connected/fully_connected.h"

#include RL_TILE(matmul_tile.h)

// One of three channels: its base, doubled, and its scale.
struct rl_turned_channel {
    int32_t twice_base;
    struct rl_rescale scale;
};

// What all groups of three channels share.
struct rl_turned_work {
    const struct rl_convolution *layer;
    int32_t depth;
    int32_t rows;   // of outputs: one of all, or those of an image
    int32_t count;  // of outputs in a row
    ptrdiff_t step; // from the inputs of an output to those of the next
    int32_t *sums;  // [output][channel] of RL_TURNED_OUTPUTS outputs
    int32_t *zeros; // bases of the sums
    uint32_t *values;
};

// Prepares a channel. False if rl_rescale does not take its scale or its sums.
static inline bool rl_turned_channel_of(const struct rl_convolution *c, int32_t channel, int32_t depth,
                                        struct rl_turned_channel *to)
{
    const int32_t limit = INT32_C(1) << 28;
    const int8_t *filter = c->weights + (ptrdiff_t)channel * depth;
    int32_t base = c->bias ? c->bias[channel] : 0;
    if (base < -limit || base > limit) {
        return false;
    }
    if (c->input_offset != 0) {
        base += c->input_offset * rl_sum_s8(filter, depth);
    }
    to->twice_base = 2 * base;
    return rl_rescale_init(c->output_offset, c->scales.multiplier[channel], c->scales.shift[channel], &to->scale);
}

// Stores the outputs of one channel from every third sum. `open` is a constant.
static inline __attribute__((always_inline)) void rl_turned_store(const struct rl_turned_channel *channel,
                                                                  struct rl_limits_s8 limits, const int32_t *sums,
                                                                  int32_t count, int8_t *output, ptrdiff_t step,
                                                                  bool open)
{
    const struct rl_turned_channel k = *channel;
    const int32_t *const end = sums + 3 * count;
    for (; sums != end; sums += 3, output += step) {
        *output = rl_limit_s8(rl_rescale(k.scale, k.twice_base + 2 * *sums), limits, open);
    }
}

// Where the inputs of a row of outputs begin.
static inline const int8_t *rl_turned_row(const struct rl_turned_work *w, const int8_t *input, int32_t row)
{
    const struct rl_convolution *c = w->layer;
    const int32_t image = row / c->output.h, y = row % c->output.h;
    return w->rows == 1 ? input : input + (ptrdiff_t)(image * c->input.h + y * c->stride.h) * c->input.w * c->input.c;
}

// Multiplies the inputs of a row of outputs by three expanded filters, of which the last may be there twice. `output`
// is that of the first channel.
static __attribute__((noinline)) void rl_turned_outputs(const struct rl_turned_work *w,
                                                        const struct rl_turned_channel channels[3], const int8_t *input,
                                                        int8_t *output)
{
    const struct rl_convolution *c = w->layer;
    const int32_t filters = rl_min_s32(c->output.c, 3);
    int32_t count = w->count;
    const struct rl_limits_s8 limits = {c->range.min, c->range.max};
    struct rl_dot_3x2 job;
    job.filter_step = w->step;
    job.bias = w->zeros;
    job.entry = 0;
    job.scale = NULL;
    job.rest = w->depth & 3;
    job.fours = w->depth >> 2;
    job.sums = w->sums;
    job.values = w->values;
    for (int32_t here; count > 0; count -= here, input += here * w->step, output += here * c->output.c) {
        here = rl_min_s32(count, RL_TURNED_OUTPUTS);
        job.filter = input;
        rl_dot_3x2_channels(&job, here);
        for (int32_t i = 0; i < filters; i++) {
            if (rl_limits_are_open(limits)) {
                rl_turned_store(&channels[i], limits, w->sums + i, here, output + i, c->output.c, true);
            } else {
                rl_turned_store(&channels[i], limits, w->sums + i, here, output + i, c->output.c, false);
            }
        }
    }
}

// Runs one channel. False if that is not possible.
static __attribute__((noinline)) bool rl_turned_single(const struct rl_turned_work *w, int32_t channel,
                                                       const int8_t *input, int8_t *output)
{
    const struct rl_convolution *c = w->layer;
    const int32_t depth = w->depth;
    struct rl_turned_channel prepared;
    if (!rl_turned_channel_of(c, channel, depth, &prepared)) {
        return false;
    }
    int32_t base = prepared.twice_base / 2;
    struct rl_matmul m; // other fields are not read
    m.filter = c->weights + (ptrdiff_t)channel * depth;
    m.depth = depth;
    m.bias = &base;
    m.multiplier = c->scales.multiplier + channel;
    m.shift = c->scales.shift + channel;
    m.output_offset = c->output_offset;
    m.output_min = c->range.min;
    m.output_max = c->range.max;
    output += channel;
    for (int32_t row = 0; row < w->rows; row++, output += w->count * c->output.c) {
        if (!rl_matmul_one_channel(&m, rl_turned_row(w, input, row), w->step, w->count, output, c->output.c)) {
            return false;
        }
    }
    return true;
}

// Runs the layer if it is one for which this pays, and if its scales allow it; else returns false and does nothing.
static inline bool rl_turned_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch)
{
    if (!rl_convolution_suits_turned(c)) {
        return false;
    }
    const int32_t depth = rl_convolution_depth(c), channels = c->output.c, outputs = rl_convolution_outputs(c);
    const int32_t bytes = rl_turned_bytes(depth);
    scratch = rl_scratch_rest(scratch, 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_turned_work w = {.layer = c, .depth = depth, .zeros = rl_scratch_memory(scratch, bytes, stack)};
    w.count = c->dense ? outputs : c->output.w;
    w.rows = c->dense ? 1 : c->input.n * c->output.h;
    w.step = c->dense ? depth : (ptrdiff_t)c->stride.w * c->input.c;
    w.sums = w.zeros + RL_TURNED_OUTPUTS;
    w.values = (uint32_t *)w.sums + 3 * RL_TURNED_OUTPUTS;
    for (int32_t i = 0; i < RL_TURNED_OUTPUTS; i++) {
        w.zeros[i] = 0;
    }
    const int32_t single = channels % 3 == 1 ? 1 : 0; // the last channel is multiplied alone
    if (single != 0 && !rl_turned_single(&w, channels - 1, input, output)) {
        return false;
    }
    for (int32_t i = 0; i < channels - single; i += 3) {
        const int32_t first = rl_max_s32(rl_min_s32(i, channels - single - 3), 0);
        struct rl_turned_channel prepared[3];
        for (int32_t k = 0; k < 3; k++) {
            const int32_t channel = rl_min_s32(first + k, channels - 1);
            if (!rl_turned_channel_of(c, channel, depth, &prepared[k])) {
                return false;
            }
            rl_expand_run(c->weights + (ptrdiff_t)channel * depth, depth, w.values + k, 0);
        }
        for (int32_t row = 0; row < w.rows; row++) {
            rl_turned_outputs(&w, prepared, rl_turned_row(&w, input, row),
                              output + first + (ptrdiff_t)row * w.count * channels);
        }
    }
    return true;
}

#endif
