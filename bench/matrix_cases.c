// SPDX-License-Identifier: Apache-2.0
//
// Cases that multiply matrices: convolutions, fully connected layers, batched products.
#include "arm_nnfunctions.h"
#include "bench.h"
#include "mark.h"

enum { INPUT_OFFSET = 7, OUTPUT_OFFSET = -5 }; // for int8; int16 has no offsets

static const cmsis_nn_per_channel_quant_params channel_scales = {bench_memory.multiplier, bench_memory.shift};

static int32_t output_size(int32_t input, int32_t kernel, int32_t stride, int32_t padding)
{
    return (input + 2 * padding - kernel) / stride + 1;
}

static cmsis_nn_activation limits(enum bench_type type)
{
    return type == BENCH_S16 ? (cmsis_nn_activation){INT16_MIN, INT16_MAX} : (cmsis_nn_activation){INT8_MIN, INT8_MAX};
}

static int32_t output_bytes(arm_cmsis_nn_status status, enum bench_type type, const cmsis_nn_dims *output)
{
    if (status != ARM_CMSIS_NN_SUCCESS) {
        return -1;
    }
    return output->n * output->h * output->w * output->c * (type == BENCH_S16 ? 2 : 1);
}

static cmsis_nn_dims windowed_output(const struct bench_case *test)
{
    return (cmsis_nn_dims){1, output_size(test->height, test->kernel_height, test->stride, test->pad_height),
                           output_size(test->width, test->kernel_width, test->stride, test->pad_width), test->outputs};
}

int32_t bench_convolution(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const bool wide = test->type == BENCH_S16;
    const cmsis_nn_conv_params params = {.input_offset = wide ? 0 : INPUT_OFFSET,
                                         .output_offset = wide ? 0 : OUTPUT_OFFSET,
                                         .stride = {test->stride, test->stride},
                                         .padding = {test->pad_width, test->pad_height},
                                         .dilation = {1, 1},
                                         .activation = limits(test->type)};
    const cmsis_nn_dims input = {1, test->height, test->width, test->channels};
    const cmsis_nn_dims filter = {test->outputs, test->kernel_height, test->kernel_width, test->channels};
    const cmsis_nn_dims bias = {1, 1, 1, test->outputs};
    const cmsis_nn_dims output = windowed_output(test);
    const cmsis_nn_bias_data wide_bias = {m->wide_bias, false};
    const cmsis_nn_context scratch = {m->scratch, BENCH_SCRATCH_BYTES};
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (test->type == BENCH_S8) {
        status = arm_convolve_wrapper_s8(&scratch, &params, &channel_scales, &input, m->input.s8, &filter, m->weights,
                                         &bias, m->bias, &output, m->output.s8);
    } else if (test->type == BENCH_S4) {
        status = arm_convolve_wrapper_s4(&scratch, &params, &channel_scales, &input, m->input.s8, &filter, m->weights,
                                         &bias, m->bias, &output, m->output.s8);
    } else {
        status = arm_convolve_wrapper_s16(&scratch, &params, &channel_scales, &input, m->input.s16, &filter, m->weights,
                                          &bias, &wide_bias, &output, m->output.s16);
    }
    rl_mark_end();
    return output_bytes(status, test->type, &output);
}

int32_t bench_depthwise(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const bool wide = test->type == BENCH_S16;
    const cmsis_nn_dw_conv_params params = {.input_offset = wide ? 0 : INPUT_OFFSET,
                                            .output_offset = wide ? 0 : OUTPUT_OFFSET,
                                            .ch_mult = test->outputs / test->channels,
                                            .stride = {test->stride, test->stride},
                                            .padding = {test->pad_width, test->pad_height},
                                            .dilation = {1, 1},
                                            .activation = limits(test->type)};
    const cmsis_nn_dims input = {1, test->height, test->width, test->channels};
    const cmsis_nn_dims filter = {1, test->kernel_height, test->kernel_width, test->outputs};
    const cmsis_nn_dims bias = {1, 1, 1, test->outputs};
    const cmsis_nn_dims output = windowed_output(test);
    const cmsis_nn_context scratch = {m->scratch, BENCH_SCRATCH_BYTES};
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (test->type == BENCH_S8) {
        status = arm_depthwise_conv_wrapper_s8(&scratch, &params, &channel_scales, &input, m->input.s8, &filter,
                                               m->weights, &bias, m->bias, &output, m->output.s8);
    } else if (test->type == BENCH_S4) {
        status = arm_depthwise_conv_wrapper_s4(&scratch, &params, &channel_scales, &input, m->input.s8, &filter,
                                               m->weights, &bias, m->bias, &output, m->output.s8);
    } else {
        status = arm_depthwise_conv_wrapper_s16(&scratch, &params, &channel_scales, &input, m->input.s16, &filter,
                                                m->weights, &bias, m->wide_bias, &output, m->output.s16);
    }
    rl_mark_end();
    return output_bytes(status, test->type, &output);
}

