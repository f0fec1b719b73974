// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ADD_S16_TILE_H
#define RL_KERNELS_SCALAR_ADD_S16_TILE_H

#include <stdbool.h>

#include "elementwise/elementwise.h"
#include "isa.h"
#include RL_TILE(rescale_tile.h)

// Fewer elements take less time than a plan for them.
enum { RL_ADD_S16_FEW = 8 };

// For layers in which one input's term is an exact multiple of its value, as always with the larger scale, and all
// other shifts are to the right.
struct rl_add_s16_loop {
    int32_t left_shift; // that of the other input plus 1, because rl_rescale takes doubled values
    struct rl_rescale input;
    int32_t factor; // doubled
    struct rl_rescale output;
    struct rl_limits_s16 limits;
};

static inline int32_t rl_abs_s32(int32_t value)
{
    return value < 0 ? -value : value;
}

// Fills in everything but the limits, with input number `exact` as the exact one. False if it is not, or if sums exceed
// 2^30 and cannot be doubled.
static inline bool rl_add_s16_plan(const struct rl_add *add, int exact, struct rl_add_s16_loop *loop)
{
    const struct rl_addend *other = &add->input[1 - exact];
    if (add->left_shift > 15 || add->input[exact].scale.shift > 0 ||
        !rl_add_exact_factor(&add->input[exact], add->left_shift, &loop->factor) ||
        !rl_rescale_init(0, other->scale.multiplier, other->scale.shift, &loop->input) ||
        !rl_rescale_init(0, add->scale.multiplier, add->scale.shift, &loop->output)) {
        return false;
    }
    loop->left_shift = add->left_shift + 1;
    const int32_t largest = rl_abs_s32(rl_add_term(&add->input[0], add->left_shift, INT16_MIN));
    const int32_t other_largest = rl_abs_s32(rl_add_term(&add->input[1], add->left_shift, INT16_MIN));
    return largest <= (INT32_C(1) << 30) - other_largest;
}

static inline int16_t rl_add_s16_rescaled(struct rl_add_s16_loop loop, int32_t scaled, int32_t exact, bool open)
{
    const int32_t term = rl_rescale(loop.input, rl_shift_left_s32(scaled, loop.left_shift));
    return rl_limit_s16(rl_rescale(loop.output, 2 * term + exact * loop.factor), loop.limits, open);
}

static inline __attribute__((always_inline)) void rl_add_s16_fast(struct rl_add_s16_loop loop, const int16_t *scaled,
                                                                  const int16_t *exact, int16_t *output, int32_t count,
                                                                  bool open)
{
    for (; count >= 2; count -= 2, scaled += 2, exact += 2, output += 2) {
        output[0] = rl_add_s16_rescaled(loop, scaled[0], exact[0], open);
        output[1] = rl_add_s16_rescaled(loop, scaled[1], exact[1], open);
    }
    if (count > 0) {
        *output = rl_add_s16_rescaled(loop, *scaled, *exact, open);
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
    struct rl_add_s16_loop loop;
    loop.limits = (struct rl_limits_s16){add->range.min, add->range.max};
    const bool open = rl_limits_are_open_s16(loop.limits);
    for (int exact = 1; exact >= 0; exact--) {
        if (!rl_add_s16_plan(add, exact, &loop)) {
            continue;
        }
        const int16_t *scaled_input = exact == 1 ? a : b, *exact_input = exact == 1 ? b : a;
        if (open) {
            rl_add_s16_fast(loop, scaled_input, exact_input, output, count, true);
        } else {
            rl_add_s16_fast(loop, scaled_input, exact_input, output, count, false);
        }
        return true;
    }
    return false;
}

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs.
static inline void rl_add_s16_tile(const struct rl_add *add, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (add->count < RL_ADD_S16_FEW || !rl_add_s16_planned(add, a, b, output)) {
        rl_add_s16_plainly(add, a, b, output);
    }
}

#endif
