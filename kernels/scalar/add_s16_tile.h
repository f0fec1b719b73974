// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ADD_S16_TILE_H
#define RL_KERNELS_SCALAR_ADD_S16_TILE_H

#include <stdbool.h>

#include "elementwise/add_plan.h"
#include "elementwise/elementwise.h"
#include "isa.h"

static inline __attribute__((always_inline)) void rl_add_s16_fast(struct rl_add_plan plan, struct rl_limits_s16 limits,
                                                                  const int16_t *scaled, const int16_t *exact,
                                                                  int16_t *output, int32_t count, bool open)
{
    for (; count >= 2; count -= 2, scaled += 2, exact += 2, output += 2) {
        output[0] = rl_limit_s16(rl_add_planned(&plan, scaled[0], exact[0]), limits, open);
        output[1] = rl_limit_s16(rl_add_planned(&plan, scaled[1], exact[1]), limits, open);
    }
    if (count > 0) {
        *output = rl_limit_s16(rl_add_planned(&plan, *scaled, *exact), limits, open);
    }
}

// Takes any scales.
static __attribute__((noinline)) void rl_add_s16_plainly(const struct rl_add *add, const int16_t *a, const int16_t *b,
                                                         int16_t *output)
{
    for (int32_t count = add->count; count > 0; count--) {
        *output++ = (int16_t)rl_add_one(add, *a++, *b++);
    }
}

// Returns false and does nothing for scales that no plan is for. Not inlined, which keeps its values in registers.
static __attribute__((noinline)) bool rl_add_s16_planned(const struct rl_add *add, const int16_t *a, const int16_t *b,
                                                         int16_t *output)
{
    const int32_t count = add->count;
    const struct rl_limits_s16 limits = {add->range.min, add->range.max};
    const bool open = rl_limits_are_open_s16(limits);
    struct rl_add_plan plan;
    for (int exact = 1; exact >= 0; exact--) {
        if (!rl_add_plan_with(add, exact, 15, &plan)) {
            continue;
        }
        plan.offset = plan.constant = 0; // offsets of int16 are 0: known here, they take no registers
        const int16_t *scaled_input = exact == 1 ? a : b, *exact_input = exact == 1 ? b : a;
        if (open) {
            rl_add_s16_fast(plan, limits, scaled_input, exact_input, output, count, true);
        } else {
            rl_add_s16_fast(plan, limits, scaled_input, exact_input, output, count, false);
        }
        return true;
    }
    return false;
}

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s16_tile(const struct rl_add *add, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (!rl_add_s16_planned(add, a, b, output)) {
        rl_add_s16_plainly(add, a, b, output);
    }
}

#endif
