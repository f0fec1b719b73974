// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ADD_S8_TILE_H
#define RL_KERNELS_SCALAR_ADD_S8_TILE_H

#include <stdbool.h>

#include "elementwise/add_plan.h"
#include "elementwise/elementwise.h"
#include "isa.h"
#include "scratch.h"
#include RL_TILE(packed_s8_tile.h)
#include RL_TILE(rescale_tile.h)

enum {
    RL_ADD_TABLE_MINIMUM = 512, // from this many elements on, a table of one input's terms pays
    RL_ADD_PLAN_MINIMUM = RL_SMALL ? RL_ADD_TABLE_MINIMUM : 0,
};

// Twice the terms of one input, for values -128..127, and the factor of the other input. That input's term is an exact
// multiple of its value, as always with the larger scale, whose multiplier is one half.
struct rl_add_table {
    int32_t term[256];
    int32_t factor;
};

// The data of the inner loop. It is passed by value, so that the int8 stores cannot alias it.
struct rl_add_loop {
    const int32_t *term; // indexed by -128..127
    int32_t factor;
    struct rl_rescale rescale;
    struct rl_limits_s8 limits;
};

// Twice the sum.
static inline int32_t rl_add_from_table(struct rl_add_loop loop, int32_t tabled, int32_t exact)
{
    return loop.term[tabled] + exact * loop.factor;
}

static inline int8_t rl_add_one_from_table(struct rl_add_loop loop, int32_t tabled, int32_t exact, bool open)
{
    return rl_limit_s8(rl_rescale(loop.rescale, rl_add_from_table(loop, tabled, exact)), loop.limits, open);
}

// Four sums in a word, with the limits of int8 alone.
static inline uint32_t rl_add_four_from_table(struct rl_add_loop loop, const int8_t *tabled, const int8_t *exact)
{
    return rl_rescaled_word(loop.rescale, rl_add_from_table(loop, tabled[0], exact[0]),
                            rl_add_from_table(loop, tabled[1], exact[1]), rl_add_from_table(loop, tabled[2], exact[2]),
                            rl_add_from_table(loop, tabled[3], exact[3]));
}

// Adds an input in the table and one with an exact factor.
static inline __attribute__((always_inline)) void rl_add_with_table(struct rl_add_loop loop, const int8_t *tabled,
                                                                    const int8_t *exact, int8_t *output, int32_t count,
                                                                    bool open)
{
    const bool words = RL_HAS_DSP && !RL_SMALL; // are limited and stored
    const uint32_t lows = rl_repeat_s8x4((int8_t)rl_saturate_s8(loop.limits.low));
    const uint32_t highs = rl_repeat_s8x4((int8_t)rl_saturate_s8(loop.limits.high));
    for (; (open || words) && !RL_SMALL && count >= 4; count -= 4, tabled += 4, exact += 4, output += 4) {
        if (words) {
            const uint32_t sums = rl_add_four_from_table(loop, tabled, exact);
            rl_store_s8x4(output, open ? sums : rl_minimum_s8x4(rl_maximum_s8x4(sums, lows), highs));
            continue;
        }
        output[0] = rl_add_one_from_table(loop, tabled[0], exact[0], open);
        output[1] = rl_add_one_from_table(loop, tabled[1], exact[1], open);
        output[2] = rl_add_one_from_table(loop, tabled[2], exact[2], open);
        output[3] = rl_add_one_from_table(loop, tabled[3], exact[3], open);
    }
    for (; count > 0; count--) {
        *output++ = rl_add_one_from_table(loop, *tabled++, *exact++, open);
    }
}

