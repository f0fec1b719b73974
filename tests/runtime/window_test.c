// SPDX-License-Identifier: Apache-2.0
//
// Windows over images at the ends of what is allowed: images of no pixels, windows larger than the image, all padding,
// strides over everything. What comes out is tested elsewhere; here, that operators touch nothing but their own
// tensors.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/pte_run.h"
#include "runtime/operator_program.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

// One window along rows, another along columns.
struct window {
    int32_t input[2], kernel[2], stride[2], padding[2], dilation[2], output[2];
};

static int32_t output_of(const struct window *w, int axis, bool transposed)
{
    const int32_t reach = w->dilation[axis] * (w->kernel[axis] - 1) + 1;
    if (transposed) {
        return (w->input[axis] - 1) * w->stride[axis] - 2 * w->padding[axis] + reach;
    }
    const int32_t room = w->input[axis] + 2 * w->padding[axis] - reach;
    return room < 0 ? -1 : room / w->stride[axis] + 1;
}

// Numbers that count through all windows, the two axes with different ones. False when there is no such output.
static bool find_window(uint32_t index, bool transposed, struct window *w)
{
    for (int axis = 0; axis < 2; axis++) {
        uint32_t rest = axis == 0 ? index : index * 7 + 3;
        w->input[axis] = (int32_t)(rest % 5);
        w->kernel[axis] = (int32_t)(rest / 5 % 4) + 1;
        w->stride[axis] = (int32_t)(rest / 20 % 3) + 1;
        w->padding[axis] = (int32_t)(rest / 60 % 3);
        w->dilation[axis] = (int32_t)(rest / 180 % 2) + 1;
        w->output[axis] = output_of(w, axis, transposed);
    }
    return w->output[0] >= 0 && w->output[1] >= 0;
}

enum { WINDOWS = 360, MOST_CHANNELS = 24 };

// Input and output channels, groups.
static const int32_t channels[][3] = {{1, 1, 1}, {3, 5, 1}, {4, 4, 4}, {17, 4, 1}, {24, 24, 24}, {2, 8, 2}, {3, 0, 1}};

static uint32_t run(struct test_program *p, const char *name)
{
    program_write(p, name, "out");
    const uint32_t calls = rl_fuzz_program(p->file, p->file_bytes, &rl_registry_all);
    program_free(p);
    return calls;
}

static void add_image(struct test_program *p, enum rl_scalar_type dtype, int32_t sizes[4], int32_t count,
                      const int32_t plane[2], bool is_output)
{
    const int32_t all[] = {1, count, plane[0], plane[1]};
    memcpy(sizes, all, sizeof all);
    if (is_output) {
        program_output(p, dtype, 4, sizes, dtype == RL_INT8 ? channels_last : NULL);
    } else {
        program_input(p, dtype, 4, sizes, dtype == RL_INT8 ? channels_last : NULL, NULL);
    }
}

static void add_scales(struct test_program *p, const int32_t *count)
{
    static const int32_t multipliers[MOST_CHANNELS] = {1 << 30, 1 << 29}, shifts[MOST_CHANNELS] = {-8, -7, -31, 30};
    program_int(p, 128);
    program_int(p, -128);
    program_constant(p, RL_INT32, 1, count, multipliers);
    program_constant(p, RL_INT32, 1, count, shifts);
    program_int(p, -128);
    program_int(p, 127);
}

static uint32_t run_convolution(const struct window *w, const int32_t c[3], bool depthwise, bool transposed)
{
    static const int8_t taps[MOST_CHANNELS * MOST_CHANNELS * 16] = {1, -128, 127};
    int32_t in[4], out[4], weight[] = {c[1], w->kernel[0], w->kernel[1], c[0] / c[2]};
    static const int32_t none[] = {0, 0};
    struct test_program p = {0};
    if (depthwise) {
        weight[0] = 1;
        weight[3] = c[1];
    }
    add_image(&p, RL_INT8, in, c[0], w->input, false);
    program_constant(&p, RL_INT8, 4, weight, taps);
    program_none(&p);
    program_ints(&p, 2, w->stride);
    program_ints(&p, 2, w->padding);
    if (transposed) {
        program_ints(&p, 2, none);
    }
    program_ints(&p, 2, w->dilation);
    if (depthwise) {
        program_int(&p, c[1] / c[0]);
    }
    add_scales(&p, &c[1]);
    program_scratch(&p, 4096);
    if (transposed) {
        program_scratch(&p, 4096);
    }
    add_image(&p, RL_INT8, out, c[1], w->output, true);
    if (transposed) {
        return run(&p, "cortex_m::quantized_transpose_conv2d");
    }
    return run(&p, depthwise ? "cortex_m::quantized_depthwise_conv2d" : "cortex_m::quantized_conv2d");
}

