// SPDX-License-Identifier: Apache-2.0
// Bad arguments, function by function: the status is the one that CMSIS-NN gives, or an error where CMSIS-NN would
// leave the buffers; no byte of a buffer that belongs to the caller changes. Each function first runs with good
// arguments, so that it is the fault which is refused.
#include "calls.h"

#include <string.h>

// The faults.
static void no_scratch(struct call *p)
{
    p->ctx = (cmsis_nn_context){NULL, 0};
}

static void no_second_scratch(struct call *p)
{
    p->second_ctx = (cmsis_nn_context){NULL, 0};
}

static void no_third_scratch(struct call *p)
{
    p->third_ctx = (cmsis_nn_context){NULL, 0};
}

static void padded(struct call *p)
{
    p->conv.padding.w = 1;
}

static void padded_vertically(struct call *p)
{
    p->conv.padding.h = 1;
}

static void two_padded_columns(struct call *p)
{
    p->depthwise.padding.w = 2;
}

static void strided(struct call *p)
{
    p->conv.stride.w = 2;
}

static void strided_vertically(struct call *p)
{
    p->conv.stride.h = 2;
}

static void no_stride(struct call *p)
{
    p->conv.stride.w = 0;
}

static void dilated(struct call *p)
{
    p->conv.dilation.w = 2;
}

static void odd_channels(struct call *p)
{
    p->input_dims.c = p->filter_dims.c = 3;
}

static void two_rows(struct call *p)
{
    p->input_dims.h = 2;
}

static void groups_that_do_not_divide(struct call *p)
{
    p->filter_dims.c = 2;
    p->output_dims.c = 3;
}

static void more_outputs_than_inputs(struct call *p)
{
    p->output_dims.c = 8;
}

static void filter_of_2x3(struct call *p)
{
    p->filter_dims.h = 2;
}

static void filter_of_512_taps(struct call *p)
{
    p->filter_dims.h = p->filter_dims.w = 23;
}

static void smaller_output(struct call *p)
{
    p->output_dims.w = p->input_dims.w - 1;
}

static void larger_output_than_strides_reach(struct call *p)
{
    p->conv.stride = (cmsis_nn_tile){2, 1};
    p->output_dims.w = 4; // 3 inputs lie under it
}

static void no_batch(struct call *p)
{
    p->input_dims.n = 0;
}

static void window_above_the_image(struct call *p)
{
    p->pool.padding.h = p->filter_dims.h; // the first one ends above it
}

static void window_beside_the_image(struct call *p)
{
    p->pool.padding.w = -p->input_dims.w;
}

static void other_batches(struct call *p)
{
    p->input_dims.n = 3;
}

static void other_inner_batches(struct call *p)
{
    p->filter_dims.h = 3;
}

static void no_rank(struct call *p)
{
    p->svdf.rank = 0;
}

static void no_exponential(struct call *p)
{
    p->tables.exp_lut = NULL;
}

static void no_reciprocal(struct call *p)
{
    p->tables.one_by_one_lut = NULL;
}

static void axis_4(struct call *p)
{
    p->permutation[2] = 4;
}

static void axis_3(struct call *p)
{
    p->permutation[1] = 3;
}

// The expected status. Scratch is required if the function's own size function returns more than 0.
enum expected {
    ARGUMENT,
    FAILURE,
    ARGUMENT_ON_HELIUM, // elsewhere the call is a good one
    ARGUMENT_BUT_ON_HELIUM,
    ARGUMENT_WITH_DSP,         // with DSP extension or Helium
    ARGUMENT_WITH_DSP_ONLY,    // with DSP extension and no Helium
    ARGUMENT_OR_NOT_SUPPORTED, // not supported except on Helium
};

struct fault {
    const char *function;
    arm_cmsis_nn_status (*run)(const struct call *);
    enum kind kind;
    const char *text;
    void (*make)(struct call *);
    enum expected expected;
};

#define FAULT(function, kind, fault, expected)                                                                         \
    {                                                                                                                  \
        #function, call_##function, kind, #fault, fault, expected                                                      \
    }
