// SPDX-License-Identifier: Apache-2.0
#include "requantize.h"
#include "rushlight/kernels/elementwise.h"

void rl_running_sum_run(const struct rl_running_sum *layer, const int8_t *input, int8_t *output)
{
    const struct rl_running_sum s = *layer;
    for (int32_t outer = 0; outer < s.outer; outer++) {
        for (int32_t inner = 0; inner < s.inner; inner++) {
            int32_t sum = 0;
            int32_t at = outer * s.count * s.inner + inner;
            for (int32_t i = 0; i < s.count; i++) {
                sum += input[at] + s.input_offset;
                output[at] = rl_output_s8(rl_requantize(sum, s.scale.multiplier, s.scale.shift), s.output_offset,
                                          INT8_MIN, INT8_MAX);
                at += s.inner;
            }
        }
    }
}
