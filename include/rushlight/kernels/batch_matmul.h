// SPDX-License-Identifier: Apache-2.0
//
// Batched products of matrices, int8 or int16 on both sides. The right matrix of each product is transposed.
//
//     output[r][c] = clamp(requantize(sum_k (left[r][k] + left_offset) * (right[c][k] + right_offset)) + output_offset)
//
// Sums of int8 are int32 and exact up to a depth of 2^15. Those of int16 have 64 bits; there the offsets are not read,
// the multiplier is used with 16 bits (rl_requantize_s64 in kernels/requantize.h) and the shift is at most 14.
#ifndef RUSHLIGHT_KERNELS_BATCH_MATMUL_H
#define RUSHLIGHT_KERNELS_BATCH_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_batch_matmul {
    // Set from the model. n and h count matrices, w the rows of a matrix, c the values of a row. n and h of `left` and
    // `right` equal those of the output, or are 1: then one matrix serves all. right.w equals output.c; left.c equals
    // right.c and is not read.
    struct rl_image left;
    struct rl_image right;
    struct rl_image output;
    int32_t left_offset;   // -127..128
    int32_t right_offset;  // -127..128
    int32_t output_offset; // -128..127
    struct rl_scale scale;
    struct rl_range range;

    // Filled in by rl_batch_matmul_prepare: the distance from one matrix to the next in elements, 0 where one matrix
    // serves all.
    struct rl_extent left_step; // .h along h, .w along n
    struct rl_extent right_step;
};

// Call it once the model's part is set, before any run. RL_ERROR_ARGUMENT: the batches do not match.
enum rl_status rl_batch_matmul_prepare(struct rl_batch_matmul *layer);

// Returns the bytes of scratch, aligned to 4, with which int8 products run best: 4 for each column on Helium, else
// none. CMSIS-NN announces the same. int16 products use none.
int32_t rl_batch_matmul_scratch(const struct rl_batch_matmul *layer, enum rl_isa isa);

// The output must not overlap the inputs or the scratch. With less scratch Helium takes a few columns at a time.
void rl_batch_matmul_run(const struct rl_batch_matmul *layer, const int8_t *left, const int8_t *right, int8_t *output,
                         struct rl_scratch scratch);
void rl_batch_matmul_s16_run(const struct rl_batch_matmul *layer, const int16_t *left, const int16_t *right,
                             int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
