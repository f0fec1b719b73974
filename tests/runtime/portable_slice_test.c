// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors and lists of tensors, activations and layer norm, against their formulas.
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

// ---- parts

static void slices_take_every_step(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 7, 3, 4};
    static const struct {
        int64_t start, end;
        bool has_start, has_end;
        int step, count, first;
    } cases[] = {
        {0, 0, false, false, 1, 7, 0}, {2, 6, true, true, 1, 4, 2},   {1, 100, true, true, 3, 2, 1},
        {-3, -1, true, true, 1, 2, 4}, {-90, 4, true, true, 2, 2, 0}, {5, 2, true, true, 1, 0, 5},
    };
    float in[MOST], result[MOST];
    fill(in, 3, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int32_t out[] = {2, cases[i].count, 3, 4};
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, i % 2 ? channels_last : NULL, in);
        program_int(&p, i % 3 ? 1 : -3);
        if (cases[i].has_start) {
            program_int(&p, cases[i].start);
        } else {
            program_none(&p);
        }
        if (cases[i].has_end) {
            program_int(&p, cases[i].end);
        } else {
            program_none(&p);
        }
        program_int(&p, cases[i].step);
        program_output(&p, RL_FLOAT32, 4, out, channels_last);
        assert_int_equal(program_run(&p, "aten::slice_copy", "Tensor_out"), RL_OK);
        program_result(&p, 0, result, (size_t)cases[i].count * 24 * sizeof *result);
        for (int n = 0; n < 2; n++) {
            for (int c = 0; c < cases[i].count; c++) {
                for (int k = 0; k < 12; k++) {
                    assert_true(result[(n * cases[i].count + c) * 12 + k] ==
                                in[(n * 7 + cases[i].first + c * cases[i].step) * 12 + k]);
                }
            }
        }
        program_free(&p);
    }
}

static void select_drops_the_dimension(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 5, 3}, out[] = {2, 3};
    static const uint8_t mixed[] = {1, 0, 2};
    float in[MOST], result[6];
    fill(in, 4, 1);
    for (int index = -5; index < 5; index++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 3, sizes, index % 2 ? mixed : NULL, in);
        program_int(&p, 1);
        program_int(&p, index);
        program_output(&p, RL_FLOAT32, 2, out, NULL);
        assert_int_equal(program_run(&p, "aten::select_copy", "int_out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 6; k++) {
            assert_true(result[k] == in[(k / 3 * 5 + (index + 5) % 5) * 3 + k % 3]);
        }
        program_free(&p);
    }
}

static void cat_and_split_undo_each_other(void **state)
{
    (void)state;
    static const int32_t whole[] = {2, 6, 2, 3}, one[] = {2, 1, 2, 3}, two[] = {2, 2, 2, 3}, three[] = {2, 3, 2, 3};
    static const int32_t *const parts[] = {two, one, three};
    static const int32_t counts[] = {2, 1, 3};
    static const int ranks[] = {4, 4, 4};
    float in[MOST], pieces[3][36], result[72];
    fill(in, 5, 1);
    for (int layout = 0; layout < 2; layout++) {
        const uint8_t *order = layout ? channels_last : NULL;
        struct test_program split = {0}, cat = {0};
        program_input(&split, RL_FLOAT32, 4, whole, order, in);
        program_ints(&split, 3, counts);
        program_int(&split, 1);
        program_output_list(&split, RL_FLOAT32, 3, ranks, parts, NULL);
        assert_int_equal(program_run(&split, "aten::split_with_sizes_copy", "out"), RL_OK);
        for (uint32_t i = 0; i < 3; i++) {
            program_result(&split, i, pieces[i], (size_t)counts[i] * 12 * sizeof(float));
        }
        assert_true(pieces[1][6] == in[36 + 12]);
        program_free(&split);
        program_input_list(&cat, RL_FLOAT32, 3, ranks, parts, order,
                           (const void *const[]){pieces[0], pieces[1], pieces[2]});
        program_int(&cat, -3);
        program_output(&cat, RL_FLOAT32, 4, whole, order);
        assert_int_equal(program_run(&cat, "aten::cat", "out"), RL_OK);
        program_result(&cat, 0, result, sizeof result);
        assert_memory_equal(result, in, sizeof result);
        program_free(&cat);
    }
}

