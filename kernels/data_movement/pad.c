// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "data_movement/copy_long.h"
#include "isa.h"
#include "rushlight/kernels/data_movement.h"
#include RL_TILE(memory_tile.h)

// Copies `count` runs of `length` elements, which are dense in the input, and writes `gap` times `value` between them.
// Returns the address after the last run.
static inline __attribute__((always_inline)) int8_t *spread_any(const int8_t *input, int8_t *output, int32_t count,
                                                                int32_t length, int32_t gap, int8_t value, bool is_long)
{
    for (; count > 0; count--) {
        if (is_long) {
            rl_copy_long_s8(output, input, length);
        } else {
            rl_copy_s8(output, input, length);
        }
        input += length;
        output += length;
        if (count > 1) {
            rl_fill_s8(output, value, gap);
            output += gap;
        }
    }
    return output;
}

// These two are not inlined, to keep their few values in registers.
static __attribute__((noinline)) int8_t *spread_short(const int8_t *input, int8_t *output, int32_t count,
                                                      int32_t length, int32_t gap, int8_t value)
{
    return spread_any(input, output, count, length, gap, value, false);
}

static __attribute__((noinline)) int8_t *spread_long(const int8_t *input, int8_t *output, int32_t count, int32_t length,
                                                     int32_t gap, int8_t value)
{
    return spread_any(input, output, count, length, gap, value, true);
}

static int8_t *spread(const int8_t *input, int8_t *output, int32_t count, int32_t length, int32_t gap, int8_t value)
{
    const bool aligned = (((uintptr_t)input | (uintptr_t)length) & 3) == 0; // then outputs at any address take no more
    const int32_t least = aligned ? (int32_t)RL_COPY_LONG : (int32_t)RL_COPY_ALIGNS;
    if (RL_HAS_COPY_LONG && length >= least) {
        return spread_long(input, output, count, length, gap, value);
    }
    return spread_short(input, output, count, length, gap, value);
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
