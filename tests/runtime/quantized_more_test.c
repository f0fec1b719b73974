// SPDX-License-Identifier: Apache-2.0
//
// The Cortex-M operators beyond convolutional networks: table activation, division, extrema, batched matmul; forms
// whose logical sizes are N, H, W, C; several planned buffers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "runtime/program_file.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

static void fill(int8_t *numbers, int count, uint32_t seed)
{
    for (int i = 0; i < count; i++) {
        numbers[i] = (int8_t)test_random_int(&seed, -128, 127);
    }
}

static void activation_looks_every_value_up(void **state)
{
    (void)state;
    static const int32_t sizes[] = {256};
    int8_t in[256], table[256], result[256];
    fill(table, 256, 1);
    for (int i = 0; i < 256; i++) {
        in[i] = (int8_t)(127 - i);
    }
    struct test_program p = {0};
    program_input(&p, RL_INT8, 1, sizes, NULL, in);
    program_constant(&p, RL_INT8, 1, sizes, table);
    program_output(&p, RL_INT8, 1, sizes, NULL);
    assert_int_equal(program_run(&p, "cortex_m::quantized_activation", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int i = 0; i < 256; i++) {
        assert_int_equal(result[i], table[in[i] + 128]);
    }
    program_free(&p);
}

static void activation_refuses_a_short_table(void **state)
{
    (void)state;
    static const int32_t sizes[] = {16}, entries[] = {255};
    int8_t bytes[256] = {0};
    struct test_program p = {0};
    program_input(&p, RL_INT8, 1, sizes, NULL, bytes);
    program_constant(&p, RL_INT8, 1, entries, bytes);
    program_output(&p, RL_INT8, 1, sizes, NULL);
    assert_int_equal(program_run(&p, "cortex_m::quantized_activation", "out"), RL_ERROR_TYPE);
    program_free(&p);
}

static void division_rounds_away_from_zero_and_saturates(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 3, 8, 8};
    int8_t left[192], right[192], result[192];
    fill(left, 192, 2);
    fill(right, 192, 3);
    right[5] = 4; // the zero point: division by zero
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, sizes, channels_last, left);
    program_int(&p, -3);
    program_input(&p, RL_INT8, 4, sizes, channels_last, right);
    program_int(&p, 4);
    program_int(&p, 10);
    program_double(&p, 20.5);
    program_output(&p, RL_INT8, 4, sizes, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::quantized_div", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int i = 0; i < 192; i++) {
        float quotient = right[i] == 4 ? 0 : (float)(left[i] + 3) / (float)(right[i] - 4);
        float expected = fmaxf(fminf(roundf(quotient * 20.5f) + 10, 127), -128);
        assert_int_equal(result[i], (int)expected);
    }
    program_free(&p);
}

