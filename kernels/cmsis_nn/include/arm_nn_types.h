// SPDX-License-Identifier: Apache-2.0
// The types of CMSIS-NN's API. Names, fields, order and values are those of CMSIS-NN (July 2026, integer part), so that
// code written for it compiles and links here unchanged.
//
// Common rules for every function
// - Tensors are dense. Activations are NHWC; convolution filters are [out_ch][kh][kw][in_ch]; depthwise filters are
//   [1][kh][kw][out_ch]. int8 data needs no alignment; int16, int32 and int64 data need their natural one.
// - An "offset" is added to the stored value before it is multiplied: input offsets are minus the zero point, output
//   offsets are plus the zero point.
// - A (multiplier, shift) pair stands for the real factor multiplier / 2^31 * 2^shift. Range: multiplier 0..2^31-1,
//   shift -31..30. See kernels/requantize.h for the exact rounding.
// - Activation limits are in the quantized domain of the output and are applied last.
// - Nothing is written when a status other than success is returned.
#ifndef ARM_NN_TYPES_H
#define ARM_NN_TYPES_H

#include <stdbool.h>
#include <stdint.h>

// Non-linearities of arm_nn_activation_s16 and of the LSTM gates.
typedef enum {
    ARM_SIGMOID = 0,
    ARM_TANH = 1,
} arm_nn_activation_type;

typedef enum {
    ARM_CMSIS_NN_SUCCESS = 0,
    ARM_CMSIS_NN_ARG_ERROR = -1,     // an argument is out of range or a required buffer is NULL
    ARM_CMSIS_NN_NO_IMPL_ERROR = -2, // the combination of arguments is not supported
    ARM_CMSIS_NN_FAILURE = -3,       // the dimensions contradict each other
} arm_cmsis_nn_status;

// A pair of spatial values: stride, padding (top and left), dilation.
typedef struct {
    int32_t w;
    int32_t h;
} cmsis_nn_tile;

// Scratch memory of one call. `size` is in bytes; the function's `*_get_buffer_size` returns what is needed. The
// contents need not be initialised, and mean nothing afterwards, unless the function says otherwise. CMSIS-NN does not
// read `size`, so its callers may leave it 0, which means as much as is needed. The int8 convolutions, depthwise and
// transposed ones included, and the product of int8 matrices do read it. Given a positive size below what is needed,
// they stay within it and give the same results more slowly.
typedef struct {
    void *buf;
    int32_t size;
} cmsis_nn_context;

// Bias of int16 kernels: int32_t or int64_t elements. `data` may be NULL.
typedef struct {
    const void *data;
    const bool is_int32_bias;
} cmsis_nn_bias_data;

// Shape of a tensor. For activations n is the batch count; for filters n is the number of output channels (convolution)
// or the accumulation depth (fully connected); each function documents its use.
typedef struct {
    int32_t n;
    int32_t h;
    int32_t w;
    int32_t c;
} cmsis_nn_dims;

typedef struct {
    int32_t max_time;
    int32_t num_inputs;
    int32_t num_batches;
    int32_t num_outputs;
} cmsis_nn_lstm_dims;

// One (multiplier, shift) pair per output channel.
typedef struct {
    int32_t *multiplier;
    int32_t *shift;
} cmsis_nn_per_channel_quant_params;

// One (multiplier, shift) pair for the whole tensor.
typedef struct {
    int32_t multiplier;
    int32_t shift;
} cmsis_nn_per_tensor_quant_params;

// Multipliers and shifts: arrays of one element per output channel when is_per_channel is not 0, else of one element.
typedef struct {
    int32_t *multiplier;
    int32_t *shift;
    int32_t is_per_channel;
} cmsis_nn_quant_params;

// Inclusive limits of the output, in its quantized domain.
typedef struct {
    int32_t min;
    int32_t max;
} cmsis_nn_activation;

typedef struct {
    int32_t input_offset;  // minus the input's zero point; int8: -127..128, int16: not used
    int32_t output_offset; // the output's zero point; int8: -128..127, int16: not used
    cmsis_nn_tile stride;
    cmsis_nn_tile padding; // rows above and columns to the left; the output size implies those below and right
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_conv_params;

typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile padding_offsets;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_transpose_conv_params;

typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    int32_t ch_mult; // output channels = input channels * ch_mult
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;

typedef struct {
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_activation activation;
} cmsis_nn_pool_params;

typedef struct {
    int32_t input_offset;
    int32_t filter_offset; // minus the zero point of the weights; int16 kernels ignore it
    int32_t output_offset;
    cmsis_nn_activation activation;
} cmsis_nn_fc_params;

typedef struct {
    const bool adj_x;
    const bool adj_y;
    cmsis_nn_fc_params fc_params;
} cmsis_nn_bmm_params;

typedef struct {
    const int32_t num_dims;       // 1..4
    const uint32_t *permutations; // output axis i is input axis permutations[i]
} cmsis_nn_transpose_params;

typedef struct {
    int32_t rank;
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_activation input_activation;
    cmsis_nn_activation output_activation;
} cmsis_nn_svdf_params;

// Look-up tables of arm_softmax_s16, 513 elements each.
typedef struct {
    const int16_t *exp_lut;
    const int16_t *one_by_one_lut;
} cmsis_nn_softmax_lut_s16;

typedef struct {
    int32_t multiplier;
    int32_t shift;
} cmsis_nn_scaling;

// One gate of an LSTM. The effective biases already contain sum(weights) * offset.
typedef struct {
    int32_t input_multiplier;
    int32_t input_shift;
    const void *input_weights;
    const void *input_effective_bias;

    int32_t hidden_multiplier;
    int32_t hidden_shift;
    const void *hidden_weights;
    const void *hidden_effective_bias;

    const void *bias;
    arm_nn_activation_type activation_type;
} cmsis_nn_lstm_gate;

typedef struct {
    int32_t time_major; // 0: [batch][time][feature], otherwise [time][batch][feature]
    int32_t batch_size;
    int32_t time_steps;
    int32_t input_size;
    int32_t hidden_size;

    int32_t input_offset;

    int32_t forget_to_cell_multiplier;
    int32_t forget_to_cell_shift;
    int32_t input_to_cell_multiplier;
    int32_t input_to_cell_shift;
    int32_t cell_clip; // the cell state is limited to -cell_clip..cell_clip; 0: to int16 alone
    int32_t cell_scale_power;

    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;

    cmsis_nn_lstm_gate forget_gate;
    cmsis_nn_lstm_gate input_gate;
    cmsis_nn_lstm_gate cell_gate;
    cmsis_nn_lstm_gate output_gate;
} cmsis_nn_lstm_params;

// Buffers of an LSTM call: two of batch * hidden int16, the cell state (int16) and the hidden state (may be NULL).
typedef struct {
    void *temp1;
    void *temp2;
    void *cell_state;
    void *hidden_state;
} cmsis_nn_lstm_context;

#endif
