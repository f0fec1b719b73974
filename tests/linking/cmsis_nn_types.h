// SPDX-License-Identifier: Apache-2.0
//
// The fields of the types as a user of CMSIS-NN knows them (header of July 2026): name, type and order,
// because code fills them by name and by position.
#ifndef RL_TESTS_CMSIS_NN_TYPES_H
#define RL_TESTS_CMSIS_NN_TYPES_H

#include <stddef.h>

// A function cannot ask for a type, so these are macros.
#define FIRST_FIELD(structure, field, type)                                                                            \
    _Static_assert(offsetof(structure, field) == 0 && _Generic(((structure *)0)->field, type: 1, default: 0),          \
                   #structure)
#define NEXT_FIELD(structure, before, field, type)                                                                     \
    _Static_assert(offsetof(structure, before) < offsetof(structure, field) &&                                         \
                       _Generic(((structure *)0)->field, type: 1, default: 0),                                         \
                   #structure)

FIRST_FIELD(cmsis_nn_tile, w, int32_t);
NEXT_FIELD(cmsis_nn_tile, w, h, int32_t);

FIRST_FIELD(cmsis_nn_context, buf, void *);
NEXT_FIELD(cmsis_nn_context, buf, size, int32_t);

FIRST_FIELD(cmsis_nn_bias_data, data, const void *);
NEXT_FIELD(cmsis_nn_bias_data, data, is_int32_bias, bool);

FIRST_FIELD(cmsis_nn_dims, n, int32_t);
NEXT_FIELD(cmsis_nn_dims, n, h, int32_t);
NEXT_FIELD(cmsis_nn_dims, h, w, int32_t);
NEXT_FIELD(cmsis_nn_dims, w, c, int32_t);

FIRST_FIELD(cmsis_nn_lstm_dims, max_time, int32_t);
NEXT_FIELD(cmsis_nn_lstm_dims, max_time, num_inputs, int32_t);
NEXT_FIELD(cmsis_nn_lstm_dims, num_inputs, num_batches, int32_t);
NEXT_FIELD(cmsis_nn_lstm_dims, num_batches, num_outputs, int32_t);

FIRST_FIELD(cmsis_nn_per_channel_quant_params, multiplier, int32_t *);
NEXT_FIELD(cmsis_nn_per_channel_quant_params, multiplier, shift, int32_t *);

FIRST_FIELD(cmsis_nn_per_tensor_quant_params, multiplier, int32_t);
NEXT_FIELD(cmsis_nn_per_tensor_quant_params, multiplier, shift, int32_t);

FIRST_FIELD(cmsis_nn_quant_params, multiplier, int32_t *);
NEXT_FIELD(cmsis_nn_quant_params, multiplier, shift, int32_t *);
NEXT_FIELD(cmsis_nn_quant_params, shift, is_per_channel, int32_t);

FIRST_FIELD(cmsis_nn_activation, min, int32_t);
NEXT_FIELD(cmsis_nn_activation, min, max, int32_t);

FIRST_FIELD(cmsis_nn_conv_params, input_offset, int32_t);
NEXT_FIELD(cmsis_nn_conv_params, input_offset, output_offset, int32_t);
NEXT_FIELD(cmsis_nn_conv_params, output_offset, stride, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_conv_params, stride, padding, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_conv_params, padding, dilation, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_conv_params, dilation, activation, cmsis_nn_activation);

FIRST_FIELD(cmsis_nn_transpose_conv_params, input_offset, int32_t);
NEXT_FIELD(cmsis_nn_transpose_conv_params, input_offset, output_offset, int32_t);
NEXT_FIELD(cmsis_nn_transpose_conv_params, output_offset, stride, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_transpose_conv_params, stride, padding, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_transpose_conv_params, padding, padding_offsets, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_transpose_conv_params, padding_offsets, dilation, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_transpose_conv_params, dilation, activation, cmsis_nn_activation);

FIRST_FIELD(cmsis_nn_dw_conv_params, input_offset, int32_t);
NEXT_FIELD(cmsis_nn_dw_conv_params, input_offset, output_offset, int32_t);
NEXT_FIELD(cmsis_nn_dw_conv_params, output_offset, ch_mult, int32_t);
NEXT_FIELD(cmsis_nn_dw_conv_params, ch_mult, stride, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_dw_conv_params, stride, padding, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_dw_conv_params, padding, dilation, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_dw_conv_params, dilation, activation, cmsis_nn_activation);

FIRST_FIELD(cmsis_nn_pool_params, stride, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_pool_params, stride, padding, cmsis_nn_tile);
NEXT_FIELD(cmsis_nn_pool_params, padding, activation, cmsis_nn_activation);

FIRST_FIELD(cmsis_nn_fc_params, input_offset, int32_t);
NEXT_FIELD(cmsis_nn_fc_params, input_offset, filter_offset, int32_t);
NEXT_FIELD(cmsis_nn_fc_params, filter_offset, output_offset, int32_t);
NEXT_FIELD(cmsis_nn_fc_params, output_offset, activation, cmsis_nn_activation);

FIRST_FIELD(cmsis_nn_bmm_params, adj_x, bool);
NEXT_FIELD(cmsis_nn_bmm_params, adj_x, adj_y, bool);
NEXT_FIELD(cmsis_nn_bmm_params, adj_y, fc_params, cmsis_nn_fc_params);

FIRST_FIELD(cmsis_nn_transpose_params, num_dims, int32_t);
NEXT_FIELD(cmsis_nn_transpose_params, num_dims, permutations, const uint32_t *);

FIRST_FIELD(cmsis_nn_svdf_params, rank, int32_t);
NEXT_FIELD(cmsis_nn_svdf_params, rank, input_offset, int32_t);
NEXT_FIELD(cmsis_nn_svdf_params, input_offset, output_offset, int32_t);
NEXT_FIELD(cmsis_nn_svdf_params, output_offset, input_activation, cmsis_nn_activation);
NEXT_FIELD(cmsis_nn_svdf_params, input_activation, output_activation, cmsis_nn_activation);

FIRST_FIELD(cmsis_nn_softmax_lut_s16, exp_lut, const int16_t *);
NEXT_FIELD(cmsis_nn_softmax_lut_s16, exp_lut, one_by_one_lut, const int16_t *);

FIRST_FIELD(cmsis_nn_scaling, multiplier, int32_t);
NEXT_FIELD(cmsis_nn_scaling, multiplier, shift, int32_t);

FIRST_FIELD(cmsis_nn_lstm_gate, input_multiplier, int32_t);
NEXT_FIELD(cmsis_nn_lstm_gate, input_multiplier, input_shift, int32_t);
NEXT_FIELD(cmsis_nn_lstm_gate, input_shift, input_weights, const void *);
NEXT_FIELD(cmsis_nn_lstm_gate, input_weights, input_effective_bias, const void *);
NEXT_FIELD(cmsis_nn_lstm_gate, input_effective_bias, hidden_multiplier, int32_t);
NEXT_FIELD(cmsis_nn_lstm_gate, hidden_multiplier, hidden_shift, int32_t);
NEXT_FIELD(cmsis_nn_lstm_gate, hidden_shift, hidden_weights, const void *);
NEXT_FIELD(cmsis_nn_lstm_gate, hidden_weights, hidden_effective_bias, const void *);
NEXT_FIELD(cmsis_nn_lstm_gate, hidden_effective_bias, bias, const void *);
NEXT_FIELD(cmsis_nn_lstm_gate, bias, activation_type, arm_nn_activation_type);

FIRST_FIELD(cmsis_nn_lstm_params, time_major, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, time_major, batch_size, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, batch_size, time_steps, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, time_steps, input_size, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, input_size, hidden_size, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, hidden_size, input_offset, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, input_offset, forget_to_cell_multiplier, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, forget_to_cell_multiplier, forget_to_cell_shift, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, forget_to_cell_shift, input_to_cell_multiplier, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, input_to_cell_multiplier, input_to_cell_shift, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, input_to_cell_shift, cell_clip, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, cell_clip, cell_scale_power, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, cell_scale_power, output_multiplier, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, output_multiplier, output_shift, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, output_shift, output_offset, int32_t);
NEXT_FIELD(cmsis_nn_lstm_params, output_offset, forget_gate, cmsis_nn_lstm_gate);
NEXT_FIELD(cmsis_nn_lstm_params, forget_gate, input_gate, cmsis_nn_lstm_gate);
NEXT_FIELD(cmsis_nn_lstm_params, input_gate, cell_gate, cmsis_nn_lstm_gate);
NEXT_FIELD(cmsis_nn_lstm_params, cell_gate, output_gate, cmsis_nn_lstm_gate);

FIRST_FIELD(cmsis_nn_lstm_context, temp1, void *);
NEXT_FIELD(cmsis_nn_lstm_context, temp1, temp2, void *);
NEXT_FIELD(cmsis_nn_lstm_context, temp2, cell_state, void *);
NEXT_FIELD(cmsis_nn_lstm_context, cell_state, hidden_state, void *);

_Static_assert(ARM_CMSIS_NN_SUCCESS == 0 && ARM_CMSIS_NN_ARG_ERROR == -1 && ARM_CMSIS_NN_NO_IMPL_ERROR == -2 &&
                   ARM_CMSIS_NN_FAILURE == -3,
               "status codes");
_Static_assert(ARM_SIGMOID == 0 && ARM_TANH == 1, "activation types");
_Static_assert(NN_Q31_MAX == 2147483647 && NN_Q15_MIN == -32768 && NN_Q7_MAX == 127, "limits");

#endif
