// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_fully_connected.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(dot_s4_tile.h)

// The filters are one row of int4 weights after the other: with an odd depth every second filter starts in the upper
// half of a byte. Its first product is taken here, and the rest starts in a lower half.
struct filter {
    const int8_t *weights;
    int32_t first; // 0, or 1 when the first weight is in the upper half
};

static struct filter filter_of(const int8_t *weights, int32_t channel, int32_t depth)
{
    const int32_t start = channel * depth;
    return (struct filter){weights + (start >> 1), start & 1};
}

static int32_t sum_of(struct filter f, struct rl_row_s4 *row, int32_t offset, int32_t depth, int32_t bias)
{
    int32_t sums[2] = {bias, 0};
    const int32_t first = depth > 0 ? f.first : 0;
    if (first != 0) {
        sums[0] += (*row->values + offset) * rl_high_s4(*f.weights++);
    }
    rl_dot_s4_pair(row, first, offset, f.weights, f.weights, depth - first, sums);
    return sums[0];
}

arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    const int32_t depth = filter_dims->n, channels = output_dims->c, offset = fc_params->input_offset;
    const cmsis_nn_activation limits = fc_params->activation;
    for (int32_t batch = 0; batch < input_dims->n; batch++, input_data += depth) {
        struct rl_row_s4 row;
        rl_row_s4_start(&row, input_data, depth);
        for (int32_t channel = 0; channel < channels; channel += 2) {
            const bool pair = channel + 1 < channels;
            const struct filter f_0 = filter_of(filter_data, channel, depth);
            const struct filter f_1 = filter_of(filter_data, channel + (pair ? 1 : 0), depth);
            int32_t sums[2] = {0, 0};
            if (bias_data) {
                sums[0] = bias_data[channel];
                sums[1] = bias_data[channel + (pair ? 1 : 0)];
            }
            if (f_0.first == 0 && f_1.first == 0) {
                rl_dot_s4_pair(&row, 0, offset, f_0.weights, f_1.weights, depth, sums);
            } else {
                sums[0] = sum_of(f_0, &row, offset, depth, sums[0]);
                sums[1] = sum_of(f_1, &row, offset, depth, sums[1]);
            }
            for (int32_t i = 0; i < (pair ? 2 : 1); i++) {
                const int32_t scaled = rl_requantize(sums[i], quant_params->multiplier, quant_params->shift);
                *output_data++ = (int8_t)rl_clamp_s32(scaled + fc_params->output_offset, limits.min, limits.max);
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
