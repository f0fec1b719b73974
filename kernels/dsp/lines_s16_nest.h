// SPDX-License-Identifier: Apache-2.0
// Convolutions of int8 with int16 results. Filters and inputs change places in the loop of dot_lines.h: three filters
// are expanded to int16 once, and the inputs of two outputs at a time are multiplied where they lie. So inputs are
// neither copied nor expanded, which takes as long as the products where few filters share them. Only outputs with
// padding at a side are computed from copies of their patches; filter rows above and below the input are left out. A
// channel that is left over runs as three lines of outputs at a time, which three copies of its filter serve, each a
// stride further down.
#ifndef RL_KERNELS_DSP_LINES_S16_NEST_H
#define RL_KERNELS_DSP_LINES_S16_NEST_H

#include "convolution/choice.h"
#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "convolution/scale_s16.h"
#include "dsp/dot_lines.h"
#include "dsp/expand_row.h"
#include "dsp/lines_s16_bytes.h"
#include "dsp/simd.h"

// What all groups of three channels share, and the group that is computed. The members of a group are channels or lines
// of outputs.
struct rl_lines_s16 {
    const struct rl_convolution *layer;
    struct rl_dot_lines job;
    int32_t run;         // bytes of a filter row
    int32_t rows;        // filter rows
    int32_t words;       // of an expanded filter row
    int32_t width;       // outputs in a line
    int32_t left, right; // the outputs from `left` to `right` have no padding at the sides
    ptrdiff_t step;      // from the inputs of an output to those of the next
    uint32_t *values;    // [filter row][word]
    int8_t *patches;
    int32_t first, count;                 // the first channel, and the members
    int32_t down;                         // filter rows from a line to the next; 0 if members are channels
    int32_t bases[RL_LINES_S16_CHANNELS]; // with the input offset
};

// The channel of a member. Of one or two, the last is there again.
static inline int32_t rl_lines_s16_channel(const struct rl_lines_s16 *w, int32_t member)
{
    return w->first + (w->down != 0 ? 0 : rl_min_s32(member, w->count - 1));
}

// Computes `outputs` outputs from `input` on, where the first filter row that meets the input lies. The inputs of other
// rows follow `line` bytes apart. Outputs of a member are `output_step` elements apart; `output` is the first one of
// channel 0.
static void rl_lines_s16_outputs(struct rl_lines_s16 *w, const int8_t *input, ptrdiff_t line, int32_t outputs,
                                 int16_t *output, ptrdiff_t output_step)
{
    struct rl_dot_lines *job = &w->job;
    const ptrdiff_t between = w->down != 0 ? (ptrdiff_t)w->width * w->layer->output.c : 1;
    job->input = input;
    job->gap = line - w->run;
    job->output_step = output_step * (ptrdiff_t)sizeof *output;
    for (int32_t i = 0; i < RL_LINES_S16_CHANNELS; i++) {
        job->output[i] = output + w->first + (i < w->count ? i * between : 0);
    }
    job->pairs = outputs >> 1;
    if (job->pairs > 0) {
        rl_dot_lines(job);
    }
    if ((outputs & 1) != 0) { // twice
        const ptrdiff_t step = job->step;
        job->step = 0;
        job->output_step = 0;
        job->pairs = 1;
        rl_dot_lines(job);
        job->step = step;
    }
}

// Computes the outputs of a line that have padding at a side.
static __attribute__((noinline)) void rl_lines_s16_sides(struct rl_lines_s16 *w, const struct rl_patch_row *row,
                                                         int16_t *output)
{
    const int32_t depth = (w->rows + 2 * w->down) * w->run, channels = w->layer->output.c;
    const int32_t inside = w->right - w->left, count = w->width - inside;
    w->job.step = depth;
    for (int32_t i = 0; i < count; i += RL_LINES_S16_PATCHES) {
        const int32_t here = rl_min_s32(count - i, RL_LINES_S16_PATCHES);
        int32_t x[RL_LINES_S16_PATCHES] = {0, 0};
        for (int32_t k = 0; k < here; k++) {
            x[k] = i + k < w->left ? i + k : i + k + inside;
            rl_patch_copy_runs(row, x[k], w->patches + k * depth);
        }
        rl_lines_s16_outputs(w, w->patches + row->above * w->run, w->run, here, output + (ptrdiff_t)x[0] * channels,
                             (ptrdiff_t)(x[1] - x[0]) * channels);
    }
    w->job.step = w->step;
}

// The sums of a line begin with the bases. These have the input offset times all weights, of which those that meet
// padding above or below take no part.
static inline void rl_lines_s16_begin_line(struct rl_lines_s16 *w, int32_t above, int32_t below)
{
    const struct rl_convolution *c = w->layer;
    w->job.values = w->values + above * w->words;
    w->job.rows = below - above;
    for (int32_t i = 0; i < RL_LINES_S16_CHANNELS; i++) {
        const int8_t *filter = c->weights + (ptrdiff_t)rl_lines_s16_channel(w, i) * w->rows * w->run;
        const int32_t from = rl_clamp_s32(above - i * w->down, 0, w->rows);
        const int32_t to = rl_clamp_s32(below - i * w->down, from, w->rows);
        const int32_t absent =
            rl_sum_of_s8(filter, from * w->run) + rl_sum_of_s8(filter + to * w->run, (w->rows - to) * w->run);
        w->job.starts[i] = w->bases[i] - c->input_offset * absent;
    }
}

