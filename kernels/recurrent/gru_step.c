// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "recurrent/gates.h"
#include "rushlight/kernels/activation.h"
#include RL_TILE(recurrent_tile.h)

void rl_gru_step(const struct rl_recurrent_step *step)
{
    const struct rl_recurrent *layer = step->layer;
    const int32_t units = layer->hidden_size;
    int16_t *reset = step->gates, *update = reset + units;
    rl_recurrent_sums(step, 2 * units);
    const struct rl_sigmoid sigmoids = {.count = 2 * units};
    rl_sigmoid_s16_run(&sigmoids, reset, reset);
    rl_recurrent_new_gates(step, reset);
    const struct rl_sigmoid tanh = {.is_tanh = true, .count = units};
    rl_sigmoid_s16_run(&tanh, reset, reset);
    rl_move_states(layer->output_scale, units, reset, update, step->wide, step->output);
}
