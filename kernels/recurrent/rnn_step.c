// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "recurrent/gates.h"
#include "rushlight/kernels/activation.h"
#include RL_TILE(recurrent_tile.h)

void rl_rnn_step(const struct rl_recurrent_step *step)
{
    const struct rl_recurrent *layer = step->layer;
    const int32_t units = layer->hidden_size;
    int16_t *values = step->gates;
    rl_recurrent_sums(step, units);
    if (layer->kind == RL_RECURRENT_RELU) {
        const struct rl_limit rectify = {.range = {0, INT16_MAX}, .count = units};
        rl_limit_s16_run(&rectify, values, values);
    } else {
        const struct rl_sigmoid tanh = {.is_tanh = true, .count = units};
        rl_sigmoid_s16_run(&tanh, values, values);
    }
    rl_scale_states(layer->output_scale, layer->output_offset, units, values, step->output);
}
