// SPDX-License-Identifier: Apache-2.0
// A row times one filter on a Cortex-M0, where a load from two registers extends the sign and one from a constant
// distance does not: 9 cycles for a product instead of 11. Included by scalar/dot_tile.h.
#ifndef RL_KERNELS_SCALAR_DOT_ROW_THUMB_H
#define RL_KERNELS_SCALAR_DOT_ROW_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/dot_row_plain.h"
#else

enum { RL_HAS_DOT_ROW = !RL_SMALL };

// r0 and r2 are the ends of the row and of the filter, r1 is the offset, r3 the number of an element, which is below 0.
#define RL_DOT_ROW_STEP                                                                                                \
    "ldrsb r4, [r0, r3]\n"                                                                                             \
    "ldrsb r5, [r2, r3]\n"                                                                                             \
    "adds r4, r4, r1\n"                                                                                                \
    "muls r5, r4, r5\n"                                                                                                \
    "adds r6, r6, r5\n"                                                                                                \
    "adds r3, r3, #1\n"

static __attribute__((naked, noinline)) int32_t rl_dot_row_run(__attribute__((unused)) const int8_t *x_end,
                                                               __attribute__((unused)) int32_t offset,
                                                               __attribute__((unused)) const int8_t *w_end,
                                                               __attribute__((unused)) int32_t minus_count)
{
    __asm__(".syntax unified\n"
            "push {r4-r6, lr}\n"
            "movs r6, #0\n"
            "1:\n" RL_DOT_ROW_STEP RL_DOT_ROW_STEP RL_DOT_ROW_STEP RL_DOT_ROW_STEP //
            "bne 1b\n"
            "movs r0, r6\n"
            "pop {r4-r6, pc}\n");
}

// The sum of (x[i] + offset) * w[i] for `count` elements, a multiple of four above 0. The empty statement tells the
// compiler that the assembler reads memory.
static inline int32_t rl_dot_row(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    __asm__ volatile("" : : "r"(x), "r"(w) : "memory");
    return rl_dot_row_run(x + count, offset, w + count, -count);
}

#endif

#endif
