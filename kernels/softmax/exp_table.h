// SPDX-License-Identifier: Apache-2.0
// exp(x - max) has at most 256 values for 8-bit x. Each is computed once, when it is first needed.
#ifndef RL_KERNELS_SOFTMAX_EXP_TABLE_H
#define RL_KERNELS_SOFTMAX_EXP_TABLE_H

#include "rushlight/kernels/softmax.h"
#include "softmax/fixed_point.h"

enum {
    RL_EXP_UNKNOWN = -1,     // an exponential is never negative
    RL_EXP_SUM_SHIFT = 12,   // bits dropped from each exponential in the sum
    RL_EXP_TABLE_SIZE = 256, // one entry for each max - x
    RL_EXP_FEW = 40,         // elements up to which clearing a table costs more than it saves
};

struct rl_exp_table {
    int32_t value[RL_EXP_TABLE_SIZE]; // at max - x, in q31; 0 below diff_min
    struct rl_softmax layer;          // a copy, so that the compiler knows that stores to outputs do not change it
};

static inline void rl_exp_table_init(struct rl_exp_table *table, const struct rl_softmax *layer)
{
    table->layer = *layer;
    for (int i = 0; i < RL_EXP_TABLE_SIZE; i++) {
        table->value[i] = RL_EXP_UNKNOWN;
        RL_KEEP_LOOP();
    }
}

// Computes the exponential of a difference (0 or negative).
static inline int32_t rl_exp_of_difference(const struct rl_softmax *layer, int32_t difference)
{
    if (difference < layer->diff_min) {
        return 0;
    }
    const int32_t shifted = rl_shift_left_s32(difference, layer->scale.shift);
    return rl_exp_on_negative(rl_high_multiply_saturating(shifted, layer->scale.multiplier));
}

// The same, not inlined: a Cortex-M0 needs its few registers for the loops over a table that has most exponentials.
static __attribute__((noinline, unused)) int32_t rl_exp_apart(const struct rl_softmax *layer, int32_t difference)
{
    return rl_exp_of_difference(layer, difference);
}

// The exponential for max - x = index. Computes the table's entry if it is not there yet.
static inline int32_t rl_exp_look_up(struct rl_exp_table *table, int32_t index)
{
    if (table->value[index] == RL_EXP_UNKNOWN) {
        table->value[index] =
            RL_HAS_LONG_MULTIPLY ? rl_exp_of_difference(&table->layer, -index) : rl_exp_apart(&table->layer, -index);
    }
    return table->value[index];
}

// The contribution of an exponential to the sum of its row.
static inline uint32_t rl_exp_rounded_for_sum(int32_t exponential)
{
    return ((uint32_t)exponential + (UINT32_C(1) << (RL_EXP_SUM_SHIFT - 1))) >> RL_EXP_SUM_SHIFT;
}

// Computes the exponentials of a row of at most RL_EXP_FEW elements without a table. Returns their sum.
static inline uint32_t rl_exp_of_few(const struct rl_softmax *layer, const int8_t *input, int32_t maximum,
                                     int32_t value[RL_EXP_FEW])
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < layer->row; i++) {
        value[i] = rl_exp_of_difference(layer, input[i] - maximum);
        sum += rl_exp_rounded_for_sum(value[i]);
    }
    return sum;
}

// The factor that turns exponentials into outputs: exponential * multiplier / 2^31 / 2^shift.
struct rl_softmax_scale {
    int32_t multiplier;
    int32_t shift;
};

// The factor for a sum of exponentials and outputs of `bits` bits. If all outputs are below 1/2, it is 0: the reference
// shifts by more than 31 bits there, which C does not define. So it is if the sum is 2^32, which is 0.
static inline struct rl_softmax_scale rl_softmax_scale(uint32_t sum, int32_t bits)
{
    const int32_t headroom = rl_leading_zeros(sum);
    const int32_t shift = RL_EXP_SUM_SHIFT - headroom + 31 - bits;
    if (shift > 31 || sum == 0) {
        return (struct rl_softmax_scale){0, 0};
    }
    const int32_t above_one = (int32_t)((sum << headroom) - UINT32_C(0x80000000));
    return (struct rl_softmax_scale){rl_one_over_one_plus(above_one), rl_max_s32(shift, 0)};
}

// A scaled exponential, before the zero point and the upper limit of the output are applied. It is never negative, so
// ties are rounded upwards.
static inline int32_t rl_softmax_output(const struct rl_softmax_scale *scale, int32_t exponential)
{
    const uint32_t half = (UINT32_C(1) << scale->shift) >> 1;
    return (int32_t)(rl_high_multiply_add(exponential, scale->multiplier, half) >> scale->shift);
}

static inline int8_t rl_softmax_output_s8(const struct rl_softmax_scale *scale, int32_t exponential)
{
    return (int8_t)rl_min_s32(rl_softmax_output(scale, exponential) + INT8_MIN, INT8_MAX);
}

#endif
