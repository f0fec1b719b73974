// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_linear. A program carries a bias or, when it was made for Helium, kernel sums (bias plus input
// offset times the sum of each weight row), or both: they say the same. Each form runs on every core.
#include <stddef.h>

#include "kernels/isa.h"
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
    const int8_t *input, *weights;
    int8_t *output;
    const int32_t *bias, *sums; // what this core's kernel takes: sums alone, or a bias or none
    cmsis_nn_fc_params params;
    cmsis_nn_per_tensor_quant_params scale;
    int32_t rows, depth, channels;
};

static void read_tensors(struct rl_call *call, struct linear *l)
{
    struct rl_tensor input, weights, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, WEIGHTS, &weights);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_contiguous(call, INPUT, &input, -1);
    rl_expect_contiguous(call, WEIGHTS, &weights, 2);
    rl_expect_contiguous(call, OUTPUT, &output, -1);
    rl_expect(call, input.rank > 0 && output.rank > 0, INPUT, "a tensor has no dimensions");
    rl_expect_apart(call, OUTPUT, &output, &input);
    rl_expect_apart(call, OUTPUT, &output, &weights);
    if (call->status != RL_OK) {
        return;
    }
    l->input = input.data;
    l->weights = weights.data;
    l->output = output.data;
    l->depth = weights.sizes[1];
    l->channels = weights.sizes[0];
    rl_expect(call, weights.bytes > 0, WEIGHTS, "the weights are empty");
    rl_expect(call, input.sizes[input.rank - 1] == l->depth, INPUT, "the input has another number of features");
    rl_expect(call, output.sizes[output.rank - 1] == l->channels, OUTPUT, "the output has another number of features");
    if (call->status != RL_OK) {
        return;
    }
    l->rows = (int32_t)(input.bytes / (uint32_t)l->depth);
    rl_expect(call, (int64_t)l->rows * l->channels == output.bytes, OUTPUT, "the output has another number of rows");
}

static void read_numbers(struct rl_call *call, struct linear *l)
{
    const int32_t *bias = rl_call_bias(call, BIAS, l->channels);
    const int32_t *sums = rl_call_bias(call, KERNEL_SUM, l->channels);
    l->params.input_offset = rl_call_input_offset(call, INPUT_OFFSET);
    l->params.filter_offset = rl_call_input_offset(call, FILTER_OFFSET);
    l->params.output_offset = rl_call_zero_point(call, OUTPUT_OFFSET);
    rl_cmsis_activation(call, ACTIVATION_MIN, ACTIVATION_MAX, &l->params.activation);
    rl_bounded_ints(call, MULTIPLIERS, &l->scale.multiplier, 1, -INT32_MAX, INT32_MAX);
    rl_bounded_ints(call, SHIFTS, &l->scale.shift, 1, -31, 30);
    l->sums = NULL;
    l->bias = bias;
    if (RL_HAS_MVE && sums) {
        l->sums = sums;
        l->bias = NULL;
    } else if (sums && !bias) {
        // They hold the input offset's part already: they are a bias for inputs without offset.
        l->bias = sums;
        l->params.input_offset = 0;
    }
}

// One kernel call for `rows` rows and `channels` channels from `first` on.
static arm_cmsis_nn_status run_block(const struct linear *l, const int8_t *input, int32_t rows, int32_t first,
                                     int32_t channels, const int32_t *bias, const int32_t *sums, int8_t *output)
{
    const cmsis_nn_context context = {.buf = (int32_t *)(uintptr_t)sums,
                                      .size = sums ? channels * (int32_t)sizeof *sums : 0};
    const cmsis_nn_dims input_dims = {.n = rows, .h = 1, .w = 1, .c = l->depth};
    const cmsis_nn_dims filter_dims = {.n = l->depth, .h = 1, .w = 1, .c = channels};
    const cmsis_nn_dims output_dims = {.n = rows, .h = 1, .w = 1, .c = channels};
    const int8_t *weights = l->weights + (ptrdiff_t)first * l->depth;
    return arm_fully_connected_s8(&context, &l->params, &l->scale, &input_dims, input, &filter_dims, weights,
                                  &output_dims, bias, &output_dims, output);
}

// For kernels that need kernel sums and a program that has none: a few channels' sums at a time, on the stack.
static arm_cmsis_nn_status run_with_own_sums(const struct linear *l)
{
    int32_t sums[SUMS_AT_ONCE];
    for (int32_t first = 0; first < l->channels; first += SUMS_AT_ONCE) {
        int32_t channels = l->channels - first < SUMS_AT_ONCE ? l->channels - first : SUMS_AT_ONCE;
        const int8_t *weights = l->weights + (ptrdiff_t)first * l->depth;
        const int32_t *bias = l->bias ? l->bias + first : NULL;
        arm_vector_sum_s8(sums, l->depth, channels, weights, l->params.input_offset, l->params.filter_offset, bias);
        for (int32_t row = 0; row < l->rows; row++) {
            arm_cmsis_nn_status status = run_block(l, l->input + (ptrdiff_t)row * l->depth, 1, first, channels, NULL,
                                                   sums, l->output + (ptrdiff_t)row * l->channels + first);
            if (status != ARM_CMSIS_NN_SUCCESS) {
                return status;
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

// Reads a call; NULL when it is refused.
static const struct linear *read_linear(struct rl_call *call, struct linear *l)
{
    read_tensors(call, l);
    if (call->status == RL_OK) {
        read_numbers(call, l);
    }
    return rl_call_keep(call, l, sizeof *l);
}

enum rl_status rl_run_cm_quantized_linear(struct rl_call *call)
{
    struct linear made;
    const struct linear *l = call->kept ? call->kept : read_linear(call, &made);
    if (!l) {
        return call->status;
    }
    if (RL_HAS_MVE && !l->sums) {
        return rl_kernel_result(call, run_with_own_sums(l));
    }
    return rl_kernel_result(call, run_block(l, l->input, l->rows, 0, l->channels, l->bias, l->sums, l->output));
}
