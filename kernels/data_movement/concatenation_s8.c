// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "arm_nn_concatenation.h"

// Copies `blocks` runs of `length` elements, dense in the input, `stride` apart in the output.
static void copy_blocks(const int8_t *input, int8_t *output, uint32_t length, uint32_t stride, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++) {
        memcpy(output, input, length);
        input += length;
        output += stride;
    }
}

void arm_concatenation_s8_x(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_x, uint32_t offset_x)
{
    copy_blocks(input, output + offset_x, input_x, output_x, (uint32_t)input_y * input_z * input_w);
}

void arm_concatenation_s8_y(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_y, uint32_t offset_y)
{
    const uint32_t inner = input_x;
    copy_blocks(input, output + offset_y * inner, inner * input_y, inner * output_y, (uint32_t)input_z * input_w);
}

void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_z, uint32_t offset_z)
{
    const uint32_t inner = (uint32_t)input_x * input_y;
    copy_blocks(input, output + offset_z * inner, inner * input_z, inner * output_z, input_w);
}

void arm_concatenation_s8_w(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint32_t offset_w)
{
    const uint32_t inner = (uint32_t)input_x * input_y * input_z;
    memcpy(output + offset_w * inner, input, inner * input_w);
}
