// SPDX-License-Identifier: Apache-2.0
// Convolutions of int8 with int16 results. Filters and inputs change places in the loop of dot_3x2.h, as in
// turned_nest.h: three filters are expanded to int16 once, and the inputs of two outputs at a time are multiplied where
// they lie, one filter row after the other. So inputs are neither copied nor expanded, which takes as long as the
// products where few filters share them. Only outputs with padding at a side are computed from copies of their patches;
// filter rows above and below the input are left out. A channel that is left over runs as three lines of outputs at a
// time, which three copies of its filter serve, each a stride further down.
#ifndef RL_KERNELS_DSP_LINES_S16_NEST_H
#define RL_KERNELS_DSP_LINES_S16_NEST_H

#include "convolution/choice.h"
#include "convolution/convolution.h"
#include "convolution/matmul.h"
#include "convolution/patch.h"
#include "convolution/scale_s16.h"
#include "dsp/dot_3x2.h"
#include "dsp/expand_row.h"
#include "dsp/lines_s16_bytes.h"

// What all groups of three channels share, and the group that is computed. The members of a group are channels or lines
// of outputs.
struct rl_lines_s16 {
    const struct rl_convolution *layer;
    struct rl_dot_3x2 job; // of a filter row
    int32_t run;           // bytes of a filter row
    int32_t rows;          // filter rows
    int32_t words;         // of an expanded filter row
    int32_t width;         // outputs in a line
    int32_t left, right;   // the outputs from `left` to `right` have no padding at the sides
    ptrdiff_t step;        // from the inputs of an output to those of the next
    int32_t *sums;         // [output][member]
    uint32_t *values;      // [filter row][word]
    int8_t *patches;
    struct rl_matmul scales;               // of all channels; other fields are not read
    int32_t first, count;                  // the first channel, and the members
    int32_t down;                          // filter rows from a line to the next; 0 if members are channels
    int32_t bases[RL_LINES_S16_CHANNELS];  // with the input offset
    int32_t starts[RL_LINES_S16_CHANNELS]; // of the sums of a line: bases without the rows that meet no input
};

// The channel of a member. Of one or two, the last is there again.
static inline int32_t rl_lines_s16_channel(const struct rl_lines_s16 *w, int32_t member)
{
    return w->first + (w->down != 0 ? 0 : rl_min_s32(member, w->count - 1));
}

// Multiplies the filter rows from `above` to `below`, which meet inputs `line` bytes apart from `input` on.
static inline void rl_lines_s16_sums(struct rl_lines_s16 *w, const int8_t *input, ptrdiff_t step, ptrdiff_t line,
                                     int32_t above, int32_t below, int32_t outputs)
{
    int32_t *sums = w->sums;
    const int32_t start_0 = w->starts[0], start_1 = w->starts[1], start_2 = w->starts[2];
    for (int32_t i = 0; i < outputs; i++, sums += RL_LINES_S16_CHANNELS) {
        sums[0] = start_0;
        sums[1] = start_1;
        sums[2] = start_2;
    }
    w->job.filter = input;
    w->job.filter_step = step;
    w->job.values = w->values + above * w->words;
    for (int32_t row = above; row < below; row++, w->job.filter += line, w->job.values += w->words) {
        rl_dot_3x2_channels(&w->job, outputs);
    }
}

// Scales and stores the sums of `outputs` outputs, of which `output` is the first.
static inline void rl_lines_s16_store(const struct rl_lines_s16 *w, const int32_t *sums, int32_t outputs,
                                      int16_t *output)
{
    const int32_t channels = w->layer->output.c, line = w->down != 0 ? w->width * channels : 0;
    for (int32_t i = 0; i < w->count; i++, output += line) {
        rl_scale_every_s16(&w->scales, rl_lines_s16_channel(w, i), sums + i, RL_LINES_S16_CHANNELS, outputs, output,
                           channels);
    }
}

// Computes the outputs of a line that have padding at a side.
static __attribute__((noinline)) void rl_lines_s16_sides(struct rl_lines_s16 *w, const struct rl_patch_row *row,
                                                         int16_t *output)
{
    const int32_t depth = (w->rows + 2 * w->down) * w->run, right = w->right - w->left, count = w->width - right;
    for (int32_t i = 0; i < count; i += RL_LINES_S16_PATCHES) {
        const int32_t here = rl_min_s32(count - i, RL_LINES_S16_PATCHES);
        for (int32_t k = 0; k < here; k++) {
            rl_patch_copy_runs(row, i + k < w->left ? i + k : i + k + right, w->patches + k * depth);
        }
        rl_lines_s16_sums(w, w->patches + row->above * w->run, depth, w->run, row->above, row->above + row->present,
                          here);
        for (int32_t k = 0; k < here; k++) {
            const int32_t x = i + k < w->left ? i + k : i + k + right;
            rl_lines_s16_store(w, w->sums + k * RL_LINES_S16_CHANNELS, 1, output + (ptrdiff_t)x * w->layer->output.c);
        }
    }
}

