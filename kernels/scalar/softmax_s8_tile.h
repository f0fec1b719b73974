// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_SOFTMAX_S8_TILE_H
#define RL_KERNELS_SCALAR_SOFTMAX_S8_TILE_H

#include <stdbool.h>

#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(packed_s8_tile.h)

// Whether rows do not use the exponentials that others left in the table. It is an argument, and a constant, of what
// follows.
static inline bool rl_softmax_is_direct(const struct rl_softmax *layer)
{
    (void)layer;
    return false;
}

// Prepares the table of a run.
static inline void rl_softmax_start(struct rl_exp_table *table, const struct rl_softmax *layer, bool direct)
{
    (void)direct;
    rl_exp_table_init(table, layer);
}

// The largest element of a row of at least eight. The last eight overlap others.
static __attribute__((noinline)) int32_t rl_softmax_maximum_of_eights(const int8_t *input, int32_t count)
{
    uint32_t maxima[2] = {rl_load_s8x4(input), rl_load_s8x4(input + 4)};
    rl_maximum_of_eights_s8(maxima, input, count / 8, 8);
    rl_maximum_of_eights_s8(maxima, input + count - 8, 1, 8);
    const uint32_t four = rl_maximum_s8x4(maxima[0], maxima[1]), two = rl_maximum_s8x4(four, four >> 16);
    return (int8_t)rl_maximum_s8x4(two, two >> 8);
}

// The largest element of a row of at least one.
static inline int32_t rl_softmax_maximum_s8(const int8_t *input, int32_t count)
{
    if (!RL_SMALL && RL_HAS_UNALIGNED_WORDS && count >= 8) {
        return rl_softmax_maximum_of_eights(input, count);
    }
    int32_t maximum = input[0];
    for (int32_t i = 1; i < count; i++) {
        maximum = rl_max_s32(maximum, input[i]);
    }
    return maximum;
}

// The sum of the exponentials of a row. It also enters them in the table.
static inline uint32_t rl_softmax_sum_s8(struct rl_exp_table *table, const int8_t *input, int32_t count,
                                         int32_t maximum, bool direct)
{
    (void)direct;
    uint32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += rl_exp_rounded_for_sum(rl_exp_look_up(table, maximum - input[i]));
    }
    return sum;
}

// Writes the outputs of a row whose exponentials are all in the table.
static inline void rl_softmax_scale_row_s8(const struct rl_exp_table *table, const struct rl_softmax_scale *scale,
                                           const int8_t *input, int32_t count, int32_t maximum, int8_t *output)
{
    const struct rl_softmax_scale s = *scale;
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_softmax_output_s8(&s, table->value[maximum - input[i]]);
    }
}

#endif
