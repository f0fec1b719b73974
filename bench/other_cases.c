// SPDX-License-Identifier: Apache-2.0
//
// Cases that do not multiply matrices: pools, element by element, activations, movements of data.
#include "bench.h"
#include "mark.h"

#include <string.h>

enum {
    SECOND_OPERAND = 20000, // its start in the input, in bytes
    UNALIGNED_OPERAND = 40001,
    SECOND_MAP = 50000,
    PAD_VALUE = -5,
};

static const int32_t half = 1073741824; // as a scale, with a shift beside it

int32_t bench_pool(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_pool *layer = &test->of.pool;
    const cmsis_nn_pool_params params = {{layer->stride, layer->stride},
                                         {layer->pad, layer->pad},
                                         bench_limits(layer->to_int8 ? BENCH_S8 : layer->type, BENCH_SMALL)};
    const cmsis_nn_dims input = {1, layer->height, layer->width, layer->channels};
    const cmsis_nn_dims filter = {1, layer->kernel, layer->kernel, 1};
    const cmsis_nn_dims output = {1, layer->output_height, layer->output_width, layer->channels};
    const cmsis_nn_context scratch = {m->scratch, sizeof m->scratch};
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (layer->type == BENCH_S8 && layer->is_maximum) {
        status = arm_max_pool_s8(&scratch, &params, &input, m->input.s8, &filter, &output, m->output.s8);
    } else if (layer->type == BENCH_S8) {
        status = arm_avgpool_s8(&scratch, &params, &input, m->input.s8, &filter, &output, m->output.s8);
    } else if (layer->is_maximum) {
        status = arm_max_pool_s16(&scratch, &params, &input, m->input.s16, &filter, &output, m->output.s16);
    } else {
        status = arm_avgpool_s16(&scratch, &params, &input, m->input.s16, &filter, &output, m->output.s16);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, output.h * output.w * output.c);
}

struct addition {
    int32_t second; // where it starts
    int32_t offset, second_offset, output_offset;
    int32_t shift, second_shift;
    int32_t maximum;
};

int32_t bench_add(const struct bench_case *test)
{
    static const struct addition additions[] = {
        [BENCH_SMALL] = {SECOND_OPERAND, 7, -3, 5, -1, -1, INT8_MAX},
        [BENCH_USUAL] = {SECOND_OPERAND, 128, 128, -128, -1, -1, 100},
        [BENCH_UNALIGNED] = {UNALIGNED_OPERAND, 128, -3, -128, -3, 0, INT8_MAX},
    };
    struct bench_memory *m = &bench_memory;
    const struct bench_elementwise *layer = &test->of.elementwise;
    const struct addition *of = &additions[layer->ranges];
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (layer->type == BENCH_S8) {
        status = arm_elementwise_add_s8(m->input.s8, m->input.s8 + of->second, of->offset, 1518500250, of->shift,
                                        of->second_offset, half, of->second_shift, 20, m->output.s8, of->output_offset,
                                        1342177280, -19, INT8_MIN, of->maximum, layer->count);
    } else {
        status = arm_elementwise_add_s16(m->input.s16, m->input.s16 + SECOND_OPERAND / 2, 0, 1518500250, -1, 0, half,
                                         -1, 15, m->output.s16, 0, 1342177280, -14, INT16_MIN, INT16_MAX, layer->count);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, layer->count);
}

int32_t bench_multiply(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_elementwise *layer = &test->of.elementwise;
    const bool is_small = layer->ranges == BENCH_SMALL;
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (layer->type == BENCH_S8) {
        status = arm_elementwise_mul_s8(m->input.s8, m->input.s8 + SECOND_OPERAND, is_small ? 7 : 128, -3, m->output.s8,
                                        is_small ? 5 : -128, 1342177280, -7, INT8_MIN, INT8_MAX, layer->count);
    } else {
        status = arm_elementwise_mul_s16(m->input.s16, m->input.s16 + SECOND_OPERAND / 2, 0, 0, m->output.s16, 0,
                                         1342177280, -14, INT16_MIN, INT16_MAX, layer->count);
    }
    rl_mark_end();
    return bench_bytes(status, layer->type, layer->count);
}

