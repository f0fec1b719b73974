// SPDX-License-Identifier: Apache-2.0
//
// Cases that multiply matrices: convolutions, fully connected layers, batched products.
#include "bench.h"
#include "mark.h"

// The zero of the input, negated; 128 when the input's range begins at zero.
static int32_t input_offset(enum bench_type type, enum bench_ranges ranges)
{
    if (type == BENCH_S16) {
        return 0;
    }
    return ranges == BENCH_SMALL ? 7 : 128;
}

static cmsis_nn_per_channel_quant_params channel_scales(enum bench_ranges ranges)
{
    struct bench_memory *m = &bench_memory;
    return (cmsis_nn_per_channel_quant_params){m->multiplier, ranges == BENCH_SHIFTED_LEFT ? m->left_shift : m->shift};
}

cmsis_nn_conv_params bench_convolution_params(const struct bench_convolution *layer)
{
    cmsis_nn_conv_params params = {.input_offset = input_offset(layer->type, layer->ranges),
                                   .output_offset = 4,
                                   .stride = {layer->stride_width, layer->stride_height},
                                   .padding = {layer->pad_width, layer->pad_height},
                                   .dilation = {layer->dilation, layer->dilation},
                                   .activation = bench_limits(layer->type, layer->ranges)};
    if (layer->type == BENCH_S16) {
        params.output_offset = 0;
    } else if (layer->ranges == BENCH_SMALL) {
        params.output_offset = -5;
    } else if (layer->ranges == BENCH_CLAMPED) {
        params.input_offset = 3;
        params.output_offset = -128;
    }
    return params;
}

// The scratch of a layer: as much as CMSIS-NN announces, because its callers bring no more.
static cmsis_nn_context announced_scratch(int32_t bytes)
{
    return (cmsis_nn_context){bench_memory.scratch, bytes};
}

static int32_t convolution_scratch(enum bench_type type, const cmsis_nn_conv_params *params, const cmsis_nn_dims *input,
                                   const cmsis_nn_dims *filter, const cmsis_nn_dims *output)
{
    if (type == BENCH_S8) {
        return arm_convolve_wrapper_s8_get_buffer_size(params, input, filter, output);
    }
    if (type == BENCH_S4) {
        return arm_convolve_wrapper_s4_get_buffer_size(params, input, filter, output);
    }
    return arm_convolve_wrapper_s16_get_buffer_size(params, input, filter, output);
}

static int32_t depthwise_scratch(enum bench_type type, const cmsis_nn_dw_conv_params *params,
                                 const cmsis_nn_dims *input, const cmsis_nn_dims *filter, const cmsis_nn_dims *output)
{
    if (type == BENCH_S8) {
        return arm_depthwise_conv_wrapper_s8_get_buffer_size(params, input, filter, output);
    }
    if (type == BENCH_S4) {
        return arm_depthwise_conv_wrapper_s4_get_buffer_size(params, input, filter, output);
    }
    return arm_depthwise_conv_wrapper_s16_get_buffer_size(params, input, filter, output);
}

int32_t bench_convolution(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_convolution *layer = &test->of.convolution;
    const cmsis_nn_conv_params params = bench_convolution_params(layer);
    const cmsis_nn_per_channel_quant_params scales = channel_scales(layer->ranges);
    const int32_t depth = layer->channels / layer->groups;
    const cmsis_nn_dims input = {layer->batches, layer->height, layer->width, layer->channels};
    const cmsis_nn_dims filter = {layer->outputs, layer->kernel_height, layer->kernel_width, depth};
    const cmsis_nn_dims bias = {1, 1, 1, layer->outputs};
    const cmsis_nn_dims output = {layer->batches, layer->output_height, layer->output_width, layer->outputs};
    const cmsis_nn_bias_data wide_bias = {m->wide_bias, false};
    const int32_t outputs = output.n * output.h * output.w * output.c;
    const cmsis_nn_context scratch =
        announced_scratch(convolution_scratch(layer->type, &params, &input, &filter, &output));
    arm_cmsis_nn_status status;
    m->multiplications = outputs * filter.h * filter.w * depth;
    rl_mark_begin();
    if (layer->type == BENCH_S8) {
        status = arm_convolve_wrapper_s8(&scratch, &params, &scales, &input, m->input.s8, &filter, m->weights, &bias,
                                         m->bias, &output, m->output.s8);
    } else if (layer->type == BENCH_S4) {
        status = arm_convolve_wrapper_s4(&scratch, &params, &scales, &input, m->input.s8, &filter, m->weights, &bias,
                                         m->bias, &output, m->output.s8);
    } else {
        status = arm_convolve_wrapper_s16(&scratch, &params, &scales, &input, m->input.s16, &filter, m->weights, &bias,
                                          &wide_bias, &output, m->output.s16);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, outputs);
}

