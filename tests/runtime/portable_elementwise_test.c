// SPDX-License-Identifier: Apache-2.0
//
// Float operators on single elements and along one dimension, against their formulas, in several layouts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { MOST = 512 };

static const uint8_t channels_last[] = {0, 2, 3, 1};

static void fill(float *numbers, uint32_t seed, float scale)
{
    for (int i = 0; i < MOST; i++) {
        numbers[i] = test_random_float(&seed) * scale;
    }
}

static int32_t count_of(int rank, const int32_t *sizes)
{
    int32_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= sizes[i];
    }
    return count;
}

// Offset of logical element k of `out` in a tensor that broadcasts to it.
static int32_t broadcast_offset(int32_t k, int rank, const int32_t *out, int own_rank, const int32_t *own)
{
    int32_t offset = 0, stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        int mine = i - (rank - own_rank);
        int32_t index = k % out[i];
        k /= out[i];
        if (mine < 0) {
            continue;
        }
        offset += own[mine] == 1 ? 0 : index * stride;
        stride *= own[mine];
    }
    return offset;
}

static void check_binary(bool is_add, int left_rank, const int32_t *left, const uint8_t *left_order, int right_rank,
                         const int32_t *right, int rank, const int32_t *out, const uint8_t *out_order)
{
    float a[MOST], b[MOST], result[MOST];
    fill(a, 1, 3);
    fill(b, 2, 3);
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, left_rank, left, left_order, a);
    program_input(&p, RL_FLOAT32, right_rank, right, NULL, b);
    if (is_add) {
        program_double(&p, 0.5);
    }
    program_output(&p, RL_FLOAT32, rank, out, out_order);
    assert_int_equal(program_run(&p, is_add ? "aten::add" : "aten::mul", "out"), RL_OK);
    int32_t count = count_of(rank, out);
    program_result(&p, 0, result, (size_t)count * sizeof *result);
    for (int32_t k = 0; k < count; k++) {
        float x = a[broadcast_offset(k, rank, out, left_rank, left)];
        float y = b[broadcast_offset(k, rank, out, right_rank, right)];
        float scaled = 0.5f * y;
        assert_true(result[k] == (is_add ? x + scaled : x * y));
    }
    program_free(&p);
}

static void add_and_mul_broadcast(void **state)
{
    (void)state;
    static const int32_t full[] = {2, 3, 4, 5}, channel[] = {1, 3, 1, 1}, row[] = {5}, column[] = {4, 1}, one[] = {1};
    static const int32_t tall[] = {3, 1}, wide[] = {1, 4}, square[] = {3, 4};
    for (int is_add = 0; is_add < 2; is_add++) {
        check_binary(is_add, 4, full, NULL, 4, full, 4, full, NULL);
        check_binary(is_add, 4, full, channels_last, 4, full, 4, full, channels_last);
        check_binary(is_add, 4, full, channels_last, 4, full, 4, full, NULL);
        check_binary(is_add, 4, full, channels_last, 4, channel, 4, full, channels_last);
        check_binary(is_add, 4, full, NULL, 1, row, 4, full, NULL);
        check_binary(is_add, 4, full, NULL, 2, column, 4, full, channels_last);
        check_binary(is_add, 4, full, channels_last, 1, one, 4, full, channels_last);
        check_binary(is_add, 2, tall, NULL, 2, wide, 2, square, NULL);
    }
}

static void add_refuses_shapes_that_do_not_broadcast(void **state)
{
    (void)state;
    static const int32_t left[] = {2, 3}, right[] = {2}, out[] = {2, 3};
    float numbers[MOST] = {0};
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 2, left, NULL, numbers);
    program_input(&p, RL_FLOAT32, 1, right, NULL, numbers);
    program_int(&p, 1);
    program_output(&p, RL_FLOAT32, 2, out, NULL);
    assert_int_equal(program_run(&p, "aten::add", "out"), RL_ERROR_TYPE);
    program_free(&p);
}

static void clamps_limit_and_pass_nan(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 3, 4, 5};
    static const char *const names[] = {"aten::relu", "aten::hardtanh", "aten::clamp"};
    float in[MOST], result[60];
    fill(in, 5, 9);
    in[7] = NAN;
    for (int which = 0; which < 3; which++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, channels_last, in);
        if (which == 1) {
            program_int(&p, 0);
            program_int(&p, 6);
        } else if (which == 2) {
            program_double(&p, -0.25);
            program_none(&p);
        }
        program_output(&p, RL_FLOAT32, 4, sizes, which == 1 ? NULL : channels_last);
        assert_int_equal(program_run(&p, names[which], "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 60; k++) {
            float lowest = which == 2 ? -0.25f : 0, highest = which == 1 ? 6 : INFINITY;
            float expected = in[k] > highest ? highest : in[k];
            expected = expected < lowest ? lowest : expected;
            assert_true(result[k] == expected || (isnan(result[k]) && isnan(in[k])));
        }
        program_free(&p);
    }
}

