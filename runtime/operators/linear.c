// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_linear. A program carries a bias or, when it was made for Helium, kernel sums (bias
// plus input offset times the sum of each weight row), or both: they say the same. Each form runs on every
// core.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

enum {
    INPUT,
    WEIGHTS,
    BIAS,
    KERNEL_SUM,
    INPUT_OFFSET,
    FILTER_OFFSET,
    OUTPUT_OFFSET,
    MULTIPLIERS,
    SHIFTS,
    ACTIVATION_MAX,
    ACTIVATION_MIN,
    OUTPUT
};

enum { SUMS_AT_ONCE = 16 };

struct linear {
    struct rl_tensor input, weights, output;
    const int32_t *bias, *kernel_sum;
    cmsis_nn_fc_params params;
    cmsis_nn_per_tensor_quant_params scale;
    int32_t rows, depth, channels;
};

static void read_shapes(struct rl_call *call, struct linear *l)
{
    rl_call_tensor(call, INPUT, &l->input);
    rl_call_tensor(call, WEIGHTS, &l->weights);
    rl_call_output(call, OUTPUT, &l->output);
    rl_expect_type(call, INPUT, &l->input, RL_INT8, -1);
    rl_expect_type(call, WEIGHTS, &l->weights, RL_INT8, 2);
    rl_expect_type(call, OUTPUT, &l->output, RL_INT8, -1);
    rl_expect(call, l->input.rank > 0 && l->output.rank > 0, INPUT, "a tensor has no dimensions");
    if (call->status != RL_OK)
        return;
    l->depth = l->weights.sizes[1];
    l->channels = l->weights.sizes[0];
    rl_expect(call, l->depth > 0 && l->channels > 0, WEIGHTS, "the weights are empty");
    rl_expect(call, l->input.sizes[l->input.rank - 1] == l->depth, INPUT,
              "the input has another number of features");
    rl_expect(call, l->output.sizes[l->output.rank - 1] == l->channels, OUTPUT,
              "the output has another number of features");
    rl_expect(call,
              rl_is_ordered(&l->input, rl_order_nchw) && rl_is_ordered(&l->weights, rl_order_nchw) &&
                  rl_is_ordered(&l->output, rl_order_nchw),
              INPUT, "a tensor is not contiguous");
    if (call->status != RL_OK)
        return;
    l->rows = (int32_t)(l->input.bytes / (uint32_t)l->depth);
    rl_expect(call, (int64_t)l->rows * l->channels == l->output.bytes, OUTPUT,
              "the output has another number of rows");
    rl_expect_apart(call, OUTPUT, &l->output, &l->input);
    rl_expect_apart(call, OUTPUT, &l->output, &l->weights);
}

static void read_numbers(struct rl_call *call, struct linear *l)
{
    l->bias = rl_call_bias(call, BIAS, l->channels);
    l->kernel_sum = rl_call_bias(call, KERNEL_SUM, l->channels);
    l->params.input_offset = rl_call_input_offset(call, INPUT_OFFSET);
    l->params.filter_offset = rl_call_input_offset(call, FILTER_OFFSET);
    l->params.output_offset = rl_call_zero_point(call, OUTPUT_OFFSET);
    l->params.activation = rl_call_activation(call, ACTIVATION_MIN, ACTIVATION_MAX);
    rl_bounded_ints(call, MULTIPLIERS, &l->scale.multiplier, 1, -INT32_MAX, INT32_MAX);
    rl_bounded_ints(call, SHIFTS, &l->scale.shift, 1, -31, 30);
}

// One kernel call for `rows` rows and `channels` channels from `first` on.
static arm_cmsis_nn_status run_block(const struct linear *l, const cmsis_nn_fc_params *params,
                                     const int8_t *input, int32_t rows, int32_t first, int32_t channels,
                                     const int32_t *bias, int32_t *sums, int8_t *output)
{
    const cmsis_nn_context context = {.buf = sums, .size = sums ? channels * (int32_t)sizeof *sums : 0};
    const cmsis_nn_dims input_dims = {.n = rows, .h = 1, .w = 1, .c = l->depth};
    const cmsis_nn_dims filter_dims = {.n = l->depth, .h = 1, .w = 1, .c = channels};
    const cmsis_nn_dims output_dims = {.n = rows, .h = 1, .w = 1, .c = channels};
    const int8_t *weights = (const int8_t *)l->weights.data + (ptrdiff_t)first * l->depth;
    return arm_fully_connected_s8(&context, params, &l->scale, &input_dims, input, &filter_dims, weights,
                                  &output_dims, bias, &output_dims, output);
}

// For kernels that need kernel sums and a program that has none: a few channels' sums at a time, on the
// stack.
static arm_cmsis_nn_status run_with_own_sums(const struct linear *l)
{
    int32_t sums[SUMS_AT_ONCE];
    for (int32_t first = 0; first < l->channels; first += SUMS_AT_ONCE) {
        int32_t channels = l->channels - first < SUMS_AT_ONCE ? l->channels - first : SUMS_AT_ONCE;
        const int8_t *weights = (const int8_t *)l->weights.data + (ptrdiff_t)first * l->depth;
        const int32_t *bias = l->bias ? l->bias + first : NULL;
        arm_vector_sum_s8(sums, l->depth, channels, weights, l->params.input_offset, l->params.filter_offset,
                          bias);
        for (int32_t row = 0; row < l->rows; row++) {
            const int8_t *input = (const int8_t *)l->input.data + (ptrdiff_t)row * l->depth;
            int8_t *output = (int8_t *)l->output.data + (ptrdiff_t)row * l->channels + first;
            arm_cmsis_nn_status status =
                run_block(l, &l->params, input, 1, first, channels, NULL, sums, output);
            if (status != ARM_CMSIS_NN_SUCCESS)
                return status;
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

enum rl_status rl_run_cm_quantized_linear(struct rl_call *call)
{
    struct linear l;
    read_shapes(call, &l);
    if (call->status == RL_OK)
        read_numbers(call, &l);
    if (call->status != RL_OK)
        return call->status;
    const cmsis_nn_dims filter_dims = {.n = l.depth, .h = 1, .w = 1, .c = l.channels};
    const bool wants_sums = arm_fully_connected_s8_get_buffer_size(&filter_dims) > 0;
    arm_cmsis_nn_status status;
    if (wants_sums && !l.kernel_sum) {
        status = run_with_own_sums(&l);
    } else if (wants_sums) {
        int32_t *sums = (int32_t *)(uintptr_t)l.kernel_sum;
        status = run_block(&l, &l.params, l.input.data, l.rows, 0, l.channels, NULL, sums, l.output.data);
    } else {
        // Kernel sums hold the input offset's part already: they are a bias for inputs without offset.
        const bool only_sums = l.kernel_sum && !l.bias;
        cmsis_nn_fc_params params = l.params;
        if (only_sums)
            params.input_offset = 0;
        const int32_t *bias = only_sums ? l.kernel_sum : l.bias;
        status = run_block(&l, &params, l.input.data, l.rows, 0, l.channels, bias, NULL, l.output.data);
    }
    return rl_kernel_result(call, status);
}
