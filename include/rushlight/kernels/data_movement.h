// SPDX-License-Identifier: Apache-2.0
//
// Padding, transposition and concatenation of int8 tensors. Input and output must not overlap. No scratch is used.
#ifndef RUSHLIGHT_KERNELS_DATA_MOVEMENT_H
#define RUSHLIGHT_KERNELS_DATA_MOVEMENT_H

#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Surrounds a tensor with a constant. The output has before + input + after elements in each dimension. All sizes are 0
// or more.
struct rl_pad {
    struct rl_image input;
    struct rl_image before;
    struct rl_image after;
    int8_t value; // usually the zero point
};

void rl_pad_run(const struct rl_pad *layer, const int8_t *input, int8_t *output);

// Permutes the dimensions of a tensor: dimension i of the output is dimension permutation[i] of the input.
struct rl_transpose {
    int32_t rank;            // 1..4
    int32_t sizes[4];        // of the input; `rank` of them are read
    uint32_t permutation[4]; // `rank` of them are read

    // Filled in by rl_transpose_prepare: the axes of the output from outermost to innermost, each with its step in the
    // input. Neighbours that belong together are one axis; axes that are not needed come first and have one element.
    int32_t axis[4];
    int32_t step[4];
};

// RL_ERROR_ARGUMENT when `permutation` names a dimension that does not exist, or names one twice.
enum rl_status rl_transpose_prepare(struct rl_transpose *layer);

void rl_transpose_run(const struct rl_transpose *layer, const int8_t *input, int8_t *output);

// Copies one of the inputs of a concatenation to its place in the output: `runs` runs of `run` elements, dense in the
// input, `stride` apart in the output. `output` is where the first of them goes.
struct rl_concatenation {
    uint32_t runs;
    uint32_t run;
    uint32_t stride;
};

void rl_concatenation_run(const struct rl_concatenation *layer, const int8_t *input, int8_t *output);

// Copies rows of elements between places with any steps, in elements: to[r * to_row + c * to_column] =
// from[r * from_row + c * from_column]. Fast where columns are dense on both sides (runs of bytes, of elements of any
// type), and where columns are dense on one side and rows on the other (a transposed matrix).
struct rl_move {
    int32_t rows;
    int32_t columns;
    int32_t to_row, to_column;
    int32_t from_row, from_column;
};

void rl_move_run(const struct rl_move *move, const int8_t *from, int8_t *to);

#ifdef __cplusplus
}
#endif

#endif
