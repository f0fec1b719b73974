// SPDX-License-Identifier: Apache-2.0
#include "activation/activation_s16.h"

#include "isa.h"
#include "rushlight/kernels/activation.h"
#include RL_TILE(activation_s16_tile.h)

void rl_limit_s16_run(const struct rl_limit *layer, const int16_t *input, int16_t *output)
{
    const struct rl_range range = layer->range;
    for (int32_t i = 0; i < layer->count; i++) {
        output[i] = (int16_t)rl_clamp_s32(input[i], range.min, range.max);
    }
}

void rl_sigmoid_s16_run(const struct rl_sigmoid *layer, const int16_t *input, int16_t *output)
{
    const int32_t left = rl_clamp_s32(layer->left_shift, 0, 31), right = rl_clamp_s32(-layer->left_shift, 0, 31);
    const struct rl_activation_input scale = {
        .multiplier = rl_shift_left_s32(3, left),
        .rounding = right > 0 ? INT32_C(1) << (right - 1) : 0,
        .right_shift = right,
    };
    if (layer->is_tanh) {
        rl_tanh_s16_tile(scale, input, output, layer->count);
    } else {
        rl_sigmoid_s16_tile(scale, input, output, layer->count);
    }
}