static const struct fault faults[] = {
    FAULT(convolve_wrapper_s8, WINDOW, no_scratch, ARGUMENT),
    FAULT(convolve_wrapper_s8, WINDOW, groups_that_do_not_divide, ARGUMENT),
    FAULT(convolve_wrapper_s8, ROW, no_scratch, ARGUMENT),
    FAULT(convolve_wrapper_s8, POINT, smaller_output, FAILURE),
    FAULT(convolve_wrapper_s8, POINT, larger_output_than_strides_reach, FAILURE),
    FAULT(convolve_s8, WINDOW, no_scratch, ARGUMENT),
    FAULT(convolve_s8, WINDOW, groups_that_do_not_divide, ARGUMENT),
    FAULT(convolve_1x1_s8, POINT, padded, ARGUMENT),
    FAULT(convolve_1x1_s8, POINT, padded_vertically, ARGUMENT),
    FAULT(convolve_1x1_s8, POINT, smaller_output, FAILURE),
    FAULT(convolve_1x1_s8, POINT, larger_output_than_strides_reach, FAILURE),
    FAULT(convolve_1x1_s8_fast, POINT, padded, ARGUMENT),
    FAULT(convolve_1x1_s8_fast, POINT, padded_vertically, ARGUMENT),
    FAULT(convolve_1x1_s8_fast, POINT, strided, ARGUMENT),
    FAULT(convolve_1x1_s8_fast, POINT, strided_vertically, ARGUMENT),
    FAULT(convolve_1x1_s8_fast, POINT, smaller_output, FAILURE),
    FAULT(convolve_1_x_n_s8, ROW, no_scratch, ARGUMENT),
    FAULT(convolve_1_x_n_s8, ROW, two_rows, ARGUMENT),
    FAULT(convolve_1_x_n_s8, ROW, dilated, ARGUMENT),
    FAULT(convolve_1_x_n_s8, ROW, no_stride, ARGUMENT),
    FAULT(convolve_1_x_n_s8, ROW, odd_channels, ARGUMENT),
    FAULT(convolve_wrapper_s4, WINDOW, no_scratch, ARGUMENT),
    FAULT(convolve_wrapper_s4, POINT, smaller_output, FAILURE),
    FAULT(convolve_wrapper_s4, POINT, larger_output_than_strides_reach, FAILURE),
    FAULT(convolve_s4, WINDOW, no_scratch, ARGUMENT),
    FAULT(convolve_even_s4, WINDOW, no_scratch, ARGUMENT_OR_NOT_SUPPORTED),
    FAULT(convolve_even_s4, WINDOW, odd_channels, ARGUMENT_OR_NOT_SUPPORTED),
    FAULT(convolve_1x1_s4, POINT, padded, ARGUMENT),
    FAULT(convolve_1x1_s4, POINT, padded_vertically, ARGUMENT),
    FAULT(convolve_1x1_s4, POINT, smaller_output, FAILURE),
    FAULT(convolve_1x1_s4, POINT, larger_output_than_strides_reach, FAILURE),
    FAULT(convolve_1x1_s4_fast, POINT, padded, ARGUMENT),
    FAULT(convolve_1x1_s4_fast, POINT, strided, ARGUMENT),
    FAULT(convolve_1x1_s4_fast, POINT, strided_vertically, ARGUMENT),
    FAULT(convolve_1x1_s4_fast, POINT, smaller_output, FAILURE),
    FAULT(convolve_1_x_n_s4, ROW, no_scratch, ARGUMENT_BUT_ON_HELIUM), // where it needs none
    FAULT(convolve_1_x_n_s4, ROW, two_rows, ARGUMENT),
    FAULT(convolve_1_x_n_s4, ROW, dilated, ARGUMENT),
    FAULT(convolve_1_x_n_s4, ROW, no_stride, ARGUMENT),
    FAULT(convolve_1_x_n_s4, ROW, odd_channels, ARGUMENT),
    FAULT(convolve_s16, WINDOW, no_scratch, ARGUMENT),
    FAULT(convolve_wrapper_s16, WINDOW, no_scratch, ARGUMENT),
    FAULT(depthwise_wrapper_s8, WINDOW, no_scratch, ARGUMENT_ON_HELIUM), // 3x3 needs none elsewhere
    FAULT(depthwise_wrapper_s8, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_s8, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_s8_opt, WINDOW, no_scratch, ARGUMENT_WITH_DSP),
    FAULT(depthwise_s8_opt, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_3x3_s8, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_3x3_s8, WINDOW, filter_of_2x3, ARGUMENT),
    FAULT(depthwise_3x3_s8, WINDOW, two_padded_columns, ARGUMENT),
    FAULT(depthwise_wrapper_s4, WINDOW, no_scratch, ARGUMENT),
    FAULT(depthwise_wrapper_s4, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_s4, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_s4_opt, WINDOW, no_scratch, ARGUMENT),
    FAULT(depthwise_s4_opt, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_wrapper_s16, WINDOW, no_scratch, ARGUMENT_WITH_DSP),
    FAULT(depthwise_wrapper_s16, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_s16, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_fast_s16, WINDOW, no_scratch, ARGUMENT_WITH_DSP),
    FAULT(depthwise_fast_s16, WINDOW, more_outputs_than_inputs, ARGUMENT),
    FAULT(depthwise_fast_s16, WINDOW, filter_of_512_taps, ARGUMENT),
    FAULT(transpose_conv_wrapper_s8, TRANSPOSED, no_scratch, ARGUMENT),
    FAULT(transpose_conv_wrapper_s8, TRANSPOSED, no_second_scratch, ARGUMENT),
    FAULT(fully_connected_s8, MATRIX, no_scratch, ARGUMENT_ON_HELIUM),
    FAULT(fully_connected_per_channel_s8, MATRIX, no_scratch, ARGUMENT_ON_HELIUM),
    FAULT(fully_connected_wrapper_s8, MATRIX, no_scratch, ARGUMENT_ON_HELIUM),
    FAULT(batch_matmul_s8, PRODUCT, no_scratch, ARGUMENT_ON_HELIUM),
    FAULT(batch_matmul_s8, PRODUCT, other_batches, ARGUMENT),
    FAULT(batch_matmul_s8, PRODUCT, other_inner_batches, ARGUMENT),
    FAULT(batch_matmul_s16, PRODUCT, other_batches, ARGUMENT),
    FAULT(batch_matmul_s16, PRODUCT, other_inner_batches, ARGUMENT),
    FAULT(svdf_s8, RECURRENT, no_scratch, ARGUMENT_ON_HELIUM),
    FAULT(svdf_s8, RECURRENT, no_second_scratch, ARGUMENT),
    FAULT(svdf_s8, RECURRENT, no_third_scratch, ARGUMENT),
    FAULT(svdf_s8, RECURRENT, no_rank, ARGUMENT),
    FAULT(svdf_state_s16_s8, RECURRENT, no_second_scratch, ARGUMENT),
    FAULT(svdf_state_s16_s8, RECURRENT, no_third_scratch, ARGUMENT),
    FAULT(svdf_state_s16_s8, RECURRENT, no_rank, ARGUMENT),
    FAULT(average_s8, POOL, no_scratch, ARGUMENT_WITH_DSP_ONLY),
    FAULT(average_s8, POOL, no_batch, ARGUMENT),
    FAULT(average_s8, POOL, window_above_the_image, ARGUMENT),
    FAULT(average_s8, POOL, window_beside_the_image, ARGUMENT),
    FAULT(average_s16, POOL, no_scratch, ARGUMENT_WITH_DSP_ONLY),
    FAULT(average_s16, POOL, no_batch, ARGUMENT),
    FAULT(average_s16, POOL, window_above_the_image, ARGUMENT),
    FAULT(average_s16, POOL, window_beside_the_image, ARGUMENT),
    FAULT(maximum_s8, POOL, no_batch, ARGUMENT),
    FAULT(maximum_s16, POOL, no_batch, ARGUMENT),
    FAULT(softmax_s16, PERMUTED, no_exponential, ARGUMENT),
    FAULT(softmax_s16, PERMUTED, no_reciprocal, ARGUMENT),
    FAULT(transpose_s8, PERMUTED, axis_4, ARGUMENT),
    FAULT(transpose_3_axes, PERMUTED, axis_3, ARGUMENT),
};

