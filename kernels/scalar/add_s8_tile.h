// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_ADD_S8_TILE_H
#define RL_KERNELS_SCALAR_ADD_S8_TILE_H

#include <stdbool.h>

#include "elementwise/elementwise.h"
#include "isa.h"
#include "scratch.h"
#include RL_TILE(rescale_tile.h)

// From this many elements on, a table of one input's terms pays.
enum { RL_ADD_TABLE_MINIMUM = 512 };

// Twice the terms of one input, for values -128..127, and the factor of the other input. That input's term is an exact
// multiple of its value, as always with the larger scale, whose multiplier is one half.
struct rl_add_table {
    int32_t term[256];
    int32_t factor;
};

// Whether all sums stay below 2^29, so that they can be doubled, and the output shifts right.
static inline bool rl_add_fits(const struct rl_add *add, struct rl_rescale *rescale)
{
    for (int i = 0; i < 2; i++) {
        if (!rl_offset_is_small(add->input[i].offset) || add->input[i].scale.shift > 0) {
            return false;
        }
    }
    return add->left_shift <= 20 &&
           rl_rescale_init(add->output_offset, add->scale.multiplier, add->scale.shift, rescale);
}

// The data of the inner loop. It is passed by value, so that the int8 stores cannot alias it.
struct rl_add_loop {
    const int32_t *term; // indexed by -128..127
    int32_t factor;
    struct rl_rescale rescale;
    struct rl_limits_s8 limits;
};

static inline int8_t rl_add_from_table(struct rl_add_loop loop, int32_t tabled, int32_t exact, bool open)
{
    const int32_t doubled = loop.term[tabled] + exact * loop.factor;
    return rl_limit_s8(rl_rescale(loop.rescale, doubled), loop.limits, open);
}

// Adds an input in the table and one with an exact factor. Unrolled only for the common case, open limits.
static inline __attribute__((always_inline)) void rl_add_with_table(struct rl_add_loop loop, const int8_t *tabled,
                                                                    const int8_t *exact, int8_t *output, int32_t count,
                                                                    bool open)
{
    for (; open && !RL_SMALL && count >= 4; count -= 4, tabled += 4, exact += 4, output += 4) {
        output[0] = rl_add_from_table(loop, tabled[0], exact[0], open);
        output[1] = rl_add_from_table(loop, tabled[1], exact[1], open);
        output[2] = rl_add_from_table(loop, tabled[2], exact[2], open);
        output[3] = rl_add_from_table(loop, tabled[3], exact[3], open);
    }
    for (; count > 0; count--) {
        *output++ = rl_add_from_table(loop, *tabled++, *exact++, open);
    }
}

// output[i] = a[i] + b[i] for all elements. The output may be one of the inputs. Long arrays put a table into the
// scratch, which is aligned to eight bytes.
static inline void rl_add_s8_tile(const struct rl_add *add, const int8_t *a, const int8_t *b, int8_t *output,
                                  struct rl_scratch scratch)
{
    const int32_t count = add->count;
    struct rl_rescale rescale = {0};
    const bool fits = count >= RL_ADD_TABLE_MINIMUM && rl_add_fits(add, &rescale);
    const int32_t bytes = fits ? (int32_t)sizeof(struct rl_add_table) : 1;
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_add_table *table = rl_scratch_memory(scratch, bytes, stack);
    for (int exact = 1; fits && exact >= 0; exact--) {
        const struct rl_addend *input = &add->input[exact];
        if (!rl_add_exact_factor(input, add->left_shift, &table->factor)) {
            continue;
        }
        for (int32_t value = -128; value < 128; value++) {
            table->term[value + 128] =
                2 * rl_add_term(&add->input[1 - exact], add->left_shift, value) + input->offset * table->factor;
        }
        const struct rl_add_loop loop = {table->term + 128, table->factor, rescale, {add->range.min, add->range.max}};
        if (!RL_SMALL && rl_limits_are_open(loop.limits)) {
            rl_add_with_table(loop, exact == 1 ? a : b, exact == 1 ? b : a, output, count, true);
        } else {
            rl_add_with_table(loop, exact == 1 ? a : b, exact == 1 ? b : a, output, count, false);
        }
        return;
    }
    const struct rl_add plain = *add;
    for (int32_t i = 0; i < count; i++) {
        output[i] = (int8_t)rl_add_one(&plain, a[i], b[i]);
    }
}

#endif