static void extrema_broadcast(void **state)
{
    (void)state;
    static const int32_t full[] = {1, 5, 3, 4}, channel[] = {1, 5, 1, 1}, row[] = {4};
    // The stock flow gives images that are channels-last a contiguous output, and compares them with numbers.
    static const struct {
        const int32_t *sizes;
        int rank, count, divisor; // element of the small tensor: k / divisor % count
        const uint8_t *left_order, *order, *output_order;
    } small[] = {
        {full, 4, 60, 1, channels_last, channels_last, channels_last},
        {channel, 4, 5, 12, channels_last, channels_last, channels_last},
        {row, 1, 4, 1, NULL, NULL, NULL},
        {full, 0, 1, 1, channels_last, NULL, channels_last},
        {full, 4, 60, 1, channels_last, channels_last, NULL},
        {full, 4, 60, 1, channels_last, NULL, channels_last},
        {row, 1, 4, 1, channels_last, NULL, NULL},
        {row, 1, 4, 1, NULL, NULL, channels_last},
    };
    int8_t left[60], right[60], result[60];
    fill(left, 60, 4);
    fill(right, 60, 5);
    for (size_t i = 0; i < 2 * sizeof small / sizeof small[0]; i++) {
        bool is_maximum = i % 2;
        struct test_program p = {0};
        program_input(&p, RL_INT8, 4, full, small[i / 2].left_order, left);
        program_input(&p, RL_INT8, small[i / 2].rank, small[i / 2].sizes, small[i / 2].order, right);
        program_output(&p, RL_INT8, 4, full, small[i / 2].output_order);
        assert_int_equal(program_run(&p, is_maximum ? "cortex_m::maximum" : "cortex_m::minimum", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 60; k++) {
            int8_t other = right[k / small[i / 2].divisor % small[i / 2].count];
            bool left_wins = is_maximum ? left[k] > other : left[k] < other;
            assert_int_equal(result[k], left_wins ? left[k] : other);
        }
        program_free(&p);
    }
}

static void batch_matmul_multiplies_each_pair(void **state)
{
    (void)state;
    enum { BATCH = 2, ROWS = 3, DEPTH = 21, COLUMNS = 5 };
    static const int32_t left_sizes[] = {BATCH, ROWS, DEPTH}, right_sizes[] = {BATCH, COLUMNS, DEPTH};
    static const int32_t out[] = {BATCH, ROWS, COLUMNS};
    int8_t left[BATCH * ROWS * DEPTH], right[BATCH * COLUMNS * DEPTH], result[BATCH * ROWS * COLUMNS];
    fill(left, sizeof left, 6);
    fill(right, sizeof right, 7);
    struct test_program p = {0};
    program_input(&p, RL_INT8, 3, left_sizes, NULL, left);
    program_int(&p, 3);
    program_input(&p, RL_INT8, 3, right_sizes, NULL, right);
    program_int(&p, -9);
    program_int(&p, 4);
    program_int(&p, 1 << 30);
    program_int(&p, -9);
    program_scratch(&p, 4 * COLUMNS);
    program_output(&p, RL_INT8, 3, out, NULL);
    assert_int_equal(program_run(&p, "cortex_m::quantized_batch_matmul", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int b = 0; b < BATCH; b++) {
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLUMNS; c++) {
                int32_t sum = 0;
                for (int k = 0; k < DEPTH; k++) {
                    sum += (left[(b * ROWS + r) * DEPTH + k] + 3) * (right[(b * COLUMNS + c) * DEPTH + k] - 9);
                }
                double exact = fmin(fmax(sum / 1024.0 + 4, -128), 127);
                assert_true(fabs(result[(b * ROWS + r) * COLUMNS + c] - exact) <= 1);
            }
        }
    }
    program_free(&p);
}

// Each input pixel spreads over a window of the output: summed up here the other way round, output by output.
static void transposed_convolution_spreads_each_pixel(void **state)
{
    (void)state;
    enum { IN_C = 18, OUT_C = 3, IN_H = 3, IN_W = 4, K = 3, STRIDE = 2, PAD = 1, EXTRA = 1, OUT_H = 6, OUT_W = 8 };
    static const int32_t in_sizes[] = {1, IN_C, IN_H, IN_W}, weight_sizes[] = {OUT_C, K, K, IN_C};
    static const int32_t out_sizes[] = {1, OUT_C, OUT_H, OUT_W}, channels[] = {OUT_C};
    static const int32_t multipliers[] = {1 << 30, 1 << 30, 1 << 30}, shifts[] = {-8, -9, -10}, bias[] = {100, -50, 7};
    static int8_t in[IN_C * IN_H * IN_W], weight[OUT_C * K * K * IN_C], result[OUT_C * OUT_H * OUT_W];
    fill(in, sizeof in, 9);
    fill(weight, sizeof weight, 10);
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, in_sizes, channels_last, in);
    program_constant(&p, RL_INT8, 4, weight_sizes, weight);
    program_constant(&p, RL_INT32, 1, channels, bias);
    program_ints(&p, 2, (int32_t[]){STRIDE, STRIDE});
    program_ints(&p, 2, (int32_t[]){PAD, PAD});
    program_ints(&p, 2, (int32_t[]){EXTRA, EXTRA});
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_int(&p, 4);
    program_int(&p, -2);
    program_constant(&p, RL_INT32, 1, channels, multipliers);
    program_constant(&p, RL_INT32, 1, channels, shifts);
    program_int(&p, -120);
    program_int(&p, 120);
    program_scratch(&p, 65536);
    program_scratch(&p, 65536);
    program_output(&p, RL_INT8, 4, out_sizes, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::quantized_transpose_conv2d", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int o = 0; o < OUT_C; o++) {
        for (int k = 0; k < OUT_H * OUT_W; k++) {
            int32_t sum = bias[o];
            for (int i = 0; i < IN_H * IN_W * IN_C; i++) {
                int c = i / (IN_H * IN_W), ky = k / OUT_W + PAD - i / IN_W % IN_H * STRIDE;
                int kx = k % OUT_W + PAD - i % IN_W * STRIDE;
                if (ky >= 0 && ky < K && kx >= 0 && kx < K) {
                    sum += (in[i] + 4) * weight[((o * K + ky) * K + kx) * IN_C + c];
                }
            }
            double exact = fmin(fmax(ldexp(sum, shifts[o] - 1) - 2, -120), 120);
            assert_true(fabs(result[o * OUT_H * OUT_W + k] - exact) <= 1);
        }
    }
    program_free(&p);
}

