// SPDX-License-Identifier: Apache-2.0
// A sum of two quantized values with two short requantizations instead of three long ones. It is for layers in which
// one input's term is an exact multiple of its value, as always with the larger scale, whose multiplier is one half;
// all other shifts are to the right.
#ifndef RL_KERNELS_ELEMENTWISE_ADD_PLAN_H
#define RL_KERNELS_ELEMENTWISE_ADD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "elementwise/elementwise.h"
#include "elementwise/rescale.h"
#include "requantize.h"

#include RL_TILE(rescale_tile.h)

// Terms and sums are doubled, because rl_rescale takes doubled values.
struct rl_add_plan {
    int32_t unit;   // of a term: 2 to the left shift of the layer, doubled
    int32_t offset; // that of the input with other scales, in units
    struct rl_rescale input;
    int32_t factor;   // of the exact input
    int32_t constant; // the offset of the exact input, multiplied
    struct rl_rescale output;
};

// Fills in the plan with input number `exact` as the exact one, for values of -2^bits..2^bits - 1, offset included.
// False if it is not exact, or if another scale does not shift right.
//
// Values shifted left are 2^30 at most. Then both terms are 2^29 at most: that of one input because its scale halves
// it, and the exact one because its multiplier is one half at most. So every sum can be doubled.
static inline bool rl_add_plan_with(const struct rl_add *add, int exact, int32_t bits, struct rl_add_plan *plan)
{
    const struct rl_addend *other = &add->input[1 - exact], *input = &add->input[exact];
    if (!rl_offset_is_small(input->offset) || !rl_offset_is_small(other->offset)) {
        return false;
    }
    if (add->left_shift + bits > 30 || input->scale.shift > 0 ||
        !rl_add_exact_factor(input, add->left_shift, &plan->factor) ||
        !rl_rescale_init(0, other->scale.multiplier, other->scale.shift, &plan->input) ||
        !rl_rescale_init(add->output_offset, add->scale.multiplier, add->scale.shift, &plan->output)) {
        return false;
    }
    plan->unit = INT32_C(1) << (add->left_shift + 1);
    plan->offset = other->offset * plan->unit;
    plan->constant = input->offset * plan->factor;
    return true;
}

// Twice the term of the input that is not exact.
static inline int32_t rl_add_plan_term(const struct rl_add_plan *plan, int32_t value)
{
    return 2 * rl_rescale(plan->input, (int32_t)((uint32_t)value * (uint32_t)plan->unit + (uint32_t)plan->offset));
}

// Twice the sum.
static inline int32_t rl_add_planned_sum(const struct rl_add_plan *plan, int32_t value, int32_t exact)
{
    return rl_add_plan_term(plan, value) + exact * plan->factor + plan->constant;
}

// The output, not limited.
static inline int32_t rl_add_planned(const struct rl_add_plan *plan, int32_t value, int32_t exact)
{
    return rl_rescale(plan->output, rl_add_planned_sum(plan, value, exact));
}

#endif
