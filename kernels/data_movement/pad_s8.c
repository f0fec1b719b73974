// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "arm_nn_pad.h"
#include "isa.h"
#include RL_TILE(memory_tile.h)

// `count` runs of `length` elements, dense in the input, with `gap` times `value` between them in the output. Returns
// the address after the last run. Not inlined, to keep its few values in registers.
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

// Padding that follows a run is contiguous with what precedes the next one, and is written at once. Where channels are
// not padded, the runs are whole rows.
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value, const cmsis_nn_dims *input_size,
                               const cmsis_nn_dims *pre_pad, const cmsis_nn_dims *post_pad)
{
    const int32_t channels = pre_pad->c + input_size->c + post_pad->c;
    const int32_t row = (pre_pad->w + input_size->w + post_pad->w) * channels;
    const int32_t image = (pre_pad->h + input_size->h + post_pad->h) * row;
    const int32_t input_row = input_size->w * input_size->c;
    const bool pads_channels = channels != input_size->c;
    const int32_t left = pre_pad->w * channels + pre_pad->c, right = post_pad->w * channels + post_pad->c;

    int32_t pending = pre_pad->n * image;
    for (int32_t n = 0; n < input_size->n; n++) {
        pending += pre_pad->h * row;
        if (input_row == 0) {
            pending += input_size->h * row;
        } else if (pads_channels) {
            for (int32_t y = 0; y < input_size->h; y++) {
                output = fill(output, pad_value, pending + left);
                output = spread(input, output, input_size->w, input_size->c, pre_pad->c + post_pad->c, pad_value);
                input += input_row;
                pending = right;
            }
        } else if (input_size->h > 0) {
            output = fill(output, pad_value, pending + left);
            output = spread(input, output, input_size->h, input_row, left + right, pad_value);
            input += input_size->h * input_row;
            pending = right;
        }
        pending += post_pad->h * row;
    }
    fill(output, pad_value, pending + post_pad->n * image);
    return ARM_CMSIS_NN_SUCCESS;
}
