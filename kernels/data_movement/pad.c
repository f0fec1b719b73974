// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "isa.h"
#include "rushlight/kernels/data_movement.h"
#include RL_TILE(memory_tile.h)

// Copies `count` runs of `length` elements, which are dense in the input, and writes `gap` times `value` between them.
// Returns the address after the last run. Not inlined, to keep its few values in registers.
static __attribute__((noinline)) int8_t *spread(const int8_t *input, int8_t *output, int32_t count, int32_t length,
                                                int32_t gap, int8_t value)
{
    for (; count > 0; count--) {
        rl_copy_s8(output, input, length);
        input += length;
        output += length;
        if (count > 1) {
            rl_fill_s8(output, value, gap);
            output += gap;
        }
    }
    return output;
}

static int8_t *fill(int8_t *output, int8_t value, int32_t count)
{
    rl_fill_s8(output, value, count);
    return output + count;
}

// The padding behind a run is contiguous with the padding before the next one, and both are written at once. If
// channels are not padded, runs are whole rows.
void rl_pad_run(const struct rl_pad *layer, const int8_t *input, int8_t *output)
{
    const struct rl_image *in = &layer->input, *before = &layer->before, *after = &layer->after;
    const int8_t value = layer->value;
    const int32_t channels = before->c + in->c + after->c;
    const int32_t row = (before->w + in->w + after->w) * channels;
    const int32_t image = (before->h + in->h + after->h) * row;
    const int32_t input_row = in->w * in->c;
    const bool pads_channels = channels != in->c;
    const int32_t left = before->w * channels + before->c, right = after->w * channels + after->c;

    int32_t pending = before->n * image;
    for (int32_t n = 0; n < in->n; n++) {
        pending += before->h * row;
        if (input_row == 0) {
            pending += in->h * row;
        } else if (pads_channels) {
            for (int32_t y = 0; y < in->h; y++) {
                output = fill(output, value, pending + left);
                output = spread(input, output, in->w, in->c, before->c + after->c, value);
                input += input_row;
                pending = right;
            }
        } else if (RL_HAS_MVE && in->h == 1) {
            output = fill(output, value, pending + left);
            rl_copy_s8(output, input, input_row);
            output += input_row;
            input += input_row;
            pending = right;
        } else if (in->h > 0) {
            output = fill(output, value, pending + left);
            output = spread(input, output, in->h, input_row, left + right, value);
            input += in->h * input_row;
            pending = right;
        }
        pending += after->h * row;
    }
    fill(output, value, pending + after->n * image);
}
