// SPDX-License-Identifier: Apache-2.0
//
// Float functions, reductions, matrix products, expansion and upsampling, against their formulas.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { MOST = 512 };

static const uint8_t channels_last[] = {0, 2, 3, 1};
static const uint8_t transposed[] = {1, 0};

static void fill(float *numbers, uint32_t seed, float scale)
{
    for (int i = 0; i < MOST; i++) {
        numbers[i] = test_random_float(&seed) * scale;
    }
}

// ---- functions of one element

static double gelu_none(double x)
{
    return x * 0.5 * (1 + erf(x / sqrt(2)));
}

static double gelu_tanh(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double negative(double x)
{
    return -x;
}

static double elu(double x)
{
    return x > 0 ? 1.5 * x : 1.5 * 0.7 * (exp(0.5 * x) - 1);
}

static double leaky(double x)
{
    return x > 0 ? x : 0.01 * x;
}

static double plus(double x)
{
    return x + 3 * 0.5;
}

static double minus(double x)
{
    return x - 3 * 0.5;
}

static double times(double x)
{
    return x * 2.5;
}

static double over(double x)
{
    return x / 2.5;
}

static const struct {
    const char *name, *overload, *form;
    double (*expected)(double);
    bool positive; // the function takes only such
    int count;
    double numbers[3];
} functions[] = {
    {"aten::exp", "out", NULL, exp, false, 0, {0}},
    {"aten::log", "out", NULL, log, true, 0, {0}},
    {"aten::sqrt", "out", NULL, sqrt, true, 0, {0}},
    {"aten::rsqrt", "out", NULL, rsqrt, true, 0, {0}},
    {"aten::reciprocal", "out", NULL, reciprocal, true, 0, {0}},
    {"aten::neg", "out", NULL, negative, false, 0, {0}},
    {"aten::abs", "out", NULL, fabs, false, 0, {0}},
    {"aten::gelu", "out", "none", gelu_none, false, 0, {0}},
    {"aten::gelu", "out", "tanh", gelu_tanh, false, 0, {0}},
    {"aten::elu", "out", NULL, elu, false, 3, {0.7, 1.5, 0.5}},
    {"aten::leaky_relu", "out", NULL, leaky, false, 1, {0.01}},
    {"aten::add", "Scalar_out", NULL, plus, false, 2, {3, 0.5}},
    {"aten::sub", "Scalar_out", NULL, minus, false, 2, {3, 0.5}},
    {"aten::mul", "Scalar_out", NULL, times, false, 1, {2.5}},
    {"aten::div", "Scalar_out", NULL, over, false, 1, {2.5}},
};

static void functions_of_one_element(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 3, 5, 7};
    float in[MOST], result[105];
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
        fill(in, (uint32_t)f, 6);
        for (int k = 0; functions[f].positive && k < MOST; k++) {
            in[k] = fabsf(in[k]) + 0.001f;
        }
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, channels_last, in);
        for (int i = 0; i < functions[f].count; i++) {
            program_double(&p, functions[f].numbers[i]);
        }
        if (functions[f].form) {
            program_string(&p, functions[f].form);
        }
        program_output(&p, RL_FLOAT32, 4, sizes, f % 2 ? NULL : channels_last);
        assert_int_equal(program_run(&p, functions[f].name, functions[f].overload), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 105; k++) {
            double expected = functions[f].expected((double)in[k]);
            if (!(fabs(result[k] - expected) <= 2e-6 * fabs(expected) + 5e-7)) {
                fail_msg("%s(%g) = %g, expected %g", functions[f].name, (double)in[k], (double)result[k], expected);
            }
        }
        program_free(&p);
    }
}

static void gelu_refuses_other_forms(void **state)
{
    (void)state;
    static const int32_t sizes[] = {4};
    float in[4] = {0};
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, in);
    program_string(&p, "tan");
    program_output(&p, RL_FLOAT32, 1, sizes, NULL);
    assert_int_equal(program_run(&p, "aten::gelu", "out"), RL_ERROR_TYPE);
    assert_int_equal(p.error.argument, 1);
    program_free(&p);
}

