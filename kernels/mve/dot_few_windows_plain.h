// SPDX-License-Identifier: Apache-2.0
// The part of a window that lies on the input times groups of four int8 filters: dot_few_windows.h in C.
#ifndef RL_KERNELS_MVE_DOT_FEW_WINDOWS_PLAIN_H
#define RL_KERNELS_MVE_DOT_FEW_WINDOWS_PLAIN_H

#include <stdint.h>

// The assembler relies on the order of the fields.
struct rl_few_windows {
    const int8_t *input;
    const int8_t *filter; // of the first group
    int32_t run;          // values of a line
    int32_t lines;
    int32_t input_back;  // from the end of a line's whole vectors to the next line
    int32_t filter_back; // the same in a filter
    int32_t depth;       // from a filter to the next
    int32_t offset;
    int32_t start; // what the loop adds too much, to be taken away: -128 * lines * run * offset
    int32_t *sums;
    int32_t groups; // at least 1
};

// sums[c] = sum of (input + offset) * filter_c over all lines.
static inline void rl_dot_few_windows_plain(const struct rl_few_windows *w)
{
    const int32_t vectors = (w->run + 15) & ~15;
    for (int32_t channel = 0; channel < 4 * w->groups; channel++) {
        const int8_t *input = w->input, *filter = w->filter + channel * w->depth;
        w->sums[channel] = w->start + 128 * w->lines * w->run * w->offset;
        for (int32_t line = 0; line < w->lines; line++) {
            for (int32_t k = 0; k < w->run; k++) {
                w->sums[channel] += (input[k] + w->offset) * filter[k];
            }
            input += vectors + w->input_back;
            filter += vectors + w->filter_back;
        }
    }
}

#endif
