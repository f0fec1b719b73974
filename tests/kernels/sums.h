// SPDX-License-Identifier: Apache-2.0
// The sums that loops of kernels/mve write for three rows, beside those that are to be there.
#ifndef RL_TESTS_KERNELS_SUMS_H
#define RL_TESTS_KERNELS_SUMS_H

#include "mve/dot_rows_plain.h"
#include "support/kernel_test.h"

#include <string.h>

enum { SUMS = 3 * RL_SUM_BLOCK };

// Two arrays of sums, and those that are to be there.
struct sums {
    int32_t *actual, *plain, *expected;
};

static inline struct sums sums_of(struct rl_case *c)
{
    struct sums s = {rl_case_s32(c, SUMS, INT32_MIN, INT32_MAX), rl_case_s32(c, SUMS, 0, 0),
                     rl_case_s32(c, SUMS, 0, 0)};
    memcpy(s.plain, s.actual, SUMS * sizeof *s.actual);
    memcpy(s.expected, s.actual, SUMS * sizeof *s.actual);
    return s;
}

static inline void expect_sums(struct rl_case *c, const struct sums *s)
{
    rl_case_equal_s32(c, "plain sums", s->expected, s->plain, SUMS);
    rl_case_equal_s32(c, "sums", s->plain, s->actual, SUMS);
}

// The sum of a row and a channel; behind the last of an odd number of channels, once more.
static inline void expect_sum(const struct sums *s, int32_t row, int32_t channel, int32_t channels, int32_t sum)
{
    s->expected[row * RL_SUM_BLOCK + channel] = sum;
    if (channel == channels - 1 && channels % 2 != 0) {
        s->expected[row * RL_SUM_BLOCK + channels] = sum;
    }
}

#endif
