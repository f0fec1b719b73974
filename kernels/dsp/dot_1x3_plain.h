// SPDX-License-Identifier: Apache-2.0
// A row of int16 times groups of three int8 filters: dot_1x3.h in C.
#ifndef RL_KERNELS_DSP_DOT_1X3_PLAIN_H
#define RL_KERNELS_DSP_DOT_1X3_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/simd_plain.h"

// Marks the end of a row. It cannot be a pair of values, because two values differ by less than 2^15.
#define RL_ROW_END UINT32_C(0x80000000)

// The assembler relies on the offsets of the fields.
struct rl_dot_1x3 {
    const uint32_t *row;  // 0: four words a step, then RL_ROW_END and a word more that may be read
    int32_t depth;        // 4: values from one filter to the next
    uint32_t skipped;     // 8: steps that the first round leaves out, 0..3
    const int32_t *start; // 12: may be `sums`
    const int32_t *end;   // 16: at least a group behind `start`
    const int8_t *filter; // 20: the first filter of the first group
    int32_t gap;          // 24: depth - 8 * steps
    int32_t *sums;        // 28
};

// sums[c] = start[c] + the dot product of the row and filter c, for whole groups of three from `start` to `end`. A row
// is steps of eight values in the pairs that SXTB16 makes of weights: values 0 and 2, 1 and 3, 4 and 6, 5 and 7.
static inline void rl_dot_1x3_plain(const struct rl_dot_1x3 *job)
{
    const ptrdiff_t count = job->end - job->start;
    for (ptrdiff_t i = 0; i < count; i++) {
        const int8_t *filter = job->filter + i * job->depth;
        int32_t sum = job->start[i];
        for (const uint32_t *words = job->row; *words != RL_ROW_END; words += 4, filter += 8) {
            sum += rl_pairs_product(words[0], words[1], filter) + rl_pairs_product(words[2], words[3], filter + 4);
        }
        job->sums[i] = sum;
    }
}

#endif