// ---- several elements

static void extrema_pass_nan(void **state)
{
    (void)state;
    static const int32_t sizes[] = {3, 4}, row[] = {4};
    float a[MOST], b[MOST], result[12];
    fill(a, 1, 2);
    fill(b, 2, 2);
    a[3] = NAN;
    b[1] = NAN;
    for (int is_maximum = 0; is_maximum < 2; is_maximum++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 2, sizes, NULL, a);
        program_input(&p, RL_FLOAT32, 1, row, NULL, b);
        program_output(&p, RL_FLOAT32, 2, sizes, NULL);
        assert_int_equal(program_run(&p, is_maximum ? "aten::maximum" : "aten::minimum", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 12; k++) {
            if (isnan(a[k]) || isnan(b[k % 4])) {
                assert_true(isnan(result[k]));
            } else {
                assert_true(result[k] == (is_maximum ? fmaxf(a[k], b[k % 4]) : fminf(a[k], b[k % 4])));
            }
        }
        program_free(&p);
    }
}

static void sums_and_largest_over_dimensions(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 4, 5}, out[] = {2, 4}, kept[] = {2, 1, 4, 1}, dims[] = {1, -1};
    float in[MOST], result[8];
    fill(in, 3, 2);
    for (int which = 0; which < 4; which++) {
        bool is_sum = which < 2, keep = which % 2;
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, channels_last, in);
        program_ints(&p, 2, dims);
        program_bool(&p, keep);
        if (is_sum) {
            program_none(&p);
        }
        program_output(&p, RL_FLOAT32, keep ? 4 : 2, keep ? kept : out, NULL);
        enum rl_status status =
            is_sum ? program_run(&p, "aten::sum", "IntList_out") : program_run(&p, "aten::amax", "out");
        assert_int_equal(status, RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 8; k++) {
            double sum = 0, largest = -INFINITY;
            for (int c = 0; c < 3; c++) {
                for (int x = 0; x < 5; x++) {
                    double number = in[((k / 4 * 3 + c) * 4 + k % 4) * 5 + x];
                    sum += number;
                    largest = fmax(largest, number);
                }
            }
            assert_true(is_sum ? fabs(result[k] - sum) < 1e-5 : result[k] == largest);
        }
        program_free(&p);
    }
}

static void log_softmax_is_the_logarithm(void **state)
{
    (void)state;
    static const int32_t sizes[] = {3, 4, 5};
    float in[MOST], result[60];
    fill(in, 8, 10);
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 3, sizes, NULL, in);
    program_int(&p, 1);
    program_bool(&p, false);
    program_output(&p, RL_FLOAT32, 3, sizes, NULL);
    assert_int_equal(program_run(&p, "aten::_log_softmax", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int k = 0; k < 60; k++) {
        int first = k / 20 * 20 + k % 5;
        double sum = 0;
        for (int j = 0; j < 4; j++) {
            sum += exp((double)in[first + j * 5]);
        }
        assert_true(fabs(result[k] - (in[k] - log(sum))) < 5e-6);
    }
    program_free(&p);
}

// ---- matrices