static arm_cmsis_nn_status expected_status(enum expected expected)
{
    // The sizes of this core tell what it is.
    const cmsis_nn_dims filter_dims = {1, 1, 1, 1};
    const bool helium = arm_fully_connected_s8_get_buffer_size(&filter_dims) > 0;
    const bool dsp = arm_depthwise_conv_s8_opt_get_buffer_size(&filter_dims, &filter_dims) > 0;
    switch (expected) {
    case ARGUMENT:
        return ARM_CMSIS_NN_ARG_ERROR;
    case FAILURE:
        return ARM_CMSIS_NN_FAILURE;
    case ARGUMENT_ON_HELIUM:
        return helium ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
    case ARGUMENT_BUT_ON_HELIUM:
        return helium ? ARM_CMSIS_NN_SUCCESS : ARM_CMSIS_NN_ARG_ERROR;
    case ARGUMENT_WITH_DSP:
        return dsp ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
    case ARGUMENT_WITH_DSP_ONLY:
        return dsp && !helium ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
    default:
        return helium ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_NO_IMPL_ERROR;
    }
}

static void test_good_calls(struct rl_case *c)
{
    rl_test_start(c, "good_calls_succeed");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        rl_case_begin(c, "%s", faults[i].function);
        struct call call;
        good_call(c, faults[i].kind, &call);
        const arm_cmsis_nn_status status = faults[i].run(&call);
        if (faults[i].expected == ARGUMENT_OR_NOT_SUPPORTED) {
            rl_case_expect(c, status != ARM_CMSIS_NN_ARG_ERROR, "success, or no implementation");
        } else {
            rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_faults(struct rl_case *c)
{
    static int8_t output[CALL_BYTES], state[CALL_BYTES];
    rl_test_start(c, "bad_calls_have_the_status_of_cmsis_nn_and_touch_nothing");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const struct fault *fault = &faults[i];
        rl_case_begin(c, "%s, %s", fault->function, fault->text);
        struct call call;
        good_call(c, fault->kind, &call);
        fault->make(&call);
        memcpy(output, call.output, CALL_BYTES);
        memcpy(state, call.state, CALL_BYTES);
        const int32_t status = fault->run(&call), expected = expected_status(fault->expected);
        rl_case_equal_s32(c, "status", &expected, &status, 1);
        if (expected != ARM_CMSIS_NN_SUCCESS) {
            rl_case_equal_s8(c, "output", output, call.output, CALL_BYTES);
            rl_case_equal_s8(c, "state", state, call.state, CALL_BYTES);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_good_calls(&c);
    test_faults(&c);
    return rl_test_finish(&c);
}
