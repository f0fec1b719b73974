// SPDX-License-Identifier: Apache-2.0
#include "recurrent/gates.h"

#include "isa.h"
#include RL_TILE(recurrent_tile.h)

static struct rl_fully_connected matrix_of(const struct rl_recurrent_part *part, int32_t depth, int32_t rows)
{
    return (struct rl_fully_connected){.channels = rows, .depth = depth, .weights = part->weights, .bias = part->bias};
}

static void sum_rows(const struct rl_recurrent_step *step, int32_t first, int32_t rows, int32_t *of_input,
                     int32_t *of_hidden)
{
    const struct rl_recurrent *layer = step->layer;
    const int32_t all = rl_recurrent_gates(layer->kind) * layer->hidden_size;
    const struct rl_fully_connected input = matrix_of(&layer->input, layer->input_size, all);
    const struct rl_fully_connected hidden = matrix_of(&layer->hidden, layer->hidden_size, all);
    rl_row_sums(&input, step->input, first, rows, of_input);
    rl_row_sums(&hidden, step->hidden, first, rows, of_hidden);
}

// The sums of a block of rows, and their scales.
static struct rl_row_scales block_sums(const struct rl_recurrent_step *step, int32_t first, int32_t count,
                                       int32_t sums[2 * RL_GATE_BLOCK])
{
    const struct rl_recurrent *layer = step->layer;
    sum_rows(step, first, count, sums, sums + RL_GATE_BLOCK);
    return (struct rl_row_scales){layer->input.multiplier + first, layer->hidden.multiplier + first,
                                  layer->shift + first};
}

void rl_recurrent_sums(const struct rl_recurrent_step *step, int32_t rows)
{
    for (int32_t first = 0; first < rows; first += RL_GATE_BLOCK) {
        const int32_t count = rl_min_s32(rows - first, RL_GATE_BLOCK);
        int32_t sums[2 * RL_GATE_BLOCK];
        const struct rl_row_scales scales = block_sums(step, first, count, sums);
        rl_gate_values(&scales, sums, count, step->gates + first);
    }
}

void rl_recurrent_new_gates(const struct rl_recurrent_step *step, int16_t *reset)
{
    const int32_t units = step->layer->hidden_size;
    for (int32_t first = 0; first < units; first += RL_GATE_BLOCK) {
        const int32_t count = rl_min_s32(units - first, RL_GATE_BLOCK);
        int32_t sums[2 * RL_GATE_BLOCK];
        const struct rl_row_scales scales = block_sums(step, 2 * units + first, count, sums);
        rl_new_gates(&scales, sums, count, reset + first);
    }
}