// Computes a line of outputs from `input` on, where the inputs of the first filter row of output 0 would lie.
static void rl_lines_s16_line(struct rl_lines_s16 *w, const int8_t *input, ptrdiff_t line, int32_t above, int32_t below,
                              int16_t *output)
{
    input += above * line;
    for (int32_t x = w->left, here; x < w->right; x += here) {
        here = rl_min_s32(w->right - x, RL_LINES_S16_OUTPUTS);
        rl_lines_s16_sums(w, input + x * w->step, w->step, line, above, below, here);
        rl_lines_s16_store(w, w->sums, here, output + (ptrdiff_t)x * w->layer->output.c);
    }
}

// The sums of a line begin with the bases. These have the input offset times all weights, of which those that meet
// padding above or below take no part.
static inline void rl_lines_s16_begin_line(struct rl_lines_s16 *w, int32_t above, int32_t below)
{
    const struct rl_convolution *c = w->layer;
    for (int32_t i = 0; i < RL_LINES_S16_CHANNELS; i++) {
        const int8_t *filter = c->weights + (ptrdiff_t)rl_lines_s16_channel(w, i) * w->rows * w->run;
        const int32_t from = rl_clamp_s32(above - i * w->down, 0, w->rows);
        const int32_t to = rl_clamp_s32(below - i * w->down, from, w->rows);
        const int32_t absent =
            rl_sum_of_s8(filter, from * w->run) + rl_sum_of_s8(filter + to * w->run, (w->rows - to) * w->run);
        w->starts[i] = w->bases[i] - c->input_offset * absent;
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
        w->bases[i] = rl_convolution_base(c, channel, filter, depth);
        for (int32_t row = 0; row < w->rows + 2 * w->down; row++, values += w->words) {
            const int32_t at = row - i * w->down;
            if (at >= 0 && at < w->rows) {
                rl_expand_run(filter + at * w->run, w->run, values);
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
        rl_lines_s16_line(w, input, 0, 0, 1, output);
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
            const ptrdiff_t from = (ptrdiff_t)row.in_y * row.line_bytes - c->padding.w * c->input.c;
            w->count = w->down != 0 ? rl_min_s32(c->output.h - y, lines) : w->count;
            rl_lines_s16_begin_line(w, row.above, below);
            rl_lines_s16_line(w, input + from, row.line_bytes, row.above, below, output);
            rl_lines_s16_sides(w, &row, output);
        }
    }
}

// See scalar/lines_s16_nest.h.
static inline bool rl_lines_s16_run(const struct rl_convolution *c, const int8_t *input, int16_t *output,
                                    struct rl_scratch scratch)
{
    const struct rl_lines_s16_memory memory = rl_lines_s16_memory(c);
    scratch = rl_scratch_rest(scratch, 0);
    if (RL_SMALL || !rl_convolution_suits_lines(c) || scratch.bytes < memory.bytes) {
        return false;
    }
    int8_t *const start = scratch.memory;
    struct rl_lines_s16 w;
    w.layer = c;
    w.run = rl_lines_s16_run_bytes(c);
    w.rows = rl_lines_s16_rows(c);
    w.words = memory.words;
    w.values = scratch.memory;
    w.sums = (int32_t *)scratch.memory + memory.sums / 4;
    w.patches = start + memory.patches;
    w.width = c->dense ? rl_convolution_outputs(c) : c->output.w;
    w.step = c->dense ? w.run : (ptrdiff_t)c->stride.w * c->input.c;
    w.left = 0, w.right = w.width;
    if (!c->dense) {
        const int32_t last = c->input.w - c->filter.w + c->padding.w;
        w.left = rl_min_s32((c->padding.w + c->stride.w - 1) / c->stride.w, w.width);
        w.right = rl_clamp_s32(last < 0 ? 0 : last / c->stride.w + 1, w.left, w.width);
    }
    w.scales.multiplier = c->scales.multiplier;
    w.scales.shift = c->scales.shift;
    w.scales.output_min = c->range.min;
    w.scales.output_max = c->range.max;
    w.job = (struct rl_dot_3x2){.fours = w.run >> 2, .rest = w.run & 3, .start = w.sums, .sums = w.sums};
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
