// SPDX-License-Identifier: Apache-2.0
// A convolution or depthwise convolution of int8 activations with int8 or int4 weights: random operands, and what the
// definition gives.
#ifndef RL_TESTS_KERNELS_REFERENCE_LAYER_H
#define RL_TESTS_KERNELS_REFERENCE_LAYER_H

#include "reference_convolution.h"
#include "rushlight/kernels/convolution.h"

struct reference_layer {
    struct reference_convolution shape; // filled by the test, except for values and weights
    cmsis_nn_per_channel_quant_params quant;
    int32_t input_offset, output_offset;
    cmsis_nn_activation limits;
    cmsis_nn_dims filter_dims, bias_dims;
    int8_t *input, *filter, *output, *expected; // filter: packed when it is int4
    int32_t *bias;                              // may be NULL
};

// The signatures of all their entries; arm_convolve_s8 has one argument more.
typedef arm_cmsis_nn_status convolve_function(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                              const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                              const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                              const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
typedef arm_cmsis_nn_status depthwise_function(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                               const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                               const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                               const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);

enum reference_weights { INT8_WEIGHTS, SMALL_WEIGHTS, INT4_WEIGHTS }; // small: int8 far below 127

// Begins the case of a layer whose shape is known, fills it and computes what is expected.
void reference_layer_prepare(struct rl_case *c, enum reference_weights weights, bool has_bias,
                             struct reference_layer *l);

// Makes all scales ones that prepacked and transformed weights allow, and computes what is expected then.
void reference_layer_fit_scales(struct reference_layer *l);

// The layer as rushlight/kernels/ takes it, not prepared.
struct rl_convolution reference_layer_kernel(const struct reference_layer *l, enum rl_convolution_type type);

cmsis_nn_conv_params reference_layer_convolution(const struct reference_layer *l);
cmsis_nn_dw_conv_params reference_layer_depthwise(const struct reference_layer *l);

// Run a function with `scratch` bytes, compare and end the case.
void reference_layer_convolve(struct rl_case *c, const struct reference_layer *l, convolve_function *function,
                              int32_t scratch);
void reference_layer_convolve_depthwise(struct rl_case *c, const struct reference_layer *l,
                                        depthwise_function *function, int32_t scratch);
void reference_layer_check(struct rl_case *c, const struct reference_layer *l, arm_cmsis_nn_status status);

#endif
