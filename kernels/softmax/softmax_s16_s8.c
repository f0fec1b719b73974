// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "softmax/exp_table.h"

// One loop for both results, and for the sum before them, since the exponential is most of the code. Each result is
// stored after its input was read, so that int16 may take the place of its input.
static __attribute__((noinline)) void run(const struct rl_softmax *layer, const int16_t *input, int8_t *narrow,
                                          int16_t *wide)
{
    const int32_t count = layer->row, bits = wide ? 15 : 8;
    for (int32_t row = 0; row < layer->rows; row++, input += count) {
        int32_t maximum = INT16_MIN;
        uint32_t sum = 0;
        struct rl_softmax_scale scale = {0, 0};
        for (int32_t i = 0; i < count; i++) {
            maximum = rl_max_s32(maximum, input[i]);
        }
        for (int32_t i = -count; i < count; i++) {
            const int32_t exponential = rl_exp_of_difference(layer, input[i < 0 ? i + count : i] - maximum);
            if (i < 0) {
                sum += rl_exp_rounded_for_sum(exponential);
                continue;
            }
            if (i == 0) {
                scale = rl_softmax_scale(sum, bits);
            }
            const int32_t value = rl_softmax_output(&scale, exponential);
            if (wide) {
                *wide++ = (int16_t)rl_min_s32(value, INT16_MAX);
            } else {
                *narrow++ = (int8_t)rl_min_s32(value + INT8_MIN, INT8_MAX);
            }
        }
    }
}

void rl_softmax_s16_s8_run(const struct rl_softmax *layer, const int16_t *input, int8_t *output)
{
    run(layer, input, output, NULL);
}

void rl_softmax_wide_run(const struct rl_softmax *layer, const int16_t *input, int16_t *output)
{
    run(layer, input, NULL, output);
}
