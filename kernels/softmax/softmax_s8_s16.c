// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(softmax_s8_tile.h)

static int16_t output_of(const struct rl_softmax_scale *scale, int32_t exponential)
{
    return (int16_t)rl_min_s32(rl_softmax_output(scale, exponential) + INT16_MIN, INT16_MAX);
}

// Computes a single row of few elements, without a table on the stack.
static __attribute__((noinline)) void short_row(const struct rl_softmax *layer, const int8_t *input, int16_t *output)
{
    const int32_t count = layer->row;
    int32_t value[RL_EXP_FEW];
    const int32_t maximum = rl_softmax_maximum_s8(input, count);
    const struct rl_softmax_scale scale = rl_softmax_scale(rl_exp_of_few(layer, input, maximum, value), 16);
    for (int32_t i = 0; i < count; i++) {
        output[i] = output_of(&scale, value[i]);
    }
}

static inline __attribute__((always_inline)) void rows_of(const struct rl_softmax *layer, const int8_t *input,
                                                          int16_t *output, bool direct)
{
    const int32_t count = layer->row;
    struct rl_exp_table table;
    rl_softmax_start(&table, layer, direct);
    for (int32_t row = 0; row < layer->rows; row++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, count);
        const uint32_t sum = rl_softmax_sum_s8(&table, input, count, maximum, direct);
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 16);
        for (int32_t i = 0; i < count; i++) {
            output[i] = output_of(&scale, table.value[maximum - input[i]]);
        }
        input += count;
        output += count;
    }
}

static __attribute__((noinline)) void rows(const struct rl_softmax *layer, const int8_t *input, int16_t *output)
{
    rows_of(layer, input, output, false);
}

static __attribute__((noinline)) void direct_rows(const struct rl_softmax *layer, const int8_t *input, int16_t *output)
{
    rows_of(layer, input, output, true);
}

void rl_softmax_s8_s16_run(const struct rl_softmax *layer, const int8_t *input, int16_t *output)
{
    if (!RL_HAS_MVE && layer->rows == 1 && layer->row <= RL_EXP_FEW) {
        short_row(layer, input, output);
    } else if (rl_softmax_is_direct(layer)) {
        direct_rows(layer, input, output);
    } else {
        rows(layer, input, output);
    }
}
