// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

// The sum of the taps that lie on the input; the window's first tap is at (row, left). `input` and `weights` are at the
// channel. Not inlined, because the loops around it would take its registers. Cold, so that compilers make it small.
static __attribute__((cold, noinline)) int32_t sum_at(const struct rl_depthwise *d, const int8_t *input,
                                                      const int8_t *weights, int32_t row, int32_t left)
{
    const struct rl_image *in = &d->input;
    const int32_t input_offset = d->input_offset;
    const ptrdiff_t step = d->output.c;
    int32_t sum = 0;
    for (int32_t rows = d->filter.h; rows > 0; rows--, row += d->dilation.h) {
        const bool inside = (uint32_t)row < (uint32_t)in->h;
        int32_t column = left;
        for (int32_t columns = d->filter.w; columns > 0; columns--, weights += step) {
            if (inside && (uint32_t)column < (uint32_t)in->w) {
                sum += (input[(row * in->w + column) * in->c] + input_offset) * *weights;
            }
            column += d->dilation.w;
        }
    }
    return sum;
}

static __attribute__((cold)) void run_image(const struct rl_depthwise *d, const int8_t *input, int32_t first,
                                            int32_t end, int8_t *output)
{
    for (int32_t y = 0; y < d->output.h; y++) {
        for (int32_t x = 0; x < d->output.w; x++, output += d->output.c) {
            const int32_t row = y * d->stride.h - d->padding.h;
            const int32_t column = x * d->stride.w - d->padding.w;
            const int8_t *from = input;
            int32_t sharing = d->multiplier;
            for (int32_t channel = first; channel < end; channel++) {
                const int32_t sum = sum_at(d, from, d->weights + channel, row, column);
                output[channel] = rl_depthwise_output(d, channel, sum);
                if (--sharing == 0) {
                    sharing = d->multiplier;
                    from++;
                }
            }
        }
    }
}

void __attribute__((cold)) rl_depthwise_run_one_by_one(const struct rl_depthwise *d, int32_t first, int32_t end,
                                                       const int8_t *input, int8_t *output)
{
    input += first / d->multiplier;
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        run_image(d, input, first, end, output);
        input += rl_image_size(d->input);
        output += rl_image_size(d->output);
    }
}
