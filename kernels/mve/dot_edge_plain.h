// SPDX-License-Identifier: Apache-2.0
// Three outputs below each other, whose windows lose a column to the padding: dot_edge.h in C.
#ifndef RL_KERNELS_MVE_DOT_EDGE_PLAIN_H
#define RL_KERNELS_MVE_DOT_EDGE_PLAIN_H

#include "mve/dot_rows_plain.h"

// The windows. The assembler relies on the order of the fields.
struct rl_edge {
    const int8_t *input;              // the first of two neighbouring pixels in the upper one of five lines
    const struct rl_filters *filters; // three lines of three pixels; an even number of them, at the first pixel to use
    ptrdiff_t line_bytes;             // from one line to the next
    int32_t *sums;
};

// Writes the sum of two pixels in each of three lines of each filter, for the window that starts in line 0, 1 and 2 of
// the input, to the same places as rl_dot_rows_plain.
static inline void rl_dot_edge_plain(const void *argument, int32_t pixel)
{
    const struct rl_edge *edge = argument;
    const struct rl_filters *f = edge->filters;
    for (int32_t i = 0; i < 3 * f->channels; i++) {
        const int32_t window = i / f->channels, channel = i % f->channels;
        const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
        const int8_t *line = edge->input + window * edge->line_bytes;
        int32_t sum = 0;
        for (int32_t y = 0; y < 3; y++, line += edge->line_bytes, filter += 3 * pixel) {
            for (int32_t k = 0; k < 2 * pixel; k++) {
                sum += line[k] * filter[k];
            }
        }
        edge->sums[window * RL_SUM_BLOCK + channel] = sum;
    }
}

#endif
