// SPDX-License-Identifier: Apache-2.0
// One int8 row times groups of four int8 filters: dot_1x4.h in C.
#ifndef RL_KERNELS_MVE_DOT_1X4_PLAIN_H
#define RL_KERNELS_MVE_DOT_1X4_PLAIN_H

#include <stddef.h>
#include <stdint.h>

// The assembler knows the order of the fields.
struct rl_dot_1x4 {
    const int8_t *row;
    const int8_t *filter; // of the first group
    int32_t depth;
    int32_t start;
    int32_t *sums;
    int32_t *end;   // at least one group behind `sums`
    int32_t offset; // of the row; 0 for rl_dot_1x4_run
};

// sums[c] = start + sum_k (row[k] + offset) * filter_c[k].
static inline void rl_dot_1x4_plain(const struct rl_dot_1x4 *job)
{
    const int8_t *filter = job->filter;
    for (int32_t *sum = job->sums; sum != job->end; sum++, filter += job->depth) {
        *sum = job->start;
        for (int32_t k = 0; k < job->depth; k++) {
            *sum += (job->row[k] + job->offset) * filter[k];
        }
    }
}

#endif
