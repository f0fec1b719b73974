// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <string.h>

#include "reference_layer.h"

enum { SCRATCH_BYTES = 4096, CHANNELS = 32 };

static arm_cmsis_nn_status convolve(const struct call *p, convolve_function *function)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return function(&p->ctx, &p->conv, &quant, &p->input_dims, p->input, &p->filter_dims, p->filter, &p->bias_dims,
                    p->bias, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_convolve_wrapper_s8(const struct call *p)
{
    return convolve(p, arm_convolve_wrapper_s8);
}

arm_cmsis_nn_status call_convolve_s8(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return arm_convolve_s8(&p->ctx, &p->conv, &quant, &p->input_dims, p->input, &p->filter_dims, p->filter,
                           &p->bias_dims, p->bias, NULL, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_convolve_1x1_s8(const struct call *p)
{
    return convolve(p, arm_convolve_1x1_s8);
}

arm_cmsis_nn_status call_convolve_1x1_s8_fast(const struct call *p)
{
    return convolve(p, arm_convolve_1x1_s8_fast);
}

arm_cmsis_nn_status call_convolve_1_x_n_s8(const struct call *p)
{
    return convolve(p, arm_convolve_1_x_n_s8);
}

arm_cmsis_nn_status call_convolve_wrapper_s4(const struct call *p)
{
    return convolve(p, arm_convolve_wrapper_s4);
}

arm_cmsis_nn_status call_convolve_s4(const struct call *p)
{
    return convolve(p, arm_convolve_s4);
}

arm_cmsis_nn_status call_convolve_even_s4(const struct call *p)
{
    return convolve(p, arm_convolve_even_s4);
}

arm_cmsis_nn_status call_convolve_1x1_s4(const struct call *p)
{
    return convolve(p, arm_convolve_1x1_s4);
}

arm_cmsis_nn_status call_convolve_1x1_s4_fast(const struct call *p)
{
    return convolve(p, arm_convolve_1x1_s4_fast);
}

arm_cmsis_nn_status call_convolve_1_x_n_s4(const struct call *p)
{
    return convolve(p, arm_convolve_1_x_n_s4);
}

arm_cmsis_nn_status call_convolve_s16(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    const cmsis_nn_bias_data bias = {p->bias, true};
    return arm_convolve_s16(&p->ctx, &p->conv, &quant, &p->input_dims, (int16_t *)p->input, &p->filter_dims, p->filter,
                            &p->bias_dims, &bias, &p->output_dims, (int16_t *)p->output);
}

arm_cmsis_nn_status call_convolve_wrapper_s16(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    const cmsis_nn_bias_data bias = {p->bias, true};
    return arm_convolve_wrapper_s16(&p->ctx, &p->conv, &quant, &p->input_dims, (int16_t *)p->input, &p->filter_dims,
                                    p->filter, &p->bias_dims, &bias, &p->output_dims, (int16_t *)p->output);
}

static arm_cmsis_nn_status depthwise(const struct call *p, depthwise_function *function)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return function(&p->ctx, &p->depthwise, &quant, &p->input_dims, p->input, &p->filter_dims, p->filter, &p->bias_dims,
                    p->bias, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_depthwise_wrapper_s8(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_wrapper_s8);
}

arm_cmsis_nn_status call_depthwise_s8(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_s8);
}

arm_cmsis_nn_status call_depthwise_s4(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_s4);
}

arm_cmsis_nn_status call_depthwise_s8_opt(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_s8_opt);
}

arm_cmsis_nn_status call_depthwise_3x3_s8(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_3x3_s8);
}

arm_cmsis_nn_status call_depthwise_wrapper_s4(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_wrapper_s4);
}

arm_cmsis_nn_status call_depthwise_s4_opt(const struct call *p)
{
    return depthwise(p, arm_depthwise_conv_s4_opt);
}

arm_cmsis_nn_status call_depthwise_s16(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return arm_depthwise_conv_s16(&p->ctx, &p->depthwise, &quant, &p->input_dims, (int16_t *)p->input, &p->filter_dims,
                                  p->filter, &p->bias_dims, NULL, &p->output_dims, (int16_t *)p->output);
}

arm_cmsis_nn_status call_depthwise_fast_s16(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return arm_depthwise_conv_fast_s16(&p->ctx, &p->depthwise, &quant, &p->input_dims, (int16_t *)p->input,
                                       &p->filter_dims, p->filter, &p->bias_dims, NULL, &p->output_dims,
                                       (int16_t *)p->output);
}

