// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/elementwise.h"

#include "arm_nn_elementwise.h"
#include "cmsis_nn/translate.h"
#include "isa.h"

#include RL_TILE(extremum_s8_tile.h)

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                           int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                           int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult,
                                           int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                           int32_t block_size)
{
    struct rl_add layer; // an initializer would clear all of it first
    layer.input[0] = (struct rl_addend){input_1_offset, {input_1_mult, input_1_shift}};
    layer.input[1] = (struct rl_addend){input_2_offset, {input_2_mult, input_2_shift}};
    layer.left_shift = left_shift;
    layer.output_offset = out_offset;
    layer.scale = (struct rl_scale){out_mult, out_shift};
    layer.range = (struct rl_range){out_activation_min, out_activation_max};
    layer.count = block_size;
    rl_add_run(&layer, input_1_vect, input_2_vect, output, (struct rl_scratch){0});
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                            int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                            int32_t left_shift, int16_t *output, int32_t out_offset, int32_t out_mult,
                                            int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                            int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    struct rl_add layer; // an initializer would clear all of it first
    layer.input[0] = (struct rl_addend){0, {input_1_mult, input_1_shift}};
    layer.input[1] = (struct rl_addend){0, {input_2_mult, input_2_shift}};
    layer.left_shift = left_shift;
    layer.output_offset = 0;
    layer.scale = (struct rl_scale){out_mult, out_shift};
    layer.range = (struct rl_range){out_activation_min, out_activation_max};
    layer.count = block_size;
    rl_add_s16_run(&layer, input_1_vect, input_2_vect, output);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_2_offset, int8_t *output,
                                           int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                           int32_t out_activation_min, int32_t out_activation_max, int32_t block_size)
{
    const struct rl_mul layer = {
        .input_offset = {input_1_offset, input_2_offset},
        .output_offset = out_offset,
        .scale = {out_mult, out_shift},
        .range = {out_activation_min, out_activation_max},
        .count = block_size,
    };
    rl_mul_run(&layer, input_1_vect, input_2_vect, output);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                            int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                            int32_t out_activation_min, int32_t out_activation_max, int32_t block_size)
{
    const struct rl_mul layer = {
        .input_offset = {input_1_offset, input_2_offset},
        .output_offset = out_offset,
        .scale = {out_mult, out_shift},
        .range = {out_activation_min, out_activation_max},
        .count = block_size,
    };
    rl_mul_s16_run(&layer, input_1_vect, input_2_vect, output);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_acc_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                                int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                                int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                                int32_t out_activation_min, int32_t out_activation_max,
                                                int32_t block_size)
{
    const bool is_limited = out_activation_max > 0;
    const struct rl_mul layer = {
        .input_offset = {input_1_offset, input_2_offset},
        .output_offset = out_offset,
        .scale = {out_mult, out_shift},
        .range = {is_limited ? out_activation_min : INT16_MIN, is_limited ? out_activation_max : INT16_MAX},
        .count = block_size,
    };
    rl_mul_add_s16_run(&layer, input_1_vect, input_2_vect, output);
    return ARM_CMSIS_NN_SUCCESS;
}

static int32_t count_of(const cmsis_nn_dims *dims)
{
    return dims->n * dims->h * dims->w * dims->c;
}

static bool are_alike(const cmsis_nn_dims *a, const cmsis_nn_dims *b)
{
    return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    (void)output_dims;
    const int32_t count_1 = count_of(input_1_dims), count_2 = count_of(input_2_dims);
    if (are_alike(input_1_dims, input_2_dims)) {
        rl_minimum_s8(input_1_data, input_2_data, output_data, count_1);
        return ARM_CMSIS_NN_SUCCESS;
    }
    if (count_1 == 1 || count_2 == 1) {
        const bool is_second = count_2 == 1;
        rl_minimum_of_s8(is_second ? input_1_data : input_2_data, is_second ? *input_2_data : *input_1_data,
                         output_data, is_second ? count_1 : count_2);
        return ARM_CMSIS_NN_SUCCESS;
    }
    struct rl_extremum layer; // an initializer would clear what prepare fills in
    layer.input[0] = rl_image_of(input_1_dims);
    layer.input[1] = rl_image_of(input_2_dims);
    const enum rl_status status = rl_extremum_prepare(&layer);
    if (status == RL_OK) {
        rl_minimum_run(&layer, input_1_data, input_2_data, output_data);
    }
    return rl_status_of(status);
}

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    (void)output_dims;
    const int32_t count_1 = count_of(input_1_dims), count_2 = count_of(input_2_dims);
    if (are_alike(input_1_dims, input_2_dims)) {
        rl_maximum_s8(input_1_data, input_2_data, output_data, count_1);
        return ARM_CMSIS_NN_SUCCESS;
    }
    if (count_1 == 1 || count_2 == 1) {
        const bool is_second = count_2 == 1;
        rl_maximum_of_s8(is_second ? input_1_data : input_2_data, is_second ? *input_2_data : *input_1_data,
                         output_data, is_second ? count_1 : count_2);
        return ARM_CMSIS_NN_SUCCESS;
    }
    struct rl_extremum layer; // an initializer would clear what prepare fills in
    layer.input[0] = rl_image_of(input_1_dims);
    layer.input[1] = rl_image_of(input_2_dims);
    const enum rl_status status = rl_extremum_prepare(&layer);
    if (status == RL_OK) {
        rl_maximum_run(&layer, input_1_data, input_2_data, output_data);
    }
    return rl_status_of(status);
}
