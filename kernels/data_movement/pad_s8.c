// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "arm_nn_pad.h"

// Writes `count` copies of `value` and returns the address after them.
static int8_t *fill(int8_t *output, int8_t value, int32_t count)
{
    memset(output, value, (size_t)count);
    return output + count;
}

// One row of the input, w pixels of c channels, with padding around each pixel's channels.
static int8_t *pad_channels(const int8_t *input, int8_t *output, int8_t value, const cmsis_nn_dims *size,
                            int32_t before, int32_t after)
{
    for (int32_t x = 0; x < size->w; x++) {
        output = fill(output, value, before);
        memcpy(output, input, (size_t)size->c);
        output = fill(output + size->c, value, after);
        input += size->c;
    }
    return output;
}

arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value,
                               const cmsis_nn_dims *input_size, const cmsis_nn_dims *pre_pad,
                               const cmsis_nn_dims *post_pad)
{
    const int32_t channels = pre_pad->c + input_size->c + post_pad->c;
    const int32_t row = (pre_pad->w + input_size->w + post_pad->w) * channels;
    const int32_t image = (pre_pad->h + input_size->h + post_pad->h) * row;
    const int32_t input_row = input_size->w * input_size->c;

    // Padding that follows a row or image is contiguous with what precedes the next one: one fill for both.
    const int32_t left = pre_pad->w * channels, right = post_pad->w * channels;
    const int32_t above = pre_pad->h * row, below = post_pad->h * row;
    int32_t pending = pre_pad->n * image;
    for (int32_t n = 0; n < input_size->n; n++) {
        pending += above;
        for (int32_t y = 0; y < input_size->h; y++) {
            output = fill(output, pad_value, pending + left);
            if (channels == input_size->c) {
                memcpy(output, input, (size_t)input_row);
                output += input_row;
            } else {
                output = pad_channels(input, output, pad_value, input_size, pre_pad->c, post_pad->c);
            }
            input += input_row;
            pending = right;
        }
        pending += below;
    }
    fill(output, pad_value, pending + post_pad->n * image);
    return ARM_CMSIS_NN_SUCCESS;
}
