// SPDX-License-Identifier: Apache-2.0
// Three windows of some lines, read in place, times int8 filters: dot_lines.h in C.
#ifndef RL_KERNELS_MVE_DOT_LINES_PLAIN_H
#define RL_KERNELS_MVE_DOT_LINES_PLAIN_H

#include "convolution/choice.h"
#include "mve/dot_rows_plain.h"

// Windows, whose addresses are the rows, and their outputs. The assembler relies on the order of the fields.
struct rl_window_lines {
    struct rl_three_rows rows;
    int32_t more_vectors; // whole vectors of 16 values in a line, of which there are two or more, less two
    int32_t jump;         // from behind the last whole vector of a line to the next line
    int32_t lines;        // at least 1
    int32_t rest;         // values of a line behind its whole vectors, 0 to 15
};

// Lines of `run` >= RL_CONVOLUTION_LEAST_LINE values, `line_bytes` apart.
static inline void rl_window_lines_start(struct rl_window_lines *w, int32_t run, int32_t lines, int32_t line_bytes)
{
    w->more_vectors = run / 16 - 2;
    w->jump = line_bytes - (run & ~15);
    w->lines = lines;
    w->rest = run & 15;
}

// Writes the sum of each window with each filter, of lines * run weights, to the same places as rl_dot_rows_plain.
static inline void rl_dot_lines_plain(const void *argument)
{
    const struct rl_window_lines *w = argument;
    const struct rl_filters *f = w->rows.filters;
    const int8_t *const windows[3] = {w->rows.row_0, w->rows.row_1, w->rows.row_2};
    const int32_t even = (f->channels + 1) & ~1, whole = 16 * (w->more_vectors + 2);
    for (int32_t i = 0; i < 3 * even; i++) {
        const int32_t window = i / even, channel = i % even < f->channels ? i % even : f->channels - 1;
        const int8_t *filter = f->filter + channel * f->step, *line = windows[window];
        int32_t sum = 0;
        for (int32_t y = 0; y < w->lines; y++, line += whole + w->jump) {
            for (int32_t k = 0; k < whole + w->rest; k++) {
                sum += line[k] * *filter++;
            }
        }
        w->rows.sums[window * RL_SUM_BLOCK + i % even] = sum;
    }
}

#endif