// The same memory under two names of its dimensions gives the same memory.
static void nhwc_forms_compute_the_same(void **state)
{
    (void)state;
    static const int32_t nchw[] = {1, 3, 6, 5}, nhwc[] = {1, 6, 5, 3}, out_nchw[] = {1, 3, 3, 2},
                         out_nhwc[] = {1, 3, 2, 3};
    int8_t in[90], by_name[90], first[18], second[18], expected[18];
    fill(in, 90, 8);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 30; k++) {
            by_name[k * 3 + c] = in[c * 30 + k];
        }
    }
    for (int which = 0; which < 2; which++) {
        struct test_program p = {0};
        program_input(&p, RL_INT8, 4, which ? nhwc : nchw, which ? NULL : channels_last, which ? by_name : in);
        for (int i = 0; i < 2; i++) {
            program_ints(&p, 2, (int32_t[]){2, 2});
        }
        program_ints(&p, 2, (int32_t[]){0, 0});
        program_ints(&p, 2, (int32_t[]){1, 1});
        program_bool(&p, false);
        program_int(&p, 0);
        program_int(&p, 0);
        program_int(&p, -100);
        program_int(&p, 100);
        program_output(&p, RL_INT8, 4, which ? out_nhwc : out_nchw, which ? NULL : channels_last);
        const char *name = which ? "cortex_m::quantized_max_pool2d_nhwc" : "cortex_m::quantized_max_pool2d";
        assert_int_equal(program_run(&p, name, "out"), RL_OK);
        program_result(&p, 0, which ? second : first, 18);
        program_free(&p);
    }
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 6; k++) {
            expected[k * 3 + c] = first[c * 6 + k];
        }
    }
    assert_memory_equal(second, expected, 18);
}

struct ceil_case {
    int32_t input, kernel, stride, padding, output;
};

// One column of pixels under windows that count only the pixels they find.
static int pool_slowly(const struct ceil_case *c, const int8_t *in, int32_t place, bool is_max)
{
    int count = 0, sum = 0, most = -128;
    for (int32_t k = 0; k < c->kernel; k++) {
        const int32_t at = place * c->stride - c->padding + k;
        if (at >= 0 && at < c->input) {
            most = in[at] > most ? in[at] : most;
            sum += in[at];
            count++;
        }
    }
    return is_max ? most : (sum + (sum > 0 ? count / 2 : -(count / 2))) / count;
}

static enum rl_status run_ceil_pool(const struct ceil_case *c, const int8_t *in, bool is_max, int8_t *result)
{
    const int32_t sizes[] = {1, 1, c->input, 1}, out_sizes[] = {1, 1, c->output, 1};
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, sizes, channels_last, in);
    program_ints(&p, 2, (int32_t[]){c->kernel, 1});
    program_ints(&p, 2, (int32_t[]){c->stride, 1});
    program_ints(&p, 2, (int32_t[]){c->padding, 0});
    if (is_max) {
        program_ints(&p, 2, (int32_t[]){1, 1});
    }
    program_bool(&p, true);
    for (int i = 0; i < 2; i++) {
        program_int(&p, 0);
    }
    if (is_max) {
        program_int(&p, -128);
        program_int(&p, 127);
    } else {
        program_int(&p, 0);
        program_scratch(&p, 16);
    }
    program_output(&p, RL_INT8, 4, out_sizes, channels_last);
    const char *name = is_max ? "cortex_m::quantized_max_pool2d" : "cortex_m::quantized_avg_pool2d";
    const enum rl_status status = program_run(&p, name, "out");
    if (status == RL_OK) {
        program_result(&p, 0, result, (size_t)c->output);
    }
    program_free(&p);
    return status;
}

