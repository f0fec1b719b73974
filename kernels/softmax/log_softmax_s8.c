// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(softmax_s8_tile.h)

enum { LOG_BITS = 24 };

static const int32_t most_addend = 1 << 30;

// 1 more than the sum, so that it is at least 2^31.
static uint64_t sum_of(struct rl_exp_table *table, const int8_t *input, int32_t count, int32_t maximum)
{
    uint64_t sum = 1;
    for (int32_t i = 0; i < count; i++) {
        sum += (uint32_t)rl_exp_look_up(table, maximum - input[i]);
    }
    return sum;
}

// L of the header.
static int32_t logarithm_of(uint64_t sum)
{
    int32_t whole = 0;
    for (; sum >> 32 != 0; sum >>= 1) {
        whole++;
    }
    uint32_t mantissa = (uint32_t)sum, bits = 0;
    for (int32_t i = 0; i < LOG_BITS; i++) {
        const uint64_t square = ((uint64_t)mantissa * mantissa) >> 31;
        const uint32_t bit = (uint32_t)(square >> 32);
        mantissa = (uint32_t)(square >> bit);
        bits = bits << 1 | bit;
    }
    return (whole << LOG_BITS) + (int32_t)bits;
}

// C of the header.
static int32_t addend_of(const struct rl_log_softmax *layer, uint64_t sum)
{
    const int64_t product = (int64_t)logarithm_of(sum) * layer->log_multiplier;
    const int64_t addend = (product + ((int64_t)1 << (layer->log_shift - 1))) >> layer->log_shift;
    return addend < most_addend ? (int32_t)addend : most_addend;
}

void rl_log_softmax_run(const struct rl_log_softmax *layer, const int8_t *input, int8_t *output)
{
    const int32_t count = layer->exponentials.row, step = layer->step, fraction = layer->fraction;
    const int32_t offset = layer->output_offset;
    struct rl_exp_table table;
    rl_exp_table_init(&table, &layer->exponentials);
    for (int32_t row = 0; row < layer->exponentials.rows; row++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, count);
        const int32_t addend = addend_of(layer, sum_of(&table, input, count, maximum)) + ((1 << fraction) >> 1);
        for (int32_t i = 0; i < count; i++) {
            const int32_t below = ((maximum - input[i]) * step + addend) >> fraction;
            output[i] = (int8_t)rl_clamp_s32(offset - below, INT8_MIN, INT8_MAX);
        }
        input += count;
        output += count;
    }
}