arm_cmsis_nn_status call_depthwise_wrapper_s16(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return arm_depthwise_conv_wrapper_s16(&p->ctx, &p->depthwise, &quant, &p->input_dims, (int16_t *)p->input,
                                          &p->filter_dims, p->filter, &p->bias_dims, NULL, &p->output_dims,
                                          (int16_t *)p->output);
}

arm_cmsis_nn_status call_transpose_conv_wrapper_s8(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return arm_transpose_conv_wrapper_s8(&p->ctx, &p->second_ctx, &p->transposed, &quant, &p->input_dims, p->input,
                                         &p->filter_dims, p->filter, &p->bias_dims, p->bias, &p->output_dims,
                                         p->output);
}

arm_cmsis_nn_status call_fully_connected_s8(const struct call *p)
{
    const cmsis_nn_per_tensor_quant_params quant = {p->multiplier[0], p->shift[0]};
    return arm_fully_connected_s8(&p->ctx, &p->fully_connected, &quant, &p->input_dims, p->input, &p->filter_dims,
                                  p->filter, &p->bias_dims, p->bias, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_fully_connected_per_channel_s8(const struct call *p)
{
    const cmsis_nn_per_channel_quant_params quant = {p->multiplier, p->shift};
    return arm_fully_connected_per_channel_s8(&p->ctx, &p->fully_connected, &quant, &p->input_dims, p->input,
                                              &p->filter_dims, p->filter, &p->bias_dims, p->bias, &p->output_dims,
                                              p->output);
}

arm_cmsis_nn_status call_fully_connected_wrapper_s8(const struct call *p)
{
    const cmsis_nn_quant_params quant = {p->multiplier, p->shift, 1};
    return arm_fully_connected_wrapper_s8(&p->ctx, &p->fully_connected, &quant, &p->input_dims, p->input,
                                          &p->filter_dims, p->filter, &p->bias_dims, p->bias, &p->output_dims,
                                          p->output);
}

arm_cmsis_nn_status call_batch_matmul_s8(const struct call *p)
{
    const cmsis_nn_bmm_params params = {false, false, p->fully_connected};
    const cmsis_nn_per_tensor_quant_params quant = {p->multiplier[0], p->shift[0]};
    return arm_batch_matmul_s8(&p->ctx, &params, &quant, &p->input_dims, p->input, &p->filter_dims, p->filter,
                               &p->output_dims, p->output);
}

arm_cmsis_nn_status call_batch_matmul_s16(const struct call *p)
{
    const cmsis_nn_bmm_params params = {false, false, p->fully_connected};
    const cmsis_nn_per_tensor_quant_params quant = {p->multiplier[0], p->shift[0]};
    return arm_batch_matmul_s16(&p->ctx, &params, &quant, &p->input_dims, (int16_t *)p->input, &p->filter_dims,
                                (int16_t *)p->filter, &p->output_dims, (int16_t *)p->output);
}

arm_cmsis_nn_status call_svdf_s8(const struct call *p)
{
    const cmsis_nn_per_tensor_quant_params quant = {p->multiplier[0], p->shift[0]};
    return arm_svdf_s8(&p->ctx, &p->second_ctx, &p->third_ctx, &p->svdf, &quant, &quant, &p->input_dims, p->input,
                       &p->state_dims, p->state, &p->filter_dims, p->filter, &p->filter_dims, p->filter, &p->bias_dims,
                       p->bias, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_svdf_state_s16_s8(const struct call *p)
{
    const cmsis_nn_per_tensor_quant_params quant = {p->multiplier[0], p->shift[0]};
    return arm_svdf_state_s16_s8(&p->second_ctx, &p->third_ctx, &p->svdf, &quant, &quant, &p->input_dims, p->input,
                                 &p->state_dims, (int16_t *)p->state, &p->filter_dims, p->filter, &p->filter_dims,
                                 (int16_t *)p->filter, &p->bias_dims, p->bias, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_average_s8(const struct call *p)
{
    return arm_avgpool_s8(&p->ctx, &p->pool, &p->input_dims, p->input, &p->filter_dims, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_average_s16(const struct call *p)
{
    return arm_avgpool_s16(&p->ctx, &p->pool, &p->input_dims, (int16_t *)p->input, &p->filter_dims, &p->output_dims,
                           (int16_t *)p->output);
}

arm_cmsis_nn_status call_maximum_s8(const struct call *p)
{
    return arm_max_pool_s8(&p->ctx, &p->pool, &p->input_dims, p->input, &p->filter_dims, &p->output_dims, p->output);
}

arm_cmsis_nn_status call_maximum_s16(const struct call *p)
{
    return arm_max_pool_s16(&p->ctx, &p->pool, &p->input_dims, (int16_t *)p->input, &p->filter_dims, &p->output_dims,
                            (int16_t *)p->output);
}

arm_cmsis_nn_status call_softmax_s16(const struct call *p)
{
    return arm_softmax_s16((int16_t *)p->input, 2, 10, 1 << 30, 0, &p->tables, (int16_t *)p->output);
}

arm_cmsis_nn_status call_transpose_s8(const struct call *p)
{
    const cmsis_nn_transpose_params params = {4, p->permutation};
    return arm_transpose_s8(p->input, p->output, &p->input_dims, &p->output_dims, &params);
}

arm_cmsis_nn_status call_transpose_3_axes(const struct call *p)
{
    const cmsis_nn_transpose_params params = {3, p->permutation};
    return arm_transpose_s8(p->input, p->output, &p->input_dims, &p->output_dims, &params);
}

static void good_dims(enum kind kind, struct call *p)
{
    static const cmsis_nn_dims dims[][3] = {
        // input, filter, output
        [WINDOW] = {{1, 5, 5, 4}, {4, 3, 3, 4}, {1, 5, 5, 4}},
        [POINT] = {{1, 5, 5, 4}, {6, 1, 1, 4}, {1, 5, 5, 6}},
        [ROW] = {{1, 1, 9, 4}, {6, 1, 3, 4}, {1, 1, 9, 6}},
        [POOL] = {{1, 4, 4, 6}, {1, 2, 2, 1}, {1, 3, 3, 6}},
        [TRANSPOSED] = {{1, 3, 3, 20}, {2, 3, 3, 20}, {1, 5, 5, 2}},
        [MATRIX] = {{2, 1, 1, 12}, {12, 1, 1, 6}, {2, 1, 1, 6}},
        [PRODUCT] = {{2, 2, 3, 8}, {2, 2, 5, 8}, {2, 2, 3, 5}},
        [RECURRENT] = {{2, 6, 1, 1}, {8, 6, 1, 1}, {2, 4, 1, 1}},
        [PERMUTED] = {{2, 3, 4, 5}, {0, 0, 0, 0}, {5, 4, 3, 2}},
    };
    p->input_dims = dims[kind][0];
    p->filter_dims = dims[kind][1];
    p->output_dims = dims[kind][2];
    p->bias_dims = (cmsis_nn_dims){1, 1, 1, p->output_dims.c};
    p->state_dims = (cmsis_nn_dims){2, 48, 1, 1};
}

static void good_params(enum kind kind, struct call *p)
{
    const cmsis_nn_activation limits = {INT8_MIN, INT8_MAX};
    const cmsis_nn_tile one = {1, 1}, none = {0, 0};
    const cmsis_nn_tile padding = {kind == WINDOW || kind == ROW, kind == WINDOW};
    p->conv = (cmsis_nn_conv_params){0, 0, one, padding, one, limits};
    p->depthwise = (cmsis_nn_dw_conv_params){0, 0, 1, one, padding, one, limits};
    p->transposed = (cmsis_nn_transpose_conv_params){0, 0, {2, 2}, one, none, one, limits};
    p->pool = (cmsis_nn_pool_params){one, none, limits};
    p->fully_connected = (cmsis_nn_fc_params){0, 0, 0, limits};
    p->svdf = (cmsis_nn_svdf_params){2, 0, 0, limits, limits};
    memcpy(p->permutation, (const uint32_t[]){2, 1, 0, 3}, sizeof p->permutation);
}

void good_call(struct rl_case *c, enum kind kind, struct call *p)
{
    memset(p, 0, sizeof *p);
    good_dims(kind, p);
    good_params(kind, p);
    p->input = (int8_t *)rl_case_s16(c, CALL_BYTES / 2);
    p->filter = (int8_t *)rl_case_s16(c, CALL_BYTES / 2);
    p->output = (int8_t *)rl_case_s16(c, CALL_BYTES / 2);
    p->state = (int8_t *)rl_case_s16(c, CALL_BYTES / 2);
    p->bias = rl_case_s32(c, CHANNELS, -1000, 1000);
    p->multiplier = rl_case_s32(c, CHANNELS, 1 << 30, INT32_MAX);
    p->shift = rl_case_s32(c, CHANNELS, -6, -2);
    p->tables = (cmsis_nn_softmax_lut_s16){(int16_t *)p->filter, (int16_t *)p->state};
    p->ctx = rl_case_scratch(c, SCRATCH_BYTES);
    p->second_ctx = rl_case_scratch(c, SCRATCH_BYTES);
    p->third_ctx = rl_case_scratch(c, SCRATCH_BYTES);
}