int32_t bench_extreme(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_extreme *layer = &test->of.extreme;
    const cmsis_nn_dims first = {1, layer->height, layer->width, layer->channels};
    const cmsis_nn_dims second = {1, layer->second_height, layer->second_width, layer->second_channels};
    const int8_t *operand = m->input.s8 + SECOND_OPERAND;
    const cmsis_nn_context scratch = {m->scratch, sizeof m->scratch};
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (layer->is_maximum) {
        status = arm_maximum_s8(&scratch, m->input.s8, &first, operand, &second, m->output.s8, &first);
    } else {
        status = arm_minimum_s8(&scratch, m->input.s8, &first, operand, &second, m->output.s8, &first);
    }
    rl_mark_end();
    return bench_bytes(status, BENCH_S8, first.h * first.w * first.c);
}

int32_t bench_softmax(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_softmax *layer = &test->of.softmax;
    const int32_t scale = 1717986918, least = -248;
    rl_mark_begin();
    if (layer->type == BENCH_S8) {
        arm_softmax_s8(m->input.s8, layer->rows, layer->size, scale, layer->shift, least, m->output.s8);
    } else {
        arm_softmax_s8_s16(m->input.s8, layer->rows, layer->size, scale, layer->shift, least, m->output.s16);
    }
    rl_mark_end();
    return bench_bytes(ARM_CMSIS_NN_SUCCESS, layer->type, layer->rows * layer->size);
}

int32_t bench_activation(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_activation *layer = &test->of.activation;
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_nn_activation_s16(m->input.s16, m->output.s16, layer->count, 2, layer->function);
    rl_mark_end();
    return bench_bytes(status, BENCH_S16, layer->count);
}

int32_t bench_relu6(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const int32_t count = test->of.count;
    memcpy(m->output.s8, m->input.s8, (size_t)count);
    rl_mark_begin();
    arm_relu6_s8(m->output.s8, (uint16_t)count);
    rl_mark_end();
    return count;
}

int32_t bench_transpose(const struct bench_case *test)
{
    static const uint32_t permutations[][4] = {
        [BENCH_CHANNELS_FIRST] = {0, 3, 1, 2}, [BENCH_CHANNELS_LAST] = {0, 2, 3, 1}, [BENCH_MATRIX] = {1, 0}};
    struct bench_memory *m = &bench_memory;
    const struct bench_transpose *layer = &test->of.transpose;
    const int32_t h = layer->height, w = layer->width, c = layer->channels;
    const bool is_matrix = layer->order == BENCH_MATRIX;
    const cmsis_nn_dims input = is_matrix ? (cmsis_nn_dims){w, c, 1, 1} : (cmsis_nn_dims){1, h, w, c};
    const cmsis_nn_dims outputs[] = {
        [BENCH_CHANNELS_FIRST] = {1, c, h, w}, [BENCH_CHANNELS_LAST] = {1, w, c, h}, [BENCH_MATRIX] = {c, w, 1, 1}};
    const cmsis_nn_transpose_params params = {is_matrix ? 2 : 4, permutations[layer->order]};
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_transpose_s8(m->input.s8, m->output.s8, &input, &outputs[layer->order], &params);
    rl_mark_end();
    return bench_bytes(status, BENCH_S8, h * w * c);
}

int32_t bench_pad(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_pad *layer = &test->of.pad;
    const cmsis_nn_dims input = {1, layer->height, layer->width, layer->channels};
    const cmsis_nn_dims before = {0, layer->top, layer->left, 0}, after = {0, layer->bottom, layer->right, 0};
    const int32_t rows = layer->height + layer->top + layer->bottom,
                  columns = layer->width + layer->left + layer->right;
    rl_mark_begin();
    const arm_cmsis_nn_status status = arm_pad_s8(m->input.s8, m->output.s8, PAD_VALUE, &input, &before, &after);
    rl_mark_end();
    return bench_bytes(status, BENCH_S8, rows * columns * layer->channels);
}

int32_t bench_concatenation(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_concatenation *layer = &test->of.concatenation;
    const uint16_t side = (uint16_t)layer->side, first = (uint16_t)layer->channels;
    const uint16_t second = (uint16_t)layer->second_channels, channels = (uint16_t)(first + second);
    rl_mark_begin();
    arm_concatenation_s8_z(m->input.s8, side, side, first, 1, m->output.s8, channels, 0);
    arm_concatenation_s8_z(m->input.s8 + SECOND_MAP, side, side, second, 1, m->output.s8, channels, first);
    rl_mark_end();
    return layer->side * layer->side * channels;
}
