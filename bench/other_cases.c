// SPDX-License-Identifier: Apache-2.0
//
// Cases that do not multiply matrices: pools, element by element, activations, movements of data.
#include "arm_nnfunctions.h"
#include "bench.h"
#include "mark.h"

enum {
    SECOND_OPERAND = 20000, // its start in the input, in bytes
    PAD_VALUE = -5,
};

static int32_t elements(const struct bench_case *test)
{
    return test->height * test->width * test->channels;
}

static int32_t bytes_if(arm_cmsis_nn_status status, int32_t bytes)
{
    return status == ARM_CMSIS_NN_SUCCESS ? bytes : -1;
}

struct pool {
    cmsis_nn_pool_params params;
    cmsis_nn_dims input, filter, output;
    cmsis_nn_context scratch;
};

static struct pool describe_pool(const struct bench_case *test)
{
    return (struct pool){
        .params = {{test->stride, test->stride}, {0, 0}, {INT8_MIN, INT8_MAX}},
        .input = {1, test->height, test->width, test->channels},
        .filter = {1, test->kernel_height, test->kernel_width, 1},
        .output = {1, (test->height - test->kernel_height) / test->stride + 1,
                   (test->width - test->kernel_width) / test->stride + 1, test->outputs},
        .scratch = {bench_memory.scratch, BENCH_SCRATCH_BYTES},
    };
}

int32_t bench_average_pool(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct pool pool = describe_pool(test);
    const int32_t count = pool.output.h * pool.output.w * pool.output.c;
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (test->type == BENCH_S8) {
        status = arm_avgpool_s8(&pool.scratch, &pool.params, &pool.input, m->input.s8, &pool.filter, &pool.output,
                                m->output.s8);
    } else {
        status = arm_avgpool_s16(&pool.scratch, &pool.params, &pool.input, m->input.s16, &pool.filter, &pool.output,
                                 m->output.s16);
    }
    rl_mark_end();
    return bytes_if(status, test->type == BENCH_S16 ? 2 * count : count);
}

int32_t bench_maximum_pool(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct pool pool = describe_pool(test);
    rl_mark_begin();
    const arm_cmsis_nn_status status = arm_max_pool_s8(&pool.scratch, &pool.params, &pool.input, m->input.s8,
                                                       &pool.filter, &pool.output, m->output.s8);
    rl_mark_end();
    return bytes_if(status, pool.output.h * pool.output.w * pool.output.c);
}

int32_t bench_add(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const int32_t count = elements(test);
    arm_cmsis_nn_status status;
    rl_mark_begin();
    if (test->type == BENCH_S8) {
        status = arm_elementwise_add_s8(m->input.s8, m->input.s8 + SECOND_OPERAND, 7, 1518500250, -1, -3, 1073741824,
                                        -1, 20, m->output.s8, 5, 1342177280, -19, INT8_MIN, INT8_MAX, count);
    } else {
        status =
            arm_elementwise_add_s16(m->input.s16, m->input.s16 + SECOND_OPERAND / 2, 0, 1518500250, -1, 0, 1073741824,
                                    -1, 15, m->output.s16, 0, 1342177280, -14, INT16_MIN, INT16_MAX, count);
    }
    rl_mark_end();
    return bytes_if(status, test->type == BENCH_S16 ? 2 * count : count);
}

int32_t bench_multiply(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_elementwise_mul_s8(m->input.s8, m->input.s8 + SECOND_OPERAND, 7, -3, m->output.s8, 5, 1342177280, -7,
                               INT8_MIN, INT8_MAX, elements(test));
    rl_mark_end();
    return bytes_if(status, elements(test));
}

int32_t bench_minimum(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const cmsis_nn_dims dims = {1, test->height, test->width, test->channels};
    const cmsis_nn_context scratch = {m->scratch, BENCH_SCRATCH_BYTES};
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_minimum_s8(&scratch, m->input.s8, &dims, m->input.s8 + SECOND_OPERAND, &dims, m->output.s8, &dims);
    rl_mark_end();
    return bytes_if(status, elements(test));
}

int32_t bench_softmax(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    rl_mark_begin();
    arm_softmax_s8(m->input.s8, test->height, test->width, 1717986918, 24, -248, m->output.s8);
    rl_mark_end();
    return elements(test);
}

int32_t bench_sigmoid(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    rl_mark_begin();
    arm_nn_activation_s16(m->input.s16, m->output.s16, elements(test), 2, ARM_SIGMOID);
    rl_mark_end();
    return 2 * elements(test);
}

// Channels last to channels first.
int32_t bench_transpose(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const cmsis_nn_dims input = {1, test->height, test->width, test->channels};
    const cmsis_nn_dims output = {1, test->channels, test->height, test->width};
    const uint32_t permutation[] = {0, 3, 1, 2};
    const cmsis_nn_transpose_params params = {4, permutation};
    rl_mark_begin();
    const arm_cmsis_nn_status status = arm_transpose_s8(m->input.s8, m->output.s8, &input, &output, &params);
    rl_mark_end();
    return bytes_if(status, elements(test));
}

int32_t bench_pad(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const cmsis_nn_dims input = {1, test->height, test->width, test->channels};
    const cmsis_nn_dims border = {0, test->pad_height, test->pad_width, 0};
    rl_mark_begin();
    const arm_cmsis_nn_status status = arm_pad_s8(m->input.s8, m->output.s8, PAD_VALUE, &input, &border, &border);
    rl_mark_end();
    return bytes_if(status,
                    (test->height + 2 * test->pad_height) * (test->width + 2 * test->pad_width) * test->channels);
}