static void integer_convolutions_stay_in_their_tensors(void **state)
{
    (void)state;
    uint32_t calls[3] = {0};
    struct window w;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        for (size_t k = 0; k < sizeof channels / sizeof *channels; k++) {
            const int32_t *c = channels[k];
            if (find_window(i, false, &w)) {
                calls[0] += run_convolution(&w, c, false, false);
                calls[1] += c[2] == c[0] ? run_convolution(&w, c, true, false) : 0;
            }
            if (c[2] == 1 && find_window(i, true, &w)) {
                calls[2] += run_convolution(&w, c, false, true);
            }
        }
    }
    assert_true(calls[0] > 0 && calls[1] > 0 && calls[2] > 0);
}

static void float_convolutions_stay_in_their_tensors(void **state)
{
    (void)state;
    static const float taps[MOST_CHANNELS * MOST_CHANNELS * 16];
    uint32_t calls = 0;
    struct window w;
    for (uint32_t i = 0; i < 2 * WINDOWS; i++) {
        const bool transposed = i >= WINDOWS;
        for (size_t k = 0; find_window(i % WINDOWS, transposed, &w) && k < sizeof channels / sizeof *channels; k++) {
            const int32_t *c = channels[k];
            int32_t in[4], out[4];
            const int32_t weight[] = {transposed ? c[0] : c[1], transposed ? c[1] / c[2] : c[0] / c[2], w.kernel[0],
                                      w.kernel[1]};
            struct test_program p = {0};
            add_image(&p, RL_FLOAT32, in, c[0], w.input, false);
            program_constant(&p, RL_FLOAT32, 4, weight, taps);
            program_none(&p);
            program_ints(&p, 2, w.stride);
            program_ints(&p, 2, w.padding);
            program_ints(&p, 2, w.dilation);
            program_bool(&p, transposed);
            program_ints(&p, 2, (int32_t[]){0, 0});
            program_int(&p, c[2]);
            add_image(&p, RL_FLOAT32, out, c[1], w.output, true);
            calls += run(&p, "aten::convolution");
        }
    }
    assert_true(calls > 0);
}

enum pool_kind { AVERAGE, MAXIMUM, SCALED_AVERAGE, POOL_KINDS };

static uint32_t run_pool(enum pool_kind kind, const struct window *w, int32_t channels)
{
    static const char *const names[POOL_KINDS] = {"cortex_m::quantized_avg_pool2d", "cortex_m::quantized_max_pool2d",
                                                  "rushlight::quantized_avg_pool2d"};
    int32_t in[4], out[4];
    struct test_program p = {0};
    add_image(&p, RL_INT8, in, channels, w->input, false);
    program_ints(&p, 2, w->kernel);
    program_ints(&p, 2, w->stride);
    program_ints(&p, 2, w->padding);
    if (kind == MAXIMUM) {
        program_ints(&p, 2, w->dilation);
    }
    if (kind != SCALED_AVERAGE) {
        program_bool(&p, false);
    }
    program_int(&p, 0);
    if (kind == MAXIMUM) {
        program_int(&p, 0);
        program_int(&p, -128);
        program_int(&p, 127);
    } else {
        if (kind == SCALED_AVERAGE) {
            program_int(&p, 0);
        }
        program_int(&p, 1 << 30);
        program_int(&p, 1);
    }
    if (kind == AVERAGE) {
        program_scratch(&p, 0);
    }
    add_image(&p, RL_INT8, out, channels, w->output, true);
    return run(&p, names[kind]);
}

static void pools_stay_in_their_tensors(void **state)
{
    (void)state;
    static const int32_t counts[] = {1, 3, 16, 17};
    uint32_t calls[POOL_KINDS] = {0};
    struct window w;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        if (!find_window(i, false, &w)) {
            continue;
        }
        for (size_t k = 0; k < POOL_KINDS * (sizeof counts / sizeof *counts); k++) {
            calls[k % POOL_KINDS] += run_pool((enum pool_kind)(k % POOL_KINDS), &w, counts[k / POOL_KINDS]);
        }
    }
    for (int kind = 0; kind < POOL_KINDS; kind++) {
        assert_true(calls[kind] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_convolutions_stay_in_their_tensors),
        cmocka_unit_test(float_convolutions_stay_in_their_tensors),
        cmocka_unit_test(pools_stay_in_their_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
