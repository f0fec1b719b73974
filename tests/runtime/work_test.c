// SPDX-License-Identifier: Apache-2.0
//
// The bound of work that rl_method_work states, and calls that have nothing to compute. tests/boards/work_test.sh
// compares the bound with counted instructions.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "runtime/change_program.h"
#include "runtime/made_program.h"
#include "runtime/operator_program.h"
#include "runtime/program_file.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

static uint64_t work_of_call(const struct test_program *p)
{
    struct rl_work work;
    assert_int_equal(rl_method_work(&p->program, 0, &rl_registry_all, &work, NULL), RL_OK);
    assert_int_equal(work.instruction, 0);
    assert_int_equal(work.total, work.largest);
    assert_false(work.repeats);
    return work.total;
}

// The bound is at least `least`, and at most twice as much and a few hundred for the call itself.
static void expect_work(const struct test_program *p, uint64_t least)
{
    assert_in_range(work_of_call(p), least, 2 * least + 300);
}

static void networks_take_about_their_multiplications(void **state)
{
    (void)state;
    enum { MULTIPLY_ADDS = 2656768 };
    struct runnable r;
    struct rl_work work;
    size_t size;
    uint8_t *file = read_file(RL_FIXTURES "/stock/ds_cnn/m4.pte", &size);
    assert_int_equal(runnable_open(&r, file, size, true), RL_OK);
    assert_int_equal(rl_method_work(&r.program, 0, &rl_registry_all, &work, NULL), RL_OK);
    assert_in_range(work.total, MULTIPLY_ADDS, MULTIPLY_ADDS * 5 / 4);
    assert_in_range(work.largest, 1, work.total);
    assert_int_equal(rl_method_work(&r.program, 1, &rl_registry_all, &work, NULL), RL_ERROR_ARGUMENT);
    runnable_free(&r);
    free(file);
}

static void run_product(struct test_program *p, const int32_t left[2], const int32_t right[2], const int32_t output[2],
                        const float *numbers)
{
    program_input(p, RL_FLOAT32, 2, left, NULL, numbers);
    program_input(p, RL_FLOAT32, 2, right, NULL, numbers);
    program_output(p, RL_FLOAT32, 2, output, NULL);
    assert_int_equal(program_run(p, "aten::mm", "out"), RL_OK);
}

static void products_take_their_depth_for_each_element(void **state)
{
    (void)state;
    static const int32_t left[] = {8, 50}, right[] = {50, 6}, output[] = {8, 6};
    static const float numbers[400];
    struct test_program p = {0};
    run_product(&p, left, right, output, numbers);
    expect_work(&p, 8 * 50 * 6);
    program_free(&p);
}

static void convolutions_take_their_weights_for_each_place(void **state)
{
    (void)state;
    static const int32_t input[] = {1, 4, 12, 12}, weight[] = {8, 2, 3, 3}, output[] = {1, 8, 10, 10}, ones[] = {1, 1},
                         zeros[] = {0, 0};
    static const float numbers[4 * 12 * 12];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, input, NULL, numbers);
    program_constant(&p, RL_FLOAT32, 4, weight, numbers);
    program_none(&p);
    program_ints(&p, 2, ones);
    program_ints(&p, 2, zeros);
    program_ints(&p, 2, ones);
    program_bool(&p, false);
    program_ints(&p, 2, zeros);
    program_int(&p, 2);
    program_output(&p, RL_FLOAT32, 4, output, NULL);
    assert_int_equal(program_run(&p, "aten::convolution", "out"), RL_OK);
    expect_work(&p, 8 * 10 * 10 * 2 * 3 * 3);
    program_free(&p);
}

static void windows_take_their_area_for_each_element(void **state)
{
    (void)state;
    static const int32_t input[] = {1, 2, 12, 12}, output[] = {1, 2, 4, 4}, kernel[] = {3, 3}, zeros[] = {0, 0};
    static const float numbers[2 * 12 * 12];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, input, NULL, numbers);
    program_ints(&p, 2, kernel);
    program_ints(&p, 2, kernel);
    program_ints(&p, 2, zeros);
    program_bool(&p, false);
    program_bool(&p, true);
    program_none(&p);
    program_output(&p, RL_FLOAT32, 4, output, NULL);
    assert_int_equal(program_run(&p, "aten::avg_pool2d", "out"), RL_OK);
    expect_work(&p, 2 * 4 * 4 * 9);
    program_free(&p);
}

// Each of the k largest elements takes a pass over all.
static void topk_takes_as_many_passes_as_results(void **state)
{
    (void)state;
    static const int32_t input[] = {100}, output[] = {10};
    static const float numbers[100];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, input, NULL, numbers);
    program_int(&p, 10);
    program_int(&p, 0);
    program_bool(&p, true);
    program_bool(&p, true);
    program_output(&p, RL_FLOAT32, 1, output, NULL);
    program_output(&p, RL_INT64, 1, output, NULL);
    assert_int_equal(program_run(&p, "aten::topk", "values"), RL_OK);
    expect_work(&p, 10 * 100);
    program_free(&p);
}

// ---- nothing to compute

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void expect_nothing(struct test_program *p, const char *name)
{
    const double start = seconds();
    const enum rl_status status = program_run(p, name, "out");
    if (status != RL_OK) {
        fail_msg("%s: %s", name, p->error.message);
    }
    assert_true(seconds() - start < 0.5);
    assert_in_range(work_of_call(p), 1, 300);
    program_free(p);
}

