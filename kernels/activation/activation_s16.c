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
    struct rl_activation_input scale = {3, 0, 0};
    if (layer->left_shift >= 0) {
        scale.multiplier = rl_shift_left_s32(3, rl_min_s32(layer->left_shift, 31));
    } else {
        scale.right_shift = rl_min_s32(-layer->left_shift, 31);
        scale.rounding = INT32_C(1) << (scale.right_shift - 1);
    }
    if (layer->is_tanh) {
        rl_tanh_s16_tile(scale, input, output, layer->count);
    } else {
        rl_sigmoid_s16_tile(scale, input, output, layer->count);
    }
}
