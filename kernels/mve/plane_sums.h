// SPDX-License-Identifier: Apache-2.0
// Sums of depthwise windows along a line, in assembler: compilers neither pair the stores nor keep the order
// in which loads and products overlap. See mve/plane_nest.h for the form of planes and weights.
#ifndef RL_KERNELS_MVE_PLANE_SUMS_H
#define RL_KERNELS_MVE_PLANE_SUMS_H

#include <arm_mve.h>

#include "mve/plane_block.h"

// A line: two runs of windows, of two channels, or of the halves of the windows of one channel.
struct rl_plane_line {
    const int8_t *x_0;
    const int8_t *x_1;
    const int8_t *weights; // of x_0, of x_1; then those of the second row
    int32_t columns;       // at least 1
    int32_t step;          // bytes from one window to the next
    int32_t *sums;
};

// One round for each column; `next` stands between the address of a load and the end of its line, and may
// advance it.
// clang-format off
#define RL_PLANE_LOOP(before, next, products_0, products_1, after) \
    do { \
        const int8_t *x_0 = line->x_0, *x_1 = line->x_1; \
        int32_t *sums = line->sums; \
        int32_t sum_0, sum_1, sum_2, sum_3; \
        int8x16_t x; \
        __asm__ volatile("dls lr, %[columns]\n" \
                         "1:\n" \
                         before \
                         "vldrb.s8 %q[x], [%[x_0]]" next "\n" \
                         products_0 \
                         "vldrb.s8 %q[x], [%[x_1]]" next "\n" \
                         products_1 \
                         after \
                         "le lr, 1b\n" \
                         : [x] "=&w"(x), [s_0] "=&Te"(sum_0), [s_1] "=&Te"(sum_1), [s_2] "=&Te"(sum_2), \
                           [s_3] "=&Te"(sum_3), [x_0] "+&r"(x_0), [x_1] "+&r"(x_1), [sums] "+&r"(sums) \
                         : [columns] "r"(line->columns), [step] "r"(line->step), \
                           [row] "i"(4 * RL_PLANE_SUMS_ROW), [w_0] "w"(w_0), [w_1] "w"(w_1), [w_2] "w"(w_2), \
                           [w_3] "w"(w_3) \
                         : "lr", "memory"); \
    } while (false)
#define RL_PLANE_MULTIPLY(sum, w) "vmladav.s8 %[" #sum "], %q[x], %q[" #w "]\n"
#define RL_PLANE_ADD(sum, w)      "vmladava.s8 %[" #sum "], %q[x], %q[" #w "]\n"
#define RL_PLANE_STEP             "add %[x_0], %[x_0], %[step]\n" "add %[x_1], %[x_1], %[step]\n"
#define RL_PLANE_STORE_PAIR       "strd %[s_0], %[s_1], [%[sums]], #32\n"
#define RL_PLANE_STORE_PAIRS      "strd %[s_2], %[s_3], [%[sums], %[row]]\n" RL_PLANE_STORE_PAIR
#define RL_PLANE_LOAD             "ldr %[s_0], [%[sums]]\n"
#define RL_PLANE_LOAD_ROWS        "ldr %[s_2], [%[sums], %[row]]\n" RL_PLANE_LOAD
#define RL_PLANE_STORE            "str %[s_0], [%[sums]], #32\n"
#define RL_PLANE_STORE_ROWS       "str %[s_2], [%[sums], %[row]]\n" RL_PLANE_STORE
// clang-format on

// Two channels and rows of outputs.
static inline void rl_plane_two_channels_two_rows(const struct rl_plane_line *line)
{
    const int8x16_t w_0 = vldrbq_s8(line->weights), w_2 = vldrbq_s8(line->weights + 16);
    const int8x16_t w_1 = vldrbq_s8(line->weights + 32), w_3 = vldrbq_s8(line->weights + 48);
    if (line->step == 4) {
        RL_PLANE_LOOP("", ", #4", RL_PLANE_MULTIPLY(s_0, w_0) RL_PLANE_MULTIPLY(s_2, w_2),
                      RL_PLANE_MULTIPLY(s_1, w_1) RL_PLANE_MULTIPLY(s_3, w_3), RL_PLANE_STORE_PAIRS);
    } else {
        RL_PLANE_LOOP("", "", RL_PLANE_MULTIPLY(s_0, w_0) RL_PLANE_MULTIPLY(s_2, w_2),
                      RL_PLANE_MULTIPLY(s_1, w_1) RL_PLANE_MULTIPLY(s_3, w_3),
                      RL_PLANE_STEP RL_PLANE_STORE_PAIRS);
    }
}