// Expands the filters of the members, with zeros above and below those of lines.
static void rl_lines_s16_begin_group(struct rl_lines_s16 *w)
{
    const struct rl_convolution *c = w->layer;
    const int32_t depth = w->rows * w->run;
    for (int32_t i = 0; i < RL_LINES_S16_CHANNELS; i++) {
        const int32_t channel = rl_lines_s16_channel(w, i);
        const int8_t *filter = c->weights + (ptrdiff_t)channel * depth;
        uint32_t *values = w->values + i;
        w->job.scales[i] = rl_rescale_of(1, c->scales.multiplier[channel], c->scales.shift[channel]);
        w->bases[i] = rl_convolution_base(c, channel, filter, depth);
        for (int32_t row = 0; row < w->rows + 2 * w->down; row++, values += w->words) {
            const int32_t at = row - i * w->down;
            if (at >= 0 && at < w->rows) {
                rl_expand_run(filter + at * w->run, w->run, values, 0);
            } else {
                for (int32_t k = 0; k < w->words; k += RL_LINES_S16_CHANNELS) {
                    values[k] = 0;
                }
            }
        }
    }
}

// Computes a group of channels, or three lines of outputs at a time of one.
static inline void rl_lines_s16_group(struct rl_lines_s16 *w, const int8_t *input, int16_t *output)
{
    const struct rl_convolution *c = w->layer;
    const int32_t lines = w->down != 0 ? RL_LINES_S16_CHANNELS : 1;
    if (c->dense) {
        rl_lines_s16_begin_line(w, 0, 1);
        rl_lines_s16_outputs(w, input, 0, w->width, output, c->output.c);
        return;
    }
    // Where these filters lie on the input.
    struct rl_convolution moved = *c;
    moved.filter.h += 2 * w->down;
    const ptrdiff_t image = (ptrdiff_t)c->input.h * c->input.w * c->input.c;
    for (int32_t batch = 0; batch < c->input.n; batch++, input += image) {
        for (int32_t y = 0; y < c->output.h; y += lines, output += lines * w->width * c->output.c) {
            struct rl_patch_row row;
            rl_patch_row_start(&row, &moved, input, y);
            const int32_t below = row.above + row.present;
            const ptrdiff_t from = (ptrdiff_t)(row.in_y + row.above) * row.line_bytes - c->padding.w * c->input.c;
            w->count = w->down != 0 ? rl_min_s32(c->output.h - y, lines) : w->count;
            rl_lines_s16_begin_line(w, row.above, below);
            rl_lines_s16_outputs(w, input + from + w->left * w->step, row.line_bytes, w->right - w->left,
                                 output + (ptrdiff_t)w->left * c->output.c, c->output.c);
            rl_lines_s16_sides(w, &row, output);
        }
    }
}

// Whether every channel has a scale that the loop takes.
static inline bool rl_lines_s16_scales(const struct rl_convolution *c)
{
    for (int32_t i = 0; i < c->output.c; i++) {
        if (!rl_scale_is_short(c->scales.multiplier[i], c->scales.shift[i])) {
            return false;
        }
    }
    return true;
}

// See scalar/lines_s16_nest.h.
static inline bool rl_lines_s16_run(const struct rl_convolution *c, const int8_t *input, int16_t *output,
                                    struct rl_scratch scratch)
{
    const struct rl_lines_s16_memory memory = rl_lines_s16_memory(c);
    scratch = rl_scratch_rest(scratch, 0);
    if (RL_SMALL || !rl_convolution_suits_lines(c) || scratch.bytes < memory.bytes || !rl_lines_s16_scales(c)) {
        return false;
    }
    int8_t *const start = scratch.memory;
    struct rl_lines_s16 w;
    w.layer = c;
    w.run = rl_lines_s16_run_bytes(c);
    w.rows = rl_lines_s16_rows(c);
    w.words = memory.words;
    w.values = scratch.memory;
    w.patches = start + memory.patches;
    w.width = c->dense ? rl_convolution_outputs(c) : c->output.w;
    w.step = c->dense ? w.run : (ptrdiff_t)c->stride.w * c->input.c;
    w.left = 0, w.right = w.width;
    if (!c->dense) {
        const int32_t last = c->input.w - c->filter.w + c->padding.w;
        w.left = rl_min_s32((c->padding.w + c->stride.w - 1) / c->stride.w, w.width);
        w.right = rl_clamp_s32(last < 0 ? 0 : last / c->stride.w + 1, w.left, w.width);
    }
    w.job.step = w.step;
    w.job.fours = w.run >> 2;
    w.job.rest = w.run & 3;
    w.job.low = rl_repeat_s16x2(c->range.min);
    w.job.high = rl_repeat_s16x2(c->range.max);
    w.job.is_limited = c->range.min > INT16_MIN || c->range.max < INT16_MAX ? 1 : 0;
    const int32_t down = rl_convolution_has_line_of_three(c) ? c->stride.h : 0;
    for (w.first = 0; w.first < c->output.c; w.first += RL_LINES_S16_CHANNELS) {
        w.count = rl_min_s32(c->output.c - w.first, RL_LINES_S16_CHANNELS);
        w.down = w.count == 1 ? down : 0;
        rl_lines_s16_begin_group(&w);
        rl_lines_s16_group(&w, input, output);
    }
    return true;
}

#endif