// Two short requantizations for each element. `tabled` is the input with other scales.
static inline __attribute__((always_inline)) void rl_add_planned_all(struct rl_add_plan plan,
                                                                     struct rl_limits_s8 limits, const int8_t *tabled,
                                                                     const int8_t *exact, int8_t *output, int32_t count,
                                                                     bool open)
{
    const bool words = RL_HAS_DSP && !RL_SMALL;
    const uint32_t lows = rl_repeat_s8x4(rl_saturate_s8(limits.low));
    const uint32_t highs = rl_repeat_s8x4(rl_saturate_s8(limits.high));
    for (; words && count >= 4; count -= 4, tabled += 4, exact += 4, output += 4) {
        const uint32_t sums = rl_rescaled_word(
            plan.output, rl_add_planned_sum(&plan, tabled[0], exact[0]), rl_add_planned_sum(&plan, tabled[1], exact[1]),
            rl_add_planned_sum(&plan, tabled[2], exact[2]), rl_add_planned_sum(&plan, tabled[3], exact[3]));
        rl_store_s8x4(output, open ? sums : rl_minimum_s8x4(rl_maximum_s8x4(sums, lows), highs));
    }
    for (; !words && count >= 2; count -= 2, tabled += 2, exact += 2, output += 2) {
        const int32_t first = rl_add_planned(&plan, tabled[0], exact[0]);
        const int32_t second = rl_add_planned(&plan, tabled[1], exact[1]);
        output[0] = rl_limit_s8(first, limits, open);
        output[1] = rl_limit_s8(second, limits, open);
    }
    for (; count > 0; count--) {
        const int32_t sum = rl_add_planned(&plan, *tabled++, *exact++);
        *output++ = rl_limit_s8(sum, limits, open);
    }
}

static __attribute__((noinline)) void rl_add_s8_planned(const struct rl_add_plan *plan, struct rl_limits_s8 limits,
                                                        const int8_t *tabled, const int8_t *exact, int8_t *output,
                                                        int32_t count)
{
    if (rl_limits_are_open(limits)) {
        rl_add_planned_all(*plan, limits, tabled, exact, output, count, true);
    } else {
        rl_add_planned_all(*plan, limits, tabled, exact, output, count, false);
    }
}

// Not inlined, and with a copy of the plan, which the stores cannot change.
static __attribute__((noinline)) void rl_add_fill(const struct rl_add_plan *given, int32_t *term)
{
    const struct rl_add_plan plan = *given;
    for (int32_t value = -128; value < 128; value += 2, term += 2) {
        term[0] = rl_add_plan_term(&plan, value) + plan.constant;
        term[1] = rl_add_plan_term(&plan, value + 1) + plan.constant;
    }
}

// The same with a table of the terms of one input, in the scratch, which is aligned to eight bytes.
static __attribute__((noinline)) void rl_add_s8_tabled(const struct rl_add_plan *plan, struct rl_limits_s8 limits,
                                                       const int8_t *tabled, const int8_t *exact, int8_t *output,
                                                       int32_t count, struct rl_scratch scratch)
{
    const int32_t bytes = (int32_t)sizeof(struct rl_add_table);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_add_table *table = rl_scratch_memory(scratch, bytes, stack);
    rl_add_fill(plan, table->term);
    const struct rl_add_loop loop = {table->term + 128, plan->factor, plan->output, limits};
    if (!RL_SMALL && rl_limits_are_open(limits)) {
        rl_add_with_table(loop, tabled, exact, output, count, true);
    } else {
        rl_add_with_table(loop, tabled, exact, output, count, false);
    }
}

// Takes any scales. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_add_s8_plainly(const struct rl_add *add, const int8_t *a, const int8_t *b,
                                                        int8_t *output)
{
    for (int32_t count = add->count; count > 0; count--) {
        *output++ = (int8_t)rl_add_one(add, *a++, *b++);
    }
}

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s8_tile(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output,
                                  struct rl_scratch scratch)
{
    const struct rl_limits_s8 limits = {add->range.min, add->range.max};
    struct rl_add_plan plan;
    for (int exact = 1; add->count >= RL_ADD_PLAN_MINIMUM && exact >= 0; exact--) {
        if (!rl_add_plan_with(add, exact, 8, &plan)) {
            continue;
        }
        const int8_t *tabled_input = exact == 1 ? a : b, *exact_input = exact == 1 ? b : a;
        if (!RL_SMALL && add->count < RL_ADD_TABLE_MINIMUM) {
            rl_add_s8_planned(&plan, limits, tabled_input, exact_input, output, add->count);
        } else {
            rl_add_s8_tabled(&plan, limits, tabled_input, exact_input, output, add->count, scratch);
        }
        return;
    }
    rl_add_s8_plainly(add, a, b, output);
}

#endif