// Two channels, one row.
static inline void rl_plane_two_channels(const struct rl_plane_line *line, int32_t channel_bytes)
{
    const int8x16_t w_0 = vldrbq_s8(line->weights), w_2 = w_0;
    const int8x16_t w_1 = vldrbq_s8(line->weights + channel_bytes), w_3 = w_1;
    if (line->step == 8) {
        RL_PLANE_LOOP("", ", #8", RL_PLANE_MULTIPLY(s_0, w_0), RL_PLANE_MULTIPLY(s_1, w_1),
                      RL_PLANE_STORE_PAIR);
    } else {
        RL_PLANE_LOOP("", "", RL_PLANE_MULTIPLY(s_0, w_0), RL_PLANE_MULTIPLY(s_1, w_1),
                      RL_PLANE_STEP RL_PLANE_STORE_PAIR);
    }
}

// 32 bytes of the window of one channel, for two rows of outputs; `more` adds to the sums that are there.
static inline void rl_plane_two_rows(const struct rl_plane_line *line, int32_t window, bool more)
{
    const int8x16_t w_0 = vldrbq_s8(line->weights), w_1 = vldrbq_s8(line->weights + 16);
    const int8x16_t w_2 = vldrbq_s8(line->weights + window), w_3 = vldrbq_s8(line->weights + window + 16);
    if (more) {
        RL_PLANE_LOOP(RL_PLANE_LOAD_ROWS, "", RL_PLANE_ADD(s_0, w_0) RL_PLANE_ADD(s_2, w_2),
                      RL_PLANE_ADD(s_0, w_1) RL_PLANE_ADD(s_2, w_3), RL_PLANE_STEP RL_PLANE_STORE_ROWS);
    } else {
        RL_PLANE_LOOP("", "", RL_PLANE_MULTIPLY(s_0, w_0) RL_PLANE_MULTIPLY(s_2, w_2),
                      RL_PLANE_ADD(s_0, w_1) RL_PLANE_ADD(s_2, w_3), RL_PLANE_STEP RL_PLANE_STORE_ROWS);
    }
}

// The same for one row.
static inline void rl_plane_one_row(const struct rl_plane_line *line, bool more)
{
    const int8x16_t w_0 = vldrbq_s8(line->weights), w_2 = w_0;
    const int8x16_t w_1 = vldrbq_s8(line->weights + 16), w_3 = w_1;
    if (more) {
        RL_PLANE_LOOP(RL_PLANE_LOAD, "", RL_PLANE_ADD(s_0, w_0), RL_PLANE_ADD(s_0, w_1),
                      RL_PLANE_STEP RL_PLANE_STORE);
    } else {
        RL_PLANE_LOOP("", "", RL_PLANE_MULTIPLY(s_0, w_0), RL_PLANE_ADD(s_0, w_1),
                      RL_PLANE_STEP RL_PLANE_STORE);
    }
}

// Windows of one vector: the sums of `rows` rows of outputs. `weights` are those of the ring as it stands.
static void rl_plane_sum_vectors(struct rl_plane_block *b, int32_t rows, struct rl_plane_line line)
{
    const int32_t channel_bytes = b->rows * 16; // of weights
    line.x_0 = b->planes;
    line.sums = b->sums;
    for (int32_t pair = RL_PLANE_CHANNELS / 2; pair > 0; pair--) {
        line.x_1 = line.x_0 + b->bytes;
        if (rows == 2) {
            rl_plane_two_channels_two_rows(&line);
        } else {
            rl_plane_two_channels(&line, channel_bytes);
        }
        line.x_0 += 2 * b->bytes;
        line.weights += 2 * channel_bytes;
        line.sums += 2;
    }
}

// The same for windows of several vectors.
static void rl_plane_sum_windows(struct rl_plane_block *b, int32_t rows, struct rl_plane_line line)
{
    const int8_t *plane = b->planes;
    const int8_t *weights = line.weights;
    for (int32_t channel = 0; channel < RL_PLANE_CHANNELS; channel++) {
        line.sums = b->sums + channel;
        for (int32_t i = 0; i < b->window; i += 32) {
            line.x_0 = plane + i;
            line.x_1 = line.x_0 + 16;
            line.weights = weights + i;
            if (rows == 2) {
                rl_plane_two_rows(&line, b->window, i > 0);
            } else {
                rl_plane_one_row(&line, i > 0);
            }
        }
        plane += b->bytes;
        weights += b->rows * b->window;
    }
}

#endif
