// SPDX-License-Identifier: Apache-2.0
#include "softmax/exp_table.h"
#include "softmax/log_sum.h"

void rl_log_softmax_s16_run(const struct rl_log_softmax *layer, const int16_t *input, int16_t *output)
{
    const struct rl_softmax *exponentials = &layer->exponentials;
    const int32_t count = exponentials->row, fraction = layer->fraction, offset = layer->output_offset;
    for (int32_t row = 0; row < exponentials->rows; row++, input += count, output += count) {
        int32_t maximum = INT16_MIN;
        uint64_t sum = 1; // so that it is at least 2^31
        for (int32_t i = 0; i < count; i++) {
            maximum = rl_max_s32(maximum, input[i]);
        }
        for (int32_t i = 0; i < count; i++) {
            sum += (uint32_t)rl_exp_of_difference(exponentials, input[i] - maximum);
        }
        const int32_t addend = rl_log_addend(layer, sum) + ((1 << fraction) >> 1);
        for (int32_t i = 0; i < count; i++) {
            const int64_t below = ((int64_t)(maximum - input[i]) * layer->step + addend) >> fraction;
            const int64_t value = offset - below;
            output[i] = (int16_t)(value < INT16_MIN ? INT16_MIN : rl_min_s32((int32_t)value, INT16_MAX));
        }
    }
}