// Kernel sums are computed before the marks, because runtimes compute them when they load a model.
int32_t bench_fully_connected(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const bool wide = test->type == BENCH_S16;
    const cmsis_nn_fc_params params = {wide ? 0 : INPUT_OFFSET, 0, wide ? 0 : OUTPUT_OFFSET, limits(test->type)};
    const cmsis_nn_per_tensor_quant_params scale = {0x55555555, -8};
    const cmsis_nn_dims input = {test->height, 1, 1, test->width};
    const cmsis_nn_dims filter = {test->width, 1, 1, test->channels};
    const cmsis_nn_dims bias = {1, 1, 1, test->channels};
    const cmsis_nn_dims output = {test->height, 1, 1, test->channels};
    const cmsis_nn_context scratch = {m->scratch, BENCH_SCRATCH_BYTES};
    arm_cmsis_nn_status status = ARM_CMSIS_NN_SUCCESS;
    if (test->type == BENCH_S8) {
        status =
            arm_vector_sum_s8((int32_t *)m->scratch, test->width, test->channels, m->weights, INPUT_OFFSET, 0, m->bias);
    }
    if (status != ARM_CMSIS_NN_SUCCESS) {
        return -1;
    }
    rl_mark_begin();
    if (test->type == BENCH_S8) {
        status = arm_fully_connected_s8(&scratch, &params, &scale, &input, m->input.s8, &filter, m->weights, &bias,
                                        m->bias, &output, m->output.s8);
    } else if (test->type == BENCH_S4) {
        status = arm_fully_connected_s4(&scratch, &params, &scale, &input, m->input.s8, &filter, m->weights, &bias,
                                        m->bias, &output, m->output.s8);
    } else {
        status = arm_fully_connected_s16(&scratch, &params, &scale, &input, m->input.s16, &filter, m->weights, &bias,
                                         m->wide_bias, &output, m->output.s16);
    }
    rl_mark_end();
    return output_bytes(status, test->type, &output);
}

int32_t bench_transpose_convolution(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const cmsis_nn_transpose_conv_params params = {.input_offset = INPUT_OFFSET,
                                                   .output_offset = OUTPUT_OFFSET,
                                                   .stride = {test->stride, test->stride},
                                                   .dilation = {1, 1},
                                                   .activation = limits(test->type)};
    const cmsis_nn_dims input = {1, test->height, test->width, test->channels};
    const cmsis_nn_dims filter = {test->outputs, test->kernel_height, test->kernel_width, test->channels};
    const cmsis_nn_dims bias = {1, 1, 1, test->outputs};
    const cmsis_nn_dims output = {1, (test->height - 1) * test->stride + test->kernel_height,
                                  (test->width - 1) * test->stride + test->kernel_width, test->outputs};
    const cmsis_nn_context scratch = {m->scratch, BENCH_SCRATCH_BYTES};
    const cmsis_nn_context reversed = {m->reversed, BENCH_SCRATCH_BYTES};
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_transpose_conv_wrapper_s8(&scratch, &reversed, &params, &channel_scales, &input, m->input.s8, &filter,
                                      m->weights, &bias, m->bias, &output, m->output.s8);
    rl_mark_end();
    return output_bytes(status, test->type, &output);
}

int32_t bench_batch_matmul(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const cmsis_nn_bmm_params params = {false, false, {INPUT_OFFSET, 3, OUTPUT_OFFSET, {INT8_MIN, INT8_MAX}}};
    const cmsis_nn_per_tensor_quant_params scale = {0x55555555, -9};
    const cmsis_nn_dims left = {1, 1, test->height, test->width};
    const cmsis_nn_dims right = {1, 1, test->channels, test->width};
    const cmsis_nn_dims output = {1, 1, test->height, test->channels};
    const cmsis_nn_context scratch = {m->scratch, BENCH_SCRATCH_BYTES};
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_batch_matmul_s8(&scratch, &params, &scale, &left, m->input.s8, &right, m->weights, &output, m->output.s8);
    rl_mark_end();
    return output_bytes(status, test->type, &output);
}