int32_t bench_depthwise(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_depthwise *layer = &test->of.depthwise;
    const int32_t small_offset = layer->ranges == BENCH_SMALL ? -5 : -128;
    const cmsis_nn_dw_conv_params params = {.input_offset = input_offset(layer->type, layer->ranges),
                                            .output_offset = layer->type == BENCH_S16 ? 0 : small_offset,
                                            .ch_mult = layer->multiplier,
                                            .stride = {layer->stride_width, layer->stride_height},
                                            .padding = {layer->pad_width, layer->pad_height},
                                            .dilation = {layer->dilation, layer->dilation},
                                            .activation = bench_limits(layer->type, layer->ranges)};
    const cmsis_nn_per_channel_quant_params scales = channel_scales(layer->ranges);
    const int32_t channels = layer->channels * layer->multiplier;
    const cmsis_nn_dims input = {layer->batches, layer->height, layer->width, layer->channels};
    const cmsis_nn_dims filter = {1, layer->kernel_height, layer->kernel_width, channels};
    const cmsis_nn_dims bias = {1, 1, 1, channels};
    const cmsis_nn_dims output = {layer->batches, layer->output_height, layer->output_width, channels};
    const int32_t outputs = output.n * output.h * output.w * output.c;
    const cmsis_nn_context scratch =
        announced_scratch(depthwise_scratch(layer->type, &params, &input, &filter, &output));
    arm_cmsis_nn_status status;
    m->multiplications = outputs * filter.h * filter.w;
    rl_mark_begin();
    if (layer->type == BENCH_S8) {
        status = arm_depthwise_conv_wrapper_s8(&scratch, &params, &scales, &input, m->input.s8, &filter, m->weights,
                                               &bias, m->bias, &output, m->output.s8);
    } else if (layer->type == BENCH_S4) {
        status = arm_depthwise_conv_wrapper_s4(&scratch, &params, &scales, &input, m->input.s8, &filter, m->weights,
                                               &bias, m->bias, &output, m->output.s8);
    } else {
        status = arm_depthwise_conv_wrapper_s16(&scratch, &params, &scales, &input, m->input.s16, &filter, m->weights,
                                                &bias, m->wide_bias, &output, m->output.s16);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, outputs);
}

// Kernel sums are computed before the marks, because runtimes compute them when they load a model.
int32_t bench_fully_connected(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_fully_connected *layer = &test->of.fully_connected;
    const cmsis_nn_fc_params params = {input_offset(layer->type, layer->ranges), 0, layer->type == BENCH_S16 ? 0 : -5,
                                       bench_limits(layer->type, layer->ranges)};
    const cmsis_nn_per_tensor_quant_params scale = {0x55555555, -8};
    const cmsis_nn_per_channel_quant_params scales = channel_scales(layer->ranges);
    const cmsis_nn_dims input = {layer->batches, 1, 1, layer->inputs};
    const cmsis_nn_dims filter = {layer->inputs, 1, 1, layer->outputs};
    const cmsis_nn_dims bias_dims = {1, 1, 1, layer->outputs};
    const cmsis_nn_dims output = {layer->batches, 1, 1, layer->outputs};
    const int32_t outputs = layer->batches * layer->outputs;
    const int32_t *bias = layer->has_bias ? m->bias : NULL;
    const cmsis_nn_context scratch = announced_scratch(
        layer->type == BENCH_S8 ? arm_fully_connected_s8_get_buffer_size(&filter) : BENCH_SCRATCH_BYTES);
    arm_cmsis_nn_status status = ARM_CMSIS_NN_SUCCESS;
    m->multiplications = outputs * layer->inputs;
    if (layer->type == BENCH_S8) {
        status = arm_vector_sum_s8((int32_t *)m->scratch, layer->inputs, layer->outputs, m->weights,
                                   params.input_offset, 0, bias);
    }
    if (status != ARM_CMSIS_NN_SUCCESS) {
        return -1;
    }
    rl_mark_begin();
    if (layer->type == BENCH_S8 && layer->is_per_channel) {
        status = arm_fully_connected_per_channel_s8(&scratch, &params, &scales, &input, m->input.s8, &filter,
                                                    m->weights, &bias_dims, bias, &output, m->output.s8);
    } else if (layer->type == BENCH_S8) {
        status = arm_fully_connected_s8(&scratch, &params, &scale, &input, m->input.s8, &filter, m->weights, &bias_dims,
                                        bias, &output, m->output.s8);
    } else if (layer->type == BENCH_S4) {
        status = arm_fully_connected_s4(&scratch, &params, &scale, &input, m->input.s8, &filter, m->weights, &bias_dims,
                                        bias, &output, m->output.s8);
    } else {
        status = arm_fully_connected_s16(&scratch, &params, &scale, &input, m->input.s16, &filter, m->weights,
                                         &bias_dims, layer->has_bias ? m->wide_bias : NULL, &output, m->output.s16);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, outputs);
}