static void cat_refuses_what_does_not_fill_the_output(void **state)
{
    (void)state;
    static const int32_t part[] = {2, 2}, out[] = {2, 5};
    static const int32_t *const parts[] = {part, part};
    static const int ranks[] = {2, 2};
    float in[MOST] = {0};
    struct test_program p = {0};
    program_input_list(&p, RL_FLOAT32, 2, ranks, parts, NULL, (const void *const[]){in, in});
    program_int(&p, 1);
    program_output(&p, RL_FLOAT32, 2, out, NULL);
    assert_int_equal(program_run(&p, "aten::cat", "out"), RL_ERROR_TYPE);
    assert_string_equal(p.error.message, "the output has other sizes than the result");
    program_free(&p);
}

// ---- shapes and constants

static void squeezes_keep_the_elements(void **state)
{
    (void)state;
    static const int32_t wide[] = {1, 4, 1, 3}, narrow[] = {4, 3}, dims[] = {0, 2};
    float in[MOST], result[12];
    fill(in, 6, 1);
    struct test_program squeeze = {0}, unsqueeze = {0};
    program_input(&squeeze, RL_FLOAT32, 4, wide, NULL, in);
    program_ints(&squeeze, 2, dims);
    program_output(&squeeze, RL_FLOAT32, 2, narrow, NULL);
    assert_int_equal(program_run(&squeeze, "aten::squeeze_copy", "dims_out"), RL_OK);
    program_result(&squeeze, 0, result, sizeof result);
    assert_memory_equal(result, in, sizeof result);
    program_free(&squeeze);
    static const int32_t more[] = {4, 1, 3};
    program_input(&unsqueeze, RL_FLOAT32, 2, narrow, NULL, in);
    program_int(&unsqueeze, 1);
    program_output(&unsqueeze, RL_FLOAT32, 3, more, NULL);
    assert_int_equal(program_run(&unsqueeze, "aten::unsqueeze_copy", "out"), RL_OK);
    program_result(&unsqueeze, 0, result, sizeof result);
    assert_memory_equal(result, in, sizeof result);
    program_free(&unsqueeze);
}

static void full_fills(void **state)
{
    (void)state;
    static const int32_t sizes[] = {3, 4};
    float floats[12];
    int8_t bytes[12];
    struct test_program p = {0}, q = {0};
    program_ints(&p, 2, sizes);
    program_double(&p, 0.1);
    program_output(&p, RL_FLOAT32, 2, sizes, NULL);
    assert_int_equal(program_run(&p, "aten::full", "out"), RL_OK);
    program_result(&p, 0, floats, sizeof floats);
    assert_true(floats[0] == 0.1f && floats[11] == 0.1f);
    program_free(&p);
    program_ints(&q, 2, sizes);
    program_int(&q, -7);
    program_output(&q, RL_INT8, 2, sizes, NULL);
    assert_int_equal(program_run(&q, "aten::full", "out"), RL_OK);
    program_result(&q, 0, bytes, sizeof bytes);
    assert_true(bytes[0] == -7 && bytes[11] == -7);
    program_free(&q);
}

// A view in other memory than its tensor would need a pointer that moves: refused.
static void a_view_elsewhere_is_refused(void **state)
{
    (void)state;
    static const int32_t from[] = {2, 3}, to[] = {6};
    float in[MOST] = {0};
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 2, from, NULL, in);
    program_ints(&p, 1, to);
    program_output(&p, RL_FLOAT32, 1, to, NULL);
    assert_int_equal(program_run(&p, "executorch_prim::et_view", "default"), RL_ERROR_TYPE);
    assert_string_equal(p.error.message, "a view does not lie where its tensor does");
    program_free(&p);
}