// No channel at 400 million places.
static void a_convolution_without_channels_takes_no_time(void **state)
{
    (void)state;
    static const int32_t input[] = {20000, 1, 0, 1}, weight[] = {0, 1, 1, 1}, output[] = {20000, 0, 20000, 1},
                         ones[] = {1, 1}, zeros[] = {0, 0}, padding[] = {10000, 0};
    static const float number[1];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, input, NULL, number);
    program_input(&p, RL_FLOAT32, 4, weight, NULL, number);
    program_none(&p);
    program_ints(&p, 2, ones);
    program_ints(&p, 2, padding);
    program_ints(&p, 2, ones);
    program_bool(&p, false);
    program_ints(&p, 2, zeros);
    program_int(&p, 1);
    program_output(&p, RL_FLOAT32, 4, output, NULL);
    expect_nothing(&p, "aten::convolution");
}

static void a_quantized_convolution_without_channels_takes_no_time(void **state)
{
    (void)state;
    static const int32_t input[] = {1, 1, 1, 1}, weight[] = {0, 1, 1, 1}, output[] = {1, 0, 30001, 30001},
                         ones[] = {1, 1}, padding[] = {15000, 15000}, none[] = {0};
    static const int32_t numbers[1];
    static const int8_t number[1];
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, input, channels_last, number);
    program_input(&p, RL_INT8, 4, weight, NULL, number);
    program_none(&p);
    program_ints(&p, 2, ones);
    program_ints(&p, 2, padding);
    program_ints(&p, 2, ones);
    program_int(&p, 0);
    program_int(&p, 0);
    program_input(&p, RL_INT32, 1, none, NULL, numbers);
    program_input(&p, RL_INT32, 1, none, NULL, numbers);
    program_int(&p, -128);
    program_int(&p, 127);
    program_scratch(&p, 64);
    program_output(&p, RL_INT8, 4, output, channels_last);
    expect_nothing(&p, "cortex_m::quantized_conv2d");
}

static void products_of_nothing_take_no_time(void **state)
{
    (void)state;
    static const int32_t batches[] = {1 << 28, 0, 1}, others[] = {1 << 28, 1, 0}, results[] = {1 << 28, 0, 0},
                         left[] = {1 << 28, 0}, right[] = {0, 0}, output[] = {1 << 28, 0};
    static const float number[1];
    struct test_program p = {0}, q = {0};
    program_input(&p, RL_FLOAT32, 3, batches, NULL, number);
    program_input(&p, RL_FLOAT32, 3, others, NULL, number);
    program_output(&p, RL_FLOAT32, 3, results, NULL);
    expect_nothing(&p, "aten::bmm");
    program_input(&q, RL_FLOAT32, 2, left, NULL, number);
    program_input(&q, RL_FLOAT32, 2, right, NULL, number);
    program_output(&q, RL_FLOAT32, 2, output, NULL);
    expect_nothing(&q, "aten::mm");
}

// ---- operators of a firmware

static enum rl_status run_nothing(struct rl_call *call)
{
    return call->status;
}

static void a_firmware_states_the_work_of_its_operators(void **state)
{
    (void)state;
    static const int32_t sizes[] = {20};
    static const float numbers[20];
    static const struct rl_kernel own = {.name = "aten::abs.out",
                                         .signature = "QOR",
                                         .name_length = 13,
                                         .argument_count = 3,
                                         .run = run_nothing},
                                  *const kernels[] = {&own};
    const struct rl_registry registry = {.kernels = kernels, .count = 1};
    struct rl_work work;
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, numbers);
    program_output(&p, RL_FLOAT32, 1, sizes, NULL);
    assert_int_equal(program_run(&p, "aten::abs", "out"), RL_OK);
    assert_in_range(work_of_call(&p), 40, 300);
    assert_int_equal(rl_program_verify(&p.program, &registry, &p.error), RL_OK);
    assert_int_equal(rl_method_work(&p.program, 0, &registry, &work, NULL), RL_OK);
    assert_in_range(work.total, 20 * 60, 20 * 60 + 300);
    program_free(&p);
}

// A move of an input for which the caller has memory: nothing is bound yet when the work is asked for.
static void unplanned_inputs_may_be_moved(void **state)
{
    (void)state;
    struct made m = {.value_count = 3, .input_count = 1};
    struct rl_program program;
    struct rl_work work;
    m.values[0] = unplanned(RL_FLOAT32);
    m.values[1] = tensor(RL_FLOAT32, NULL, 32);
    m.values[2] = tensor(RL_FLOAT32, NULL, 64);
    add_call(&m, "aten::abs", "out", (const int32_t[]){1, 1, 1, -1});
    add_call(&m, "aten::abs", "out", (const int32_t[]){1, 2, 2, -1});
    write_made(&m);
    make_move(m.file, m.size, 0, 0, 1);
    assert_int_equal(rl_program_open(&program, m.file, m.size, NULL), RL_OK);
    assert_int_equal(rl_program_verify(&program, &rl_registry_all, NULL), RL_OK);
    assert_int_equal(rl_method_work(&program, 0, &rl_registry_all, &work, NULL), RL_OK);
    assert_in_range(work.total, 2 * 64, 1000);
    free(m.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_take_about_their_multiplications),
        cmocka_unit_test(products_take_their_depth_for_each_element),
        cmocka_unit_test(convolutions_take_their_weights_for_each_place),
        cmocka_unit_test(windows_take_their_area_for_each_element),
        cmocka_unit_test(topk_takes_as_many_passes_as_results),
        cmocka_unit_test(a_convolution_without_channels_takes_no_time),
        cmocka_unit_test(a_quantized_convolution_without_channels_takes_no_time),
        cmocka_unit_test(products_of_nothing_take_no_time),
        cmocka_unit_test(a_firmware_states_the_work_of_its_operators),
        cmocka_unit_test(unplanned_inputs_may_be_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
