// SPDX-License-Identifier: Apache-2.0
// Sums of depthwise windows. In assembler because compilers neither pair the stores nor keep the order in which loads
// and products overlap. plane_sums_plain.h is the same in C; mve/plane_nest.h gives the form of planes and weights.
#ifndef RL_KERNELS_MVE_PLANE_SUMS_H
#define RL_KERNELS_MVE_PLANE_SUMS_H

#include <arm_mve.h>
#include <stddef.h>

#include "mve/plane_block.h"
#include "mve/plane_sums_plain.h"

// The outer loop runs over lines, the inner one over windows. `load` leaves the weights in q1 to q4. `next` stands
// behind the address of a load, and may advance it.
// clang-format off
#define RL_PLANE_LOOPS(load, before, next, products_0, products_1, after) \
    RL_PLANE_LINES(load, before \
                   "vldrb.s8 q0, [%[x_0]]" next "\n" \
                   products_0 \
                   "vldrb.s8 q0, [%[x_1]]" next "\n" \
                   products_1 \
                   after, "")
#define RL_PLANE_LINES(load, round, end) \
    do { \
        const int8_t *x_0 = lines->x_0, *x_1 = lines->x_1; \
        int32_t *sums = lines->sums, *sums_1 = lines->sums_1; \
        int32_t s_0, s_1, s_2, s_3; \
        __asm__ volatile("1:\n" \
                         load \
                         "ldr lr, [%[lines], #16]\n" \
                         "dls lr, lr\n" \
                         ".p2align 2\n" \
                         "2:\n" \
                         round \
                         "le lr, 2b\n" \
                         end \
                         "ldrd %[s_0], %[s_1], [%[lines], #24]\n" \
                         "ldr %[s_2], [%[lines], #32]\n" \
                         "add %[x_0], %[x_0], %[s_0]\n" \
                         "add %[x_1], %[x_1], %[s_0]\n" \
                         "add %[sums], %[sums], %[s_1]\n" \
                         "add %[sums_1], %[sums_1], %[s_1]\n" \
                         "ldr %[s_3], [%[lines], #8]\n" \
                         "cmp %[s_2], %[s_3]\n" \
                         "bne 1b\n" \
                         : [s_0] "=&Te"(s_0), [s_1] "=&Te"(s_1), [s_2] "=&Te"(s_2), [s_3] "=&Te"(s_3), \
                           [x_0] "+&r"(x_0), [x_1] "+&r"(x_1), [sums] "+&r"(sums), [sums_1] "+&r"(sums_1) \
                         : [step] "r"(lines->step), [lines] "r"(lines) \
                         : "q0", "q1", "q2", "q3", "q4", "q5", "lr", "cc", "memory"); \
    } while (false)
#define RL_PLANE_LOAD_PAIR(a, b)  "vldrb.s8 " #a ", [%[s_0]]\n" \
                                  "vldrb.s8 " #b ", [%[s_0], #16]\n" \
                                  "add %[s_0], %[s_0], %[s_1]\n"
#define RL_PLANE_LOAD(pairs)      "ldr %[s_0], [%[lines], #8]\n" \
                                  "ldr %[s_1], [%[lines], #36]\n" \
                                  pairs \
                                  "str %[s_0], [%[lines], #8]\n"
#define RL_PLANE_LOAD_TWO         RL_PLANE_LOAD(RL_PLANE_LOAD_PAIR(q1, q2))
#define RL_PLANE_LOAD_FOUR        RL_PLANE_LOAD(RL_PLANE_LOAD_PAIR(q1, q2) RL_PLANE_LOAD_PAIR(q3, q4))
#define RL_PLANE_MULTIPLY(sum, w) "vmladav.s8 %[" #sum "], q0, " #w "\n"
#define RL_PLANE_ADD(sum, w)      "vmladava.s8 %[" #sum "], q0, " #w "\n"
#define RL_PLANE_STEP             "add %[x_0], %[x_0], %[step]\n" "add %[x_1], %[x_1], %[step]\n"
#define RL_PLANE_STORE_PAIR       "strd %[s_0], %[s_1], [%[sums]], #32\n"
#define RL_PLANE_STORE_PAIRS      "strd %[s_2], %[s_3], [%[sums_1]], #32\n" RL_PLANE_STORE_PAIR
#define RL_PLANE_LOAD_SUM         "ldr %[s_0], [%[sums]]\n"
#define RL_PLANE_LOAD_SUMS        "ldr %[s_2], [%[sums_1]]\n" RL_PLANE_LOAD_SUM
#define RL_PLANE_STORE            "str %[s_0], [%[sums]], #32\n"
#define RL_PLANE_STORE_ROWS       "str %[s_2], [%[sums_1]], #32\n" RL_PLANE_STORE
#define RL_PLANE_SECOND_WINDOW    "vldrb.s8 q0, [%[x_0]], #8\n" RL_PLANE_MULTIPLY(s_2, q1) \
                                  "vldrb.s8 q0, [%[x_1]], #8\n" RL_PLANE_MULTIPLY(s_3, q2)
#define RL_PLANE_STORE_SECOND     "strd %[s_2], %[s_3], [%[sums]], #32\n"
// A round of the usual step. It loads the next window of the first channel, so that no product waits for it.
#define RL_PLANE_FIRST_WINDOW     "vldrb.s8 q0, [%[x_0]], #4\n"
#define RL_PLANE_USUAL_ROUND      RL_PLANE_MULTIPLY(s_0, q1) \
                                  "vldrb.s8 q5, [%[x_1]], #4\n" \
                                  RL_PLANE_MULTIPLY(s_2, q2) \
                                  RL_PLANE_FIRST_WINDOW \
                                  "vmladav.s8 %[s_1], q5, q3\n" \
                                  "vmladav.s8 %[s_3], q5, q4\n" \
                                  RL_PLANE_STORE_PAIR \
                                  "strd %[s_2], %[s_3], [%[sums_1]], #32\n"
