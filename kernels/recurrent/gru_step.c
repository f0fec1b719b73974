// SPDX-License-Identifier: Apache-2.0
#include "recurrent/gates.h"
#include "rushlight/kernels/activation.h"

// Writes tanh of the sums of the third gate in place of `reset`.
static void run_new_gate(const struct rl_recurrent_step *step, int16_t *reset)
{
    enum { MOST = 65535 }; // its product with a reset gate fits int32
    const int32_t units = step->layer->hidden_size;
    for (int32_t first = 0; first < units; first += RL_GATE_BLOCK) {
        const int32_t count = rl_min_s32(units - first, RL_GATE_BLOCK);
        int32_t of_input[RL_GATE_BLOCK], of_hidden[RL_GATE_BLOCK];
        rl_recurrent_terms(step, 2 * units + first, count, of_input, of_hidden);
        for (int32_t i = 0; i < count; i++) {
            const int32_t kept = rl_halve_15_times(reset[first + i] * rl_clamp_s32(of_hidden[i], -MOST, MOST));
            reset[first + i] = rl_limited_s16((int32_t)((uint32_t)of_input[i] + (uint32_t)kept));
        }
    }
    const struct rl_sigmoid tanh = {.is_tanh = true, .count = units};
    rl_sigmoid_s16_run(&tanh, reset, reset);
}

void rl_gru_step(const struct rl_recurrent_step *step)
{
    const struct rl_recurrent *layer = step->layer;
    const int32_t units = layer->hidden_size;
    int16_t *reset = step->gates, *update = reset + units;
    rl_recurrent_sums(step, 2 * units);
    const struct rl_sigmoid sigmoids = {.count = 2 * units};
    rl_sigmoid_s16_run(&sigmoids, reset, reset);
    run_new_gate(step, reset);
    for (int32_t i = 0; i < units; i++) {
        const int32_t scaled = rl_requantize(reset[i], layer->output_scale.multiplier, layer->output_scale.shift);
        const int32_t fresh = rl_limited_s16(scaled);
        step->wide[i] = (int16_t)(fresh + rl_halve_15_times(update[i] * (step->wide[i] - fresh)));
        step->output[i] = rl_output_s8((step->wide[i] + 128) >> 8, 0, INT8_MIN, INT8_MAX);
    }
}