static void softmax_along_each_dimension(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 4, 5};
    static const int32_t strides[] = {60, 20, 5, 1};
    float in[MOST], result[120];
    fill(in, 8, 20);
    for (int dim = -1; dim < 4; dim++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, channels_last, in);
        program_int(&p, dim);
        program_bool(&p, false);
        program_output(&p, RL_FLOAT32, 4, sizes, channels_last);
        assert_int_equal(program_run(&p, "aten::_softmax", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        int axis = dim < 0 ? 3 : dim;
        for (int k = 0; k < 120; k++) {
            int index = k / strides[axis] % sizes[axis];
            double sum = 0;
            for (int j = 0; j < sizes[axis]; j++) {
                sum += exp((double)in[k + (j - index) * strides[axis]]);
            }
            double expected = exp((double)in[k]) / sum;
            assert_true(fabs(result[k] - expected) < 5e-6 * expected + 1e-30); // in - largest is rounded
        }
        program_free(&p);
    }
}

static void mean_over_dimensions(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 4, 5}, images[] = {2, 3}, kept[] = {2, 3, 1, 1}, scalar[] = {1};
    static const int32_t dims[] = {-1, 2};
    float in[MOST], result[6];
    fill(in, 9, 4);
    for (int keep = 0; keep < 2; keep++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, channels_last, in);
        program_ints(&p, 2, dims);
        program_bool(&p, keep);
        program_none(&p);
        program_output(&p, RL_FLOAT32, keep ? 4 : 2, keep ? kept : images, NULL);
        assert_int_equal(program_run(&p, "aten::mean", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 6; k++) {
            double sum = 0;
            for (int j = 0; j < 20; j++) {
                sum += in[k * 20 + j];
            }
            assert_true(fabs(result[k] - sum / 20) < 1e-6);
        }
        program_free(&p);
    }
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, sizes, NULL, in);
    program_none(&p);
    program_bool(&p, false);
    program_none(&p);
    program_output(&p, RL_FLOAT32, 0, scalar, NULL);
    assert_int_equal(program_run(&p, "aten::mean", "out"), RL_OK);
    program_result(&p, 0, result, sizeof(float));
    double sum = 0;
    for (int j = 0; j < 120; j++) {
        sum += in[j];
    }
    assert_true(fabs(result[0] - sum / 120) < 1e-6);
    program_free(&p);
}

static void batch_norm_scales_channels(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 2, 4}, channels = 3, none[] = {0};
    float in[MOST], weight[MOST], bias[MOST], mean[MOST], variance[MOST], result[48];
    fill(in, 1, 4);
    fill(weight, 2, 2);
    fill(bias, 3, 2);
    fill(mean, 4, 1);
    fill(variance, 5, 0.4f);
    for (int c = 0; c < channels; c++) {
        variance[c] += 0.5f;
    }
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, sizes, channels_last, in);
    program_constant(&p, RL_FLOAT32, 1, &channels, weight);
    program_constant(&p, RL_FLOAT32, 1, &channels, bias);
    program_constant(&p, RL_FLOAT32, 1, &channels, mean);
    program_constant(&p, RL_FLOAT32, 1, &channels, variance);
    program_double(&p, 0.1);
    program_double(&p, 1e-5);
    program_output(&p, RL_FLOAT32, 4, sizes, channels_last);
    program_output(&p, RL_FLOAT32, 1, none, NULL);
    program_output(&p, RL_FLOAT32, 1, none, NULL);
    assert_int_equal(program_run(&p, "aten::_native_batch_norm_legit_no_training", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int k = 0; k < 48; k++) {
        int c = k / 8 % 3;
        double expected = (in[k] - mean[c]) / sqrt(variance[c] + 1e-5) * weight[c] + bias[c];
        assert_true(fabs(result[k] - expected) < 1e-5);
    }
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_and_mul_broadcast),     cmocka_unit_test(add_refuses_shapes_that_do_not_broadcast),
        cmocka_unit_test(clamps_limit_and_pass_nan), cmocka_unit_test(softmax_along_each_dimension),
        cmocka_unit_test(mean_over_dimensions),      cmocka_unit_test(batch_norm_scales_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
