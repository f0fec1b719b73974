// SPDX-License-Identifier: Apache-2.0
//
// Singular value decomposition filter: one step of a recurrent layer that keeps its last activations. int8 data and
// feature weights; rl_svdf_run has int8 state and time weights, rl_svdf_s16_run int16 ones.
//
// The state is [batches][features][time]. A step
// 1. moves each row of the state one place to the front,
// 2. sets the last of each row to clamp(requantize(sum_k (input[k] + input_offset) * feature_weights[feature][k])),
// 3. output[unit] = clamp(requantize(bias[unit] + sum of state * time weights over the `rank` features of the unit)
//                         + output_offset), units = features / rank.
//
// Sums are int32 and wrap; those of int16 states have 64 bits, of which the low 32 are used.
#ifndef RUSHLIGHT_KERNELS_SVDF_H
#define RUSHLIGHT_KERNELS_SVDF_H

#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_svdf {
    int32_t batches;
    int32_t input_size; // input [batches][input_size]
    int32_t features;
    int32_t time;                  // activations that are kept of a feature, at least 1
    int32_t rank;                  // features of a unit, at least 1; output [batches][features / rank]
    const int8_t *feature_weights; // [features][input_size]
    RL_EXTENSION union {
        const int8_t *time_weights;       // [features][time]
        const int16_t *wide_time_weights; // of int16 states
    };
    const int32_t *bias;   // [features / rank], or NULL for zeros
    int32_t input_offset;  // -127..128
    int32_t output_offset; // -128..127
    struct rl_scale state_scale;
    struct rl_scale scale;
    struct rl_range state_range; // within the type of the state
    struct rl_range range;
    // Optional, read by rl_svdf_run: [features], input_offset times the sum of the feature's weights, as
    // rl_fully_connected_fold computes it. It takes the place of input_offset and saves Helium some time.
    const int32_t *folded;
};

// Call it once the struct is filled in, before any run. Only checks. RL_ERROR_ARGUMENT: input_size is negative, or time
// or rank is below 1.
enum rl_status rl_svdf_prepare(struct rl_svdf *layer);

// `state` is read and written. No scratch is used.
void rl_svdf_run(const struct rl_svdf *layer, const int8_t *input, int8_t *state, int8_t *output);
void rl_svdf_s16_run(const struct rl_svdf *layer, const int8_t *input, int16_t *state, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif
