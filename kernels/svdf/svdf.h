// SPDX-License-Identifier: Apache-2.0
// What the two state types of SVDF share.
#ifndef RL_KERNELS_SVDF_SVDF_H
#define RL_KERNELS_SVDF_SVDF_H

#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_types.h"
#include "requantize.h"

struct rl_svdf {
    const cmsis_nn_svdf_params *params;
    const cmsis_nn_per_tensor_quant_params *input_quant;
    const cmsis_nn_per_tensor_quant_params *output_quant;
    const int32_t *bias; // may be NULL
    int32_t batches;
    int32_t input_size;
    int32_t features;
    int32_t time;
};

static inline bool rl_svdf_has_shape(const struct rl_svdf *s)
{
    return s->input_size >= 0 && s->time >= 1 && s->params->rank >= 1;
}

static inline int32_t rl_svdf_units(const struct rl_svdf *s)
{
    return s->features / s->params->rank;
}

// A new activation from the sum over the input.
static inline int32_t rl_svdf_activation(const struct rl_svdf *s, int32_t sum)
{
    const int32_t scaled = rl_requantize(sum, s->input_quant->multiplier, s->input_quant->shift);
    return rl_clamp_s32(scaled, s->params->input_activation.min, s->params->input_activation.max);
}

// An output from the sum over the state, bias included.
static inline int8_t rl_svdf_output(const struct rl_svdf *s, int32_t sum)
{
    const int32_t scaled = rl_requantize(sum, s->output_quant->multiplier, s->output_quant->shift);
    const cmsis_nn_activation *limits = &s->params->output_activation;
    return (int8_t)rl_clamp_s32(scaled + s->params->output_offset, limits->min, limits->max);
}

#endif
