// SPDX-License-Identifier: Apache-2.0
//
// Uses the kernels as code written for CMSIS-NN does: its header, its prototypes, its library replaced. Each result is
// small enough to be worked out by hand.
#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"

#include "cmsis_nn_prototypes.h"
#include "cmsis_nn_types.h"

#include <stdio.h>
#include <string.h>

enum { HALF = 0x40000000, SCRATCH_BYTES = 1024 }; // HALF with a shift of 1 multiplies by 1

static uint8_t scratch_bytes[SCRATCH_BYTES];
static int32_t multipliers[] = {HALF, HALF}, shifts[] = {1, 1};
static int failures;

static void expect(const char *function, arm_cmsis_nn_status status, const int8_t *found, const int8_t *expected,
                   size_t count)
{
    if (status == ARM_CMSIS_NN_SUCCESS && memcmp(found, expected, count) == 0) {
        return;
    }
    printf("FAIL: %s: status %d, first result %d instead of %d\n", function, (int)status, found[0], expected[0]);
    failures++;
}

static cmsis_nn_context scratch_of(int32_t bytes)
{
    if (bytes < 0 || bytes > SCRATCH_BYTES) {
        printf("FAIL: a scratch of %ld bytes for a few values\n", (long)bytes);
        failures++;
    }
    return (cmsis_nn_context){scratch_bytes, bytes};
}

// A 1x1 convolution from two channels to two: sum and difference.
static void convolve(void)
{
    static const int8_t input[] = {1, 2, 3, 4}, filter[] = {1, 1, 1, -1}, expected[] = {3, -1, 7, -1};
    static const int32_t bias[] = {0, 0};
    const cmsis_nn_conv_params params = {.stride = {1, 1}, .dilation = {1, 1}, .activation = {INT8_MIN, INT8_MAX}};
    const cmsis_nn_per_channel_quant_params scales = {multipliers, shifts};
    const cmsis_nn_dims in = {1, 1, 2, 2}, kernel = {2, 1, 1, 2}, channels = {1, 1, 1, 2}, out = {1, 1, 2, 2};
    const cmsis_nn_context scratch = scratch_of(arm_convolve_wrapper_s8_get_buffer_size(&params, &in, &kernel, &out));
    int8_t output[4] = {0};
    const arm_cmsis_nn_status status =
        arm_convolve_wrapper_s8(&scratch, &params, &scales, &in, input, &kernel, filter, &channels, bias, &out, output);
    expect("arm_convolve_wrapper_s8", status, output, expected, sizeof expected);
}

// A depthwise window of 1x2 over two channels.
static void depthwise(void)
{
    static const int8_t input[] = {1, 10, 2, 20}, filter[] = {1, 2, 3, 4}, expected[] = {7, 100};
    static const int32_t bias[] = {0, 0};
    const cmsis_nn_dw_conv_params params = {
        .ch_mult = 1, .stride = {1, 1}, .dilation = {1, 1}, .activation = {INT8_MIN, INT8_MAX}};
    const cmsis_nn_per_channel_quant_params scales = {multipliers, shifts};
    const cmsis_nn_dims in = {1, 1, 2, 2}, kernel = {1, 1, 2, 2}, channels = {1, 1, 1, 2}, out = {1, 1, 1, 2};
    const cmsis_nn_context scratch =
        scratch_of(arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &in, &kernel, &out));
    int8_t output[2] = {0};
    const arm_cmsis_nn_status status = arm_depthwise_conv_wrapper_s8(&scratch, &params, &scales, &in, input, &kernel,
                                                                     filter, &channels, bias, &out, output);
    expect("arm_depthwise_conv_wrapper_s8", status, output, expected, sizeof expected);
}

// Kernel sums are made before, as both runtimes do.
static void fully_connected(void)
{
    static const int8_t input[] = {1, 2, 3}, filter[] = {1, 1, 1, -1, 0, 2}, expected[] = {16, 5};
    static const int32_t bias[] = {10, 0};
    const cmsis_nn_fc_params params = {0, 0, 0, {INT8_MIN, INT8_MAX}};
    const cmsis_nn_per_tensor_quant_params scale = {HALF, 1};
    const cmsis_nn_dims in = {1, 1, 1, 3}, kernel = {3, 1, 1, 2}, channels = {1, 1, 1, 2}, out = {1, 1, 1, 2};
    static int32_t sums[2];
    if ((size_t)arm_fully_connected_s8_get_buffer_size(&kernel) > sizeof sums) {
        failures++;
    }
    const cmsis_nn_context scratch = {sums, sizeof sums};
    arm_cmsis_nn_status status = arm_vector_sum_s8(sums, 3, 2, filter, 0, 0, bias);
    int8_t output[2] = {0};
    if (status == ARM_CMSIS_NN_SUCCESS) {
        status = arm_fully_connected_s8(&scratch, &params, &scale, &in, input, &kernel, filter, &channels, bias, &out,
                                        output);
    }
    expect("arm_fully_connected_s8", status, output, expected, sizeof expected);
}

static void add(void)
{
    static const int8_t first[] = {1, -2, 100}, second[] = {4, 5, 100}, expected[] = {5, 3, 127};
    int8_t output[3] = {0};
    const arm_cmsis_nn_status status =
        arm_elementwise_add_s8(first, second, 0, HALF, 1, 0, HALF, 1, 10, output, 0, HALF, -9, INT8_MIN, INT8_MAX, 3);
    expect("arm_elementwise_add_s8", status, output, expected, sizeof expected);
}

static void average(void)
{
    static const int8_t input[] = {1, -10, 3, -20}, expected[] = {2, -15};
    const cmsis_nn_pool_params params = {{1, 1}, {0, 0}, {INT8_MIN, INT8_MAX}};
    const cmsis_nn_dims in = {1, 1, 2, 2}, window = {1, 1, 2, 1}, out = {1, 1, 1, 2};
    const cmsis_nn_context scratch = scratch_of(arm_avgpool_s8_get_buffer_size(1, 2));
    int8_t output[2] = {0};
    const arm_cmsis_nn_status status = arm_avgpool_s8(&scratch, &params, &in, input, &window, &out, output);
    expect("arm_avgpool_s8", status, output, expected, sizeof expected);
}

// Equal inputs have equal shares: a quarter of 256 above the zero point of -128.
static void softmax(void)
{
    static const int8_t input[] = {3, 3, 3, 3}, expected[] = {-64, -64, -64, -64};
    int8_t output[4] = {0};
    arm_softmax_s8(input, 1, 4, HALF, 24, -248, output);
    expect("arm_softmax_s8", ARM_CMSIS_NN_SUCCESS, output, expected, sizeof expected);
}

int main(void)
{
    convolve();
    depthwise();
    fully_connected();
    add();
    average();
    softmax();
    return failures ? 1 : 0;
}
