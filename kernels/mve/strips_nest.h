// SPDX-License-Identifier: Apache-2.0
// Convolutions whose windows have gaps, those with groups or dilation, as ones without: lines of the input that one
// group and one phase of the dilation read are copied without the gaps, but with padding. Such a strip is an image of
// its own. Outputs under a dilation of d, which lie d apart, read only inputs d apart.
#ifndef RL_KERNELS_MVE_STRIPS_NEST_H
#define RL_KERNELS_MVE_STRIPS_NEST_H

#include "convolution/convolution.h"
#include "mve/memory_tile.h"

enum {
    RL_STRIP_BYTES = 768, // on the stack, at most
    RL_STRIP_FEW_TAPS = 4,
    RL_STRIP_FEW_OUTPUTS = 8, // for which strips without gaps do not pay
};

typedef void rl_positions_loop(const struct rl_convolution_state *s, const int8_t *input, const struct rl_positions *p,
                               int8_t *output);

// The outputs of one phase on one axis, and the inputs that they read.
struct rl_phase {
    int32_t outputs;
    int32_t input; // the first one that is not padding
    int32_t inputs;
    int32_t padding; // before it
};

// The phase that starts at `output`, of `outputs` outputs from there on.
static inline struct rl_phase rl_phase_of(int32_t output, int32_t outputs, int32_t step, int32_t stride,
                                          int32_t padding, int32_t inputs)
{
    const int32_t start = output * stride - padding, before = start < 0 ? (step - 1 - start) / step : 0;
    const int32_t input = start + before * step;
    const int32_t count = input < inputs ? (inputs - 1 - input) / step + 1 : 0;
    return (struct rl_phase){(outputs - 1) / step + 1, input, count, before};
}

// The dilation of a filter, or 1 where it has one tap.
static inline struct rl_extent rl_strip_steps(const struct rl_convolution *c)
{
    return (struct rl_extent){c->filter.h > 1 ? c->dilation.h : 1, c->filter.w > 1 ? c->dilation.w : 1};
}

// Whether strips of a layer can be made and pay, and one for a line of outputs has room. Windows of a few taps are
// copied as fast with their gaps.
static inline bool rl_strips_suit(const struct rl_convolution *c, const struct rl_positions *p)
{
    const struct rl_extent step = rl_strip_steps(c);
    if (c->spread_h || c->spread_w || (step.h > 1 && c->stride.h > 1) || (step.w > 1 && c->stride.w > 1)) {
        return false;
    }
    const int32_t outputs = (p->columns - 1) / step.w + 1;
    const int32_t line = ((outputs - 1) * c->stride.w + c->filter.w) * c->filter_channels;
    return c->filter.h * c->filter.w > RL_STRIP_FEW_TAPS && line <= RL_STRIP_BYTES / c->filter.h;
}

// Whether strips with padding pay for short windows without gaps, which are then copied three at a time on the edges as
// well. One for two lines of outputs must have room.
static __attribute__((noinline)) bool rl_strips_save_copies(const struct rl_convolution *c,
                                                            const struct rl_positions *p)
{
    enum { SHORT_RUN = 32 };
    const int32_t line = (p->columns - 1 + c->filter.w) * c->filter_channels;
    const int32_t lines = p->rows > 1 ? c->stride.h + c->filter.h : c->filter.h;
    return c->filter.w * c->filter_channels <= SHORT_RUN && c->stride.w == 1 &&
           p->columns >= rl_max_s32(3, 2 * c->padding.w) && line * lines <= RL_STRIP_BYTES && rl_strips_suit(c, p);
}

// Copies `pixels` pixels of `lines` lines, `line_bytes` apart, to lines that are `strip_bytes` apart.
static inline void rl_strip_copy(const struct rl_convolution *c, int32_t step, const int8_t *from, ptrdiff_t line_bytes,
                                 int32_t pixels, int32_t lines, int8_t *strip, int32_t strip_bytes)
{
    const int32_t channels = c->filter_channels;
    for (; lines > 0; lines--, from += line_bytes, strip += strip_bytes) {
        if (step == 1 && c->groups == 1) {
            rl_copy_s8(strip, from, pixels * channels);
        } else {
            rl_copy_runs_s8(strip, channels, from, (ptrdiff_t)step * c->input.c, channels, pixels);
        }
    }
}

// Runs one phase. `at` has its columns, and the distances of its outputs.
static inline void rl_strips_phase(const struct rl_convolution_state *s, const int8_t *input, struct rl_phase rows,
                                   struct rl_phase columns, struct rl_positions at, rl_positions_loop *run,
                                   int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const struct rl_extent step = rl_strip_steps(c);
    const int32_t stride = c->stride.h, channels = c->filter_channels, taps = c->filter.h;
    struct rl_convolution dense = *c;
    struct rl_convolution_state state = *s;
    state.layer = &dense;
    dense.groups = 1;
    dense.dilation = (struct rl_extent){1, 1};
    dense.padding = (struct rl_extent){0, 0};
    dense.rows_are_runs = true;
    dense.input.c = channels;
    dense.input.w = (columns.outputs - 1) * c->stride.w + c->filter.w;
    const int32_t pixels = rl_clamp_s32(dense.input.w - columns.padding, 0, columns.inputs);
    const int32_t line = dense.input.w * channels, all = (rows.outputs - 1) * stride + taps;
    const int32_t room = rl_min_s32(RL_STRIP_BYTES / line, all), most = (room - taps) / stride + 1;
    int8_t strip[room * line];
    const ptrdiff_t line_bytes = (ptrdiff_t)c->input.w * c->input.c;
    const int8_t *from = input + (ptrdiff_t)rows.input * line_bytes + (ptrdiff_t)columns.input * c->input.c;
    for (int32_t y = 0; y < rows.outputs; y += most, output += most * at.output_row) {
        at.rows = rl_min_s32(rows.outputs - y, most);
        dense.input.h = (at.rows - 1) * stride + taps;
        const int32_t start = y * stride - rows.padding, first = rl_max_s32(start, 0);
        const int32_t lines = rl_min_s32(start + dense.input.h, rows.inputs) - first;
        if (dense.input.w > pixels || lines < dense.input.h) {
            rl_fill_s8(strip, (int8_t)-c->input_offset, dense.input.h * line);
        }
        rl_strip_copy(c, step.w, from + first * step.h * line_bytes, step.h * line_bytes, pixels, lines,
                      strip + (first - start) * line + columns.padding * channels, line);
        run(&state, strip, &at, output);
    }
}

// Runs the positions of a layer that strips suit, with the loops `run` for windows without gaps. Not inlined, so that
// a strip is not on the stack of other layers.
static __attribute__((noinline)) void rl_strips_run(const struct rl_convolution_state *s, const int8_t *input,
                                                    const struct rl_positions *p, rl_positions_loop *run,
                                                    int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const struct rl_extent step = rl_strip_steps(c);
    for (int32_t i = 0; i < step.h && i < p->rows; i++) {
        const struct rl_phase rows =
            rl_phase_of(p->first_y + i, p->rows - i, step.h, c->stride.h, c->padding.h, c->input.h);
        for (int32_t k = 0; k < step.w && k < p->columns; k++) {
            const struct rl_phase columns =
                rl_phase_of(p->first_x + k, p->columns - k, step.w, c->stride.w, c->padding.w, c->input.w);
            const struct rl_positions at = {.columns = columns.outputs,
                                            .output_row = p->output_row * step.h,
                                            .output_column = p->output_column * step.w};
            rl_strips_phase(s, input, rows, columns, at, run, output + i * p->output_row + k * p->output_column);
        }
    }
}

#endif