// clang-format on

__extension__ _Static_assert(offsetof(struct rl_plane_lines, weights) == 8 &&
                                 offsetof(struct rl_plane_lines, rounds) == 16 &&
                                 offsetof(struct rl_plane_lines, next_x) == 24 &&
                                 offsetof(struct rl_plane_lines, next_sums) == 28 &&
                                 offsetof(struct rl_plane_lines, end) == 32 &&
                                 offsetof(struct rl_plane_lines, next_weights) == 36,
                             "the assembler uses these offsets");

// Computes lines of two channels for two rows of outputs.
static inline void rl_plane_two_channels_two_rows(struct rl_plane_lines *lines)
{
    if (lines->step == 4) {
        RL_PLANE_LINES(RL_PLANE_LOAD_FOUR RL_PLANE_FIRST_WINDOW, RL_PLANE_USUAL_ROUND, "sub %[x_0], %[x_0], #4\n");
    } else {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_FOUR, "", "", RL_PLANE_MULTIPLY(s_0, q1) RL_PLANE_MULTIPLY(s_2, q2),
                       RL_PLANE_MULTIPLY(s_1, q3) RL_PLANE_MULTIPLY(s_3, q4), RL_PLANE_STEP RL_PLANE_STORE_PAIRS);
    }
}

// Computes lines of two channels for one row of outputs; two windows at a time with the usual step.
static inline void rl_plane_two_channels(struct rl_plane_lines *lines)
{
    if (lines->step == RL_PLANE_USUAL_STEP) {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_TWO, "", ", #8", RL_PLANE_MULTIPLY(s_0, q1), RL_PLANE_MULTIPLY(s_1, q2),
                       RL_PLANE_SECOND_WINDOW RL_PLANE_STORE_PAIR RL_PLANE_STORE_SECOND);
    } else {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_TWO, "", "", RL_PLANE_MULTIPLY(s_0, q1), RL_PLANE_MULTIPLY(s_1, q2),
                       RL_PLANE_STEP RL_PLANE_STORE_PAIR);
    }
}

// Computes 32 bytes of each window of one channel for two rows of outputs; `more` adds to the existing sums.
static inline void rl_plane_two_rows(struct rl_plane_lines *lines, bool more)
{
    if (more) {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_FOUR, RL_PLANE_LOAD_SUMS, "", RL_PLANE_ADD(s_0, q1) RL_PLANE_ADD(s_2, q3),
                       RL_PLANE_ADD(s_0, q2) RL_PLANE_ADD(s_2, q4), RL_PLANE_STEP RL_PLANE_STORE_ROWS);
    } else {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_FOUR, "", "", RL_PLANE_MULTIPLY(s_0, q1) RL_PLANE_MULTIPLY(s_2, q3),
                       RL_PLANE_ADD(s_0, q2) RL_PLANE_ADD(s_2, q4), RL_PLANE_STEP RL_PLANE_STORE_ROWS);
    }
}

// The same for one row of outputs.
static inline void rl_plane_one_row(struct rl_plane_lines *lines, bool more)
{
    if (more) {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_TWO, RL_PLANE_LOAD_SUM, "", RL_PLANE_ADD(s_0, q1), RL_PLANE_ADD(s_0, q2),
                       RL_PLANE_STEP RL_PLANE_STORE);
    } else {
        RL_PLANE_LOOPS(RL_PLANE_LOAD_TWO, "", "", RL_PLANE_MULTIPLY(s_0, q1), RL_PLANE_ADD(s_0, q2),
                       RL_PLANE_STEP RL_PLANE_STORE);
    }
}

static inline struct rl_plane_lines rl_plane_lines_of(struct rl_plane_block *b, int32_t columns, int32_t step)
{
    const bool one_vector = b->window == 16;
    const int32_t channels = one_vector ? 2 : 1; // channels of a line
    const bool pairs = one_vector && b->rows == 1 && step == RL_PLANE_USUAL_STEP;
    const int32_t rounds = pairs ? (columns + 1) / 2 : columns;
    const int32_t computed = pairs ? 2 * rounds : columns;
    return (struct rl_plane_lines){
        .x_0 = b->planes,
        .x_1 = b->planes + (one_vector ? b->bytes : 16),
        .sums = b->sums,
        .sums_1 = b->sums + b->sums_row,
        .rounds = rounds,
        .step = step,
        .next_x = channels * b->bytes - computed * step,
        .next_sums = 4 * (channels - computed * RL_PLANE_CHANNELS),
        .next_weights = one_vector ? 32 : b->window,
    };
}

// Computes the sums of a line of outputs for each of b->rows rows. `weights` are for the ring's current position.
static inline void rl_plane_sum(const struct rl_plane_block *b, struct rl_plane_lines *lines, const int8_t *weights)
{
    lines->weights = weights;
    lines->end = weights + b->weight_bytes;
    if (b->window == 16) {
        if (b->rows == 2) {
            rl_plane_two_channels_two_rows(lines);
        } else {
            rl_plane_two_channels(lines);
        }
        return;
    }
    struct rl_plane_lines part = *lines;
    for (int32_t i = 0; i < b->window; i += 32) {
        part.weights = weights + i;
        if (b->rows == 2) {
            rl_plane_two_rows(&part, i > 0);
        } else {
            rl_plane_one_row(&part, i > 0);
        }
        part.x_0 += 32, part.x_1 += 32, part.end += 32;
    }
}

#endif
