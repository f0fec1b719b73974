// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "recurrent/gates.h"
#include "rushlight/kernels/activation.h"
#include RL_TILE(mul_s16_tile.h)
#include RL_TILE(recurrent_tile.h)

void rl_lstm_step(const struct rl_recurrent_step *step)
{
    const struct rl_recurrent *layer = step->layer;
    const int32_t units = layer->hidden_size;
    int16_t *in = step->gates, *forget = in + units, *fresh = forget + units, *out = fresh + units;
    rl_recurrent_sums(step, 4 * units);
    const struct rl_sigmoid two_sigmoids = {.count = 2 * units}, sigmoid = {.count = units};
    const struct rl_sigmoid tanh = {.is_tanh = true, .count = units};
    rl_sigmoid_s16_run(&two_sigmoids, in, in);
    rl_sigmoid_s16_run(&tanh, fresh, fresh);
    rl_sigmoid_s16_run(&sigmoid, out, out);
    rl_move_cells(in, forget, fresh, units, 30 - layer->cell_bits, step->wide);
    const struct rl_sigmoid squash = {.is_tanh = true, .left_shift = 12 - layer->cell_bits, .count = units};
    rl_sigmoid_s16_run(&squash, step->wide, fresh);
    const struct rl_mul product = {
        .scale = layer->output_scale,
        .output_offset = layer->output_offset,
        .range = {INT8_MIN, INT8_MAX},
        .count = units,
    };
    rl_mul_s16_s8_tile(&product, out, fresh, step->output);
}