int32_t bench_transpose_convolution(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_transpose_convolution *layer = &test->of.transpose_convolution;
    const bool is_flat = layer->height == 1;
    const int32_t kernel_height = is_flat ? 1 : layer->kernel, stride_height = is_flat ? 1 : layer->stride;
    const int32_t pad_height = is_flat ? 0 : layer->pad;
    const int32_t more = layer->kernel == 3 ? layer->more : 0, more_rows = is_flat ? 0 : more;
    const cmsis_nn_transpose_conv_params params = {.input_offset = 7,
                                                   .output_offset = -5,
                                                   .stride = {layer->stride, stride_height},
                                                   .padding = {layer->pad, pad_height},
                                                   .padding_offsets = {more, more_rows},
                                                   .dilation = {1, 1},
                                                   .activation = bench_limits(BENCH_S8, BENCH_SMALL)};
    const cmsis_nn_per_channel_quant_params scales = channel_scales(BENCH_SMALL);
    const cmsis_nn_dims input = {1, layer->height, layer->width, layer->channels};
    const cmsis_nn_dims filter = {layer->outputs, kernel_height, layer->kernel, layer->channels};
    const cmsis_nn_dims bias = {1, 1, 1, layer->outputs};
    const cmsis_nn_dims output = {1, (layer->height - 1) * stride_height + kernel_height - 2 * pad_height + more_rows,
                                  (layer->width - 1) * layer->stride + layer->kernel - 2 * layer->pad + more,
                                  layer->outputs};
    const cmsis_nn_context scratch =
        announced_scratch(arm_transpose_conv_s8_get_buffer_size(&params, &input, &filter, &output));
    const cmsis_nn_context reversed = {m->second_scratch,
                                       arm_transpose_conv_s8_get_reverse_conv_buffer_size(&params, &input, &filter)};
    m->multiplications = input.h * input.w * input.c * filter.n * filter.h * filter.w;
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_transpose_conv_wrapper_s8(&scratch, &reversed, &params, &scales, &input, m->input.s8, &filter, m->weights,
                                      &bias, m->bias, &output, m->output.s8);
    rl_mark_end();
    return bench_bytes(status, BENCH_S8, output.h * output.w * output.c);
}

int32_t bench_batch_matmul(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_batch_matmul *layer = &test->of.batch_matmul;
    const cmsis_nn_activation limits = bench_limits(layer->type, BENCH_SMALL);
    const cmsis_nn_bmm_params params = {false, false, {7, 3, -5, limits}};
    const cmsis_nn_bmm_params wide_params = {false, false, {0, 0, 0, limits}};
    const cmsis_nn_per_tensor_quant_params scale = {0x55555555, -9};
    const cmsis_nn_dims left = {1, layer->batches, layer->rows, layer->depth};
    const cmsis_nn_dims right = {1, layer->batches, layer->columns, layer->depth};
    const cmsis_nn_dims output = {1, layer->batches, layer->rows, layer->columns};
    const int32_t outputs = layer->batches * layer->rows * layer->columns;
    const cmsis_nn_context scratch = {m->scratch, sizeof m->scratch};
    arm_cmsis_nn_status status;
    m->multiplications = outputs * layer->depth;
    rl_mark_begin();
    if (layer->type == BENCH_S8) {
        status = arm_batch_matmul_s8(&scratch, &params, &scale, &left, m->input.s8, &right, m->weights, &output,
                                     m->output.s8);
    } else {
        status = arm_batch_matmul_s16(&scratch, &wide_params, &scale, &left, m->input.s16, &right,
                                      (const int16_t *)m->weights, &output, m->output.s16);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, outputs);
}
