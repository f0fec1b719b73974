// SPDX-License-Identifier: Apache-2.0
// Three neighbouring outputs of a convolution, with windows read in place from the input: dot_slide.h in C.
#ifndef RL_KERNELS_MVE_DOT_SLIDE_PLAIN_H
#define RL_KERNELS_MVE_DOT_SLIDE_PLAIN_H

#include "mve/dot_rows_plain.h"

// The windows. The assembler relies on the order of the fields.
struct rl_windows {
    const int8_t *near; // RL_WINDOW_NEAR values into the first row
    const struct rl_filters *filters;
    ptrdiff_t line_bytes; // from one row to the next
    int32_t lines;        // rows of the windows; `filter` is at the first of the filters' rows that they have
    int32_t *sums;
};

enum { RL_WINDOW_NEAR = 64 };

// Writes the sum of each window with each filter to the same places as rl_dot_rows_plain. Windows are `pixel` bytes
// apart. A line of a window is three pixels long.
static inline void rl_dot_slide_plain(const void *argument, int32_t pixel)
{
    const struct rl_windows *windows = argument;
    const struct rl_filters *f = windows->filters;
    const int32_t even = (f->channels + 1) & ~1;
    for (int32_t i = 0; i < 3 * even; i++) {
        const int32_t window = i / even, channel = i % even < f->channels ? i % even : f->channels - 1;
        const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
        const int8_t *line = windows->near - RL_WINDOW_NEAR + window * pixel;
        int32_t sum = 0;
        for (int32_t y = 0; y < windows->lines; y++, line += windows->line_bytes, filter += 3 * pixel) {
            for (int32_t k = 0; k < 3 * pixel; k++) {
                sum += line[k] * filter[k];
            }
        }
        windows->sums[window * RL_SUM_BLOCK + i % even] = sum;
    }
}

#endif
