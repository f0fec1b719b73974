// SPDX-License-Identifier: Apache-2.0
// Small maps on cores without Helium: each output from the taps of its window that lie on the image, and from where its
// inputs lie. No patch is copied, and no sum of weights is needed.
#include "convolution/convolution.h"

#include "isa.h"
#include "taps.h"

#include RL_TILE(window_sums_tile.h)

// Computes the channels of the output whose window has these rows, and which is in column `x`.
static void run_output(const struct rl_convolution *c, const struct rl_fully_connected *f, const int8_t *image,
                       struct rl_taps rows, int32_t x, int8_t *output, struct rl_window_sums *s)
{
    const struct rl_taps columns = rl_taps_of(x * c->stride.w - c->padding.w, 1, c->filter.w, c->input.w);
    const int32_t pixel = c->input.c, run = columns.count * pixel;
    for (int32_t first = 0; first < f->channels; first += RL_WINDOW_CHANNELS) {
        const int32_t count = rl_min_s32(f->channels - first, RL_WINDOW_CHANNELS);
        rl_window_sums_begin(f, first, count, s);
        for (int32_t row = 0; run > 0 && row < rows.count; row++) {
            const int32_t line = rows.input + row * c->dilation.h;
            const int8_t *from = image + ((ptrdiff_t)line * c->input.w + columns.input) * pixel;
            rl_window_sums_add(f, ((rows.first + row) * c->filter.w + columns.first) * pixel, run, from, first, count,
                               s);
        }
        rl_window_sums_store(f, first, count, s, output + first);
    }
}

static __attribute__((noinline)) void run_layer(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                                struct rl_scratch scratch)
{
    struct rl_fully_connected f = {
        .rows = 1,
        .depth = rl_convolution_depth(c),
        .channels = c->output.c,
        .weights = c->weights,
        .scales = c->scales,
        .input_offset = c->input_offset,
        .output_offset = c->output_offset,
        .range = c->range,
    };
    const int32_t bytes = rl_window_sums_bytes(rl_min_s32(c->filter.w, c->input.w) * c->input.c, c->output.c);
    scratch = rl_scratch_rest(scratch, 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_window_sums s;
    rl_window_sums_place(&s, &f, rl_scratch_memory(scratch, bytes, stack));
    rl_fully_connected_begin_with(&f, c->bias, c->input_offset);
    for (int32_t batch = 0; batch < c->input.n; batch++, input += c->input.h * c->input.w * c->input.c) {
        for (int32_t y = 0; y < c->output.h; y++) {
            const struct rl_taps rows =
                rl_taps_of(y * c->stride.h - c->padding.h, c->dilation.h, c->filter.h, c->input.h);
            for (int32_t x = 0; x < c->output.w; x++, output += c->output.c) {
                run_output(c, &f, input, rows, x, output, &s);
            }
        }
    }
}

bool rl_convolution_run_small_windows(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                      struct rl_scratch scratch)
{
    if (!rl_convolution_are_small_windows(c, rl_convolution_core_here())) {
        return false;
    }
    run_layer(c, input, output, scratch);
    return true;
}