static void a_view_in_place_costs_nothing(void **state)
{
    (void)state;
    static const int32_t from[] = {2, 3}, to[] = {6};
    float in[MOST], result[6];
    fill(in, 7, 1);
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 2, from, NULL, in);
    program_ints(&p, 1, to);
    p.arena_bytes = 0; // the output lies where the input does
    program_output(&p, RL_FLOAT32, 1, to, NULL);
    assert_int_equal(program_run(&p, "executorch_prim::et_view", "default"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    assert_memory_equal(result, in, sizeof result);
    program_free(&p);
}

// ---- functions

static void activations_are_close_everywhere(void **state)
{
    (void)state;
    static const int32_t sizes[] = {MOST};
    float in[MOST], result[MOST];
    for (int i = 0; i < MOST; i++) {
        in[i] = (float)(i - MOST / 2) * (i % 2 ? 0.004f : 0.4f);
    }
    for (int which = 0; which < 2; which++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 1, sizes, NULL, in);
        program_output(&p, RL_FLOAT32, 1, sizes, NULL);
        assert_int_equal(program_run(&p, which ? "aten::tanh" : "aten::sigmoid", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int i = 0; i < MOST; i++) {
            double expected = which ? tanh((double)in[i]) : 1 / (1 + exp(-(double)in[i]));
            assert_true(fabs(result[i] - expected) <= 4e-7 * fabs(expected) + 1e-37);
        }
        program_free(&p);
    }
}

static void differences_and_quotients(void **state)
{
    (void)state;
    static const int32_t sizes[] = {4, 5}, row[] = {5};
    float a[MOST], b[MOST], result[20];
    fill(a, 1, 3);
    fill(b, 2, 3);
    for (int which = 0; which < 2; which++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 2, sizes, NULL, a);
        program_input(&p, RL_FLOAT32, 1, row, NULL, b);
        if (which == 0) {
            program_int(&p, 2);
        }
        program_output(&p, RL_FLOAT32, 2, sizes, NULL);
        assert_int_equal(program_run(&p, which ? "aten::div" : "aten::sub", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int k = 0; k < 20; k++) {
            assert_true(result[k] == (which ? a[k] / b[k % 5] : a[k] - 2 * b[k % 5]));
        }
        program_free(&p);
    }
}

static void layer_norm_normalizes_rows(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 4, 5}, shape[] = {4, 5}, rows[] = {2, 3, 1, 1};
    float in[MOST], weight[MOST], bias[MOST], result[120], means[6], deviations[6];
    fill(in, 1, 4);
    fill(weight, 2, 1);
    fill(bias, 3, 1);
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, sizes, NULL, in);
    program_ints(&p, 2, shape);
    program_constant(&p, RL_FLOAT32, 2, shape, weight);
    program_constant(&p, RL_FLOAT32, 2, shape, bias);
    program_double(&p, 1e-5);
    program_output(&p, RL_FLOAT32, 4, sizes, NULL);
    program_output(&p, RL_FLOAT32, 4, rows, NULL);
    program_output(&p, RL_FLOAT32, 4, rows, NULL);
    assert_int_equal(program_run(&p, "aten::native_layer_norm", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    program_result(&p, 1, means, sizeof means);
    program_result(&p, 2, deviations, sizeof deviations);
    for (int r = 0; r < 6; r++) {
        double mean = 0, variance = 0;
        for (int k = 0; k < 20; k++) {
            mean += in[r * 20 + k] / 20.0;
        }
        for (int k = 0; k < 20; k++) {
            variance += (in[r * 20 + k] - mean) * (in[r * 20 + k] - mean) / 20.0;
        }
        assert_true(fabs(means[r] - mean) < 1e-6);
        assert_true(fabs(deviations[r] - 1 / sqrt(variance + 1e-5)) < 1e-6);
        for (int k = 0; k < 20; k++) {
            double expected = (in[r * 20 + k] - mean) / sqrt(variance + 1e-5) * weight[k] + bias[k];
            assert_true(fabs(result[r * 20 + k] - expected) < 1e-5);
        }
    }
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_take_every_step),           cmocka_unit_test(select_drops_the_dimension),
        cmocka_unit_test(cat_and_split_undo_each_other),    cmocka_unit_test(cat_refuses_what_does_not_fill_the_output),
        cmocka_unit_test(squeezes_keep_the_elements),       cmocka_unit_test(full_fills),
        cmocka_unit_test(a_view_elsewhere_is_refused),      cmocka_unit_test(a_view_in_place_costs_nothing),
        cmocka_unit_test(activations_are_close_everywhere), cmocka_unit_test(differences_and_quotients),
        cmocka_unit_test(layer_norm_normalizes_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