static void matrices_multiply_in_any_layout(void **state)
{
    (void)state;
    enum { ROWS = 5, DEPTH = 7, COLUMNS = 6 };
    static const int32_t left[] = {ROWS, DEPTH}, right[] = {DEPTH, COLUMNS}, out[] = {ROWS, COLUMNS}, row[] = {COLUMNS};
    float a[MOST], b[MOST], c[MOST], result[ROWS * COLUMNS];
    fill(a, 1, 2);
    fill(b, 2, 2);
    fill(c, 3, 2);
    for (int which = 0; which < 8; which++) {
        bool with_addend = which >= 4;
        struct test_program p = {0};
        if (with_addend) {
            program_input(&p, RL_FLOAT32, 1, row, NULL, c);
        }
        program_input(&p, RL_FLOAT32, 2, left, which & 1 ? transposed : NULL, a);
        program_input(&p, RL_FLOAT32, 2, right, which & 2 ? transposed : NULL, b);
        if (with_addend) {
            program_int(&p, 1);
            program_double(&p, 0.5);
        }
        program_output(&p, RL_FLOAT32, 2, out, which & 1 ? transposed : NULL);
        assert_int_equal(program_run(&p, with_addend ? "aten::addmm" : "aten::mm", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < ROWS * COLUMNS; k++) {
            double sum = 0;
            for (int d = 0; d < DEPTH; d++) {
                sum += (double)a[k / COLUMNS * DEPTH + d] * b[d * COLUMNS + k % COLUMNS];
            }
            double expected = with_addend ? c[k % COLUMNS] + 0.5 * sum : sum;
            assert_true(fabs(result[k] - expected) < 1e-5);
        }
        program_free(&p);
    }
}

static void batches_multiply_pair_by_pair(void **state)
{
    (void)state;
    static const int32_t left[] = {3, 2, 4}, right[] = {3, 4, 5}, out[] = {3, 2, 5};
    float a[MOST], b[MOST], result[30];
    fill(a, 4, 2);
    fill(b, 5, 2);
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 3, left, NULL, a);
    program_input(&p, RL_FLOAT32, 3, right, NULL, b);
    program_output(&p, RL_FLOAT32, 3, out, NULL);
    assert_int_equal(program_run(&p, "aten::bmm", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int k = 0; k < 30; k++) {
        double sum = 0;
        for (int d = 0; d < 4; d++) {
            sum += (double)a[k / 5 * 4 + d] * b[(k / 10 * 4 + d) * 5 + k % 5];
        }
        assert_true(fabs(result[k] - sum) < 1e-5);
    }
    program_free(&p);
}

// ---- repetition

static void expansion_repeats(void **state)
{
    (void)state;
    static const int32_t sizes[] = {3, 1, 4}, out[] = {2, 3, 5, 4};
    float in[MOST], result[120];
    fill(in, 6, 1);
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 3, sizes, NULL, in);
    program_ints(&p, 4, out);
    program_bool(&p, false);
    program_output(&p, RL_FLOAT32, 4, out, NULL);
    assert_int_equal(program_run(&p, "aten::expand_copy", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int k = 0; k < 120; k++) {
        assert_true(result[k] == in[k / 20 % 3 * 4 + k % 4]);
    }
    program_free(&p);
}

static void nearest_enlargement_repeats_pixels(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 4}, out[] = {1, 2, 6, 12};
    int8_t in[24], result[144];
    for (int i = 0; i < 24; i++) {
        in[i] = (int8_t)(i * 5 - 60);
    }
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, sizes, channels_last, in);
    program_ints(&p, 2, out + 2);
    program_none(&p);
    program_output(&p, RL_INT8, 4, out, channels_last);
    assert_int_equal(program_run(&p, "aten::upsample_nearest2d", "vec_out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int k = 0; k < 144; k++) {
        assert_int_equal(result[k], in[(k / 72 * 3 + k / 12 % 6 / 2) * 4 + k % 12 / 3]);
    }
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_element),
        cmocka_unit_test(gelu_refuses_other_forms),
        cmocka_unit_test(extrema_pass_nan),
        cmocka_unit_test(sums_and_largest_over_dimensions),
        cmocka_unit_test(log_softmax_is_the_logarithm),
        cmocka_unit_test(matrices_multiply_in_any_layout),
        cmocka_unit_test(batches_multiply_pair_by_pair),
        cmocka_unit_test(expansion_repeats),
        cmocka_unit_test(nearest_enlargement_repeats_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