// The last window may hang over the end, and the only one may be larger than the whole input. The sizes are PyTorch's.
static void pools_in_ceil_mode_hang_over_the_end(void **state)
{
    (void)state;
    static const struct ceil_case cases[] = {
        {2, 3, 2, 0, 1}, {1, 3, 3, 0, 1}, {1, 2, 2, 0, 1}, {3, 4, 2, 0, 1}, {1, 4, 2, 1, 1},
        {5, 3, 2, 1, 3}, {6, 3, 2, 0, 3}, {4, 2, 3, 0, 2}, {3, 2, 2, 1, 2}, {7, 5, 3, 2, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int is_max = 0; is_max < 2; is_max++) {
            int8_t in[8], result[4];
            fill(in, 8, (uint32_t)i + 1);
            assert_int_equal(run_ceil_pool(&cases[i], in, is_max, result), RL_OK);
            for (int32_t k = 0; k < cases[i].output; k++) {
                assert_int_equal(result[k], pool_slowly(&cases[i], in, k, is_max));
            }
            struct ceil_case wrong = cases[i];
            wrong.output++;
            assert_int_not_equal(run_ceil_pool(&wrong, in, is_max, result), RL_OK);
        }
    }
}

// A tensor in the second planned buffer is found there, and neither buffer is left.
static void several_planned_buffers(void **state)
{
    (void)state;
    static const int32_t sizes[] = {8};
    static const uint8_t order[] = {0};
    static const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, sizes, order, 0, 1, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, sizes, order, 0, 3, 16}},
    };
    static const int32_t args[] = {0, 1, 1}, in[] = {0}, out[] = {1};
    static const struct rl_pte_operator_description op = {"aten::relu", "out"};
    static const struct rl_pte_instruction_description instruction = {0, 3, args};
    static const int64_t buffers[] = {32, 0, 48};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = 2,
                                                     .values = values,
                                                     .input_count = 1,
                                                     .inputs = in,
                                                     .output_count = 1,
                                                     .outputs = out,
                                                     .operator_count = 1,
                                                     .operators = &op,
                                                     .instruction_count = 1,
                                                     .instructions = &instruction,
                                                     .buffer_count = 3,
                                                     .buffer_sizes = buffers};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    const float data[8] = {-1, 2, -3, 4, -5, 6, -7, 8};
    struct rl_tensor tensor;
    struct runnable r;
    size_t size;
    uint8_t *file = write_description(&description, &size);
    assert_int_equal(runnable_open(&r, file, size, true), RL_OK);
    assert_int_equal(r.buffer_count, 3);
    assert_int_equal(r.buffers[2].bytes, 48);
    assert_int_equal(rl_method_set_input(&r.method, 0, data, sizeof data), RL_OK);
    assert_int_equal(rl_method_execute(&r.method), RL_OK);
    assert_int_equal(rl_method_output(&r.method, 0, &tensor), RL_OK);
    assert_ptr_equal(tensor.data, (uint8_t *)r.buffers[2].data + 16);
    assert_true(((const float *)tensor.data)[6] == 0 && ((const float *)tensor.data)[7] == 8);
    runnable_free(&r);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activation_looks_every_value_up),
        cmocka_unit_test(activation_refuses_a_short_table),
        cmocka_unit_test(division_rounds_away_from_zero_and_saturates),
        cmocka_unit_test(extrema_broadcast),
        cmocka_unit_test(batch_matmul_multiplies_each_pair),
        cmocka_unit_test(transposed_convolution_spreads_each_pixel),
        cmocka_unit_test(nhwc_forms_compute_the_same),
        cmocka_unit_test(pools_in_ceil_mode_hang_over_the_end),
        cmocka_unit_test(several_planned_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
