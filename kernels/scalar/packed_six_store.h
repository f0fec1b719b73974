// SPDX-License-Identifier: Apache-2.0
// Sums to int8 for a Cortex-M0, some rows or positions of a channel after the other, so that the channel's scale is
// taken apart once. The loops are those of convolution/packed_six_store.c. packed_store_plain.h is the same in C.
#ifndef RL_KERNELS_SCALAR_PACKED_SIX_STORE_H
#define RL_KERNELS_SCALAR_PACKED_SIX_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"
#include "scalar/rescale_thumb.h"

// The assembler relies on the order.
struct rl_packed_store {
    const int32_t *sums;
    int8_t *output;
    ptrdiff_t stride;   // bytes from an output of a row to that of the next row
    int32_t low, range; // the upper limit less the lower one
    const struct rl_rescale *scale;
    int32_t next_sums;   // bytes from behind the last sum of a channel to the first one of the next
    int32_t next_output; // the same for outputs
    const int32_t *end;  // where the sums of one more channel would be; there is at least one channel
    uint32_t rows;       // twice the even number that is not below that of rows, of which there is one at least, plus 1
                         // if the two differ
    int32_t step;        // bytes: see the two functions
    int32_t addend;      // of RL_QUICK
};

// Scales, limits and stores sums that are at most 2^29 in magnitude. The sums of a channel follow each other; scales
// are `step` bytes apart, or there is one for all channels.
void rl_packed_store_run(struct rl_packed_store *job);

// The same where the sums of a row follow each other, `step` bytes from those of the next row.
void rl_rows_store_run(struct rl_packed_store *job);

// What both have in common, for `rows` >= 1 rows.
static inline struct rl_packed_store rl_packed_store_of(const struct rl_rescale *scale, int32_t min, int32_t max,
                                                        const int32_t *sums, int32_t rows, int8_t *output,
                                                        ptrdiff_t stride)
{
    const int32_t low = rl_max_s32(min, INT8_MIN), high = rl_min_s32(max, INT8_MAX);
    return (struct rl_packed_store){
        .sums = sums,
        .output = output,
        .stride = stride,
        .low = low,
        .range = high - low,
        .scale = scale,
        .next_output = 1 - rows * (int32_t)stride,
        .rows = (uint32_t)(((rows + 1) & ~1) * 2 + (rows & 1)),
        .addend = RL_QUICK_ADDEND(scale->addend >> scale->right_shift, low), // small code does not read it
    };
}

// Stores `channels` >= 1 sums of each row, from `sums` on and `step` bytes from one row to the next. Outputs of rows
// are `stride` apart, and all channels have the offset of the first one.
static inline void rl_rows_store(const struct rl_rescale *scale, int32_t min, int32_t max, int32_t channels,
                                 const int32_t *sums, int32_t step, int32_t rows, int8_t *output, ptrdiff_t stride)
{
    struct rl_packed_store job = rl_packed_store_of(scale, min, max, sums, rows, output, stride);
    job.next_sums = (int32_t)sizeof *sums - rows * step;
    job.end = sums + channels;
    job.step = step;
    rl_rows_store_run(&job);
}

#endif
