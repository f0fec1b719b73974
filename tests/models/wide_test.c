// SPDX-License-Identifier: Apache-2.0
//
// --quantize a16w8: activations of int16 beside weights of int8. Models of all kinds compute on integers alone, no
// output is farther from the float model than with int8, those of layers that have kernels for int16 are much closer,
// and every core gives the bytes of the host.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

#define MODEL(name)                                                                                                    \
    {                                                                                                                  \
        name, RL_FIXTURES "/" name ".pt2", RL_FIXTURES "/" name ".npz", RL_FIXTURES "/" name ".npz"                    \
    }

static const struct rl_model models[] = {
    MODEL("composed/arithmetic"), MODEL("composed/layers"),     MODEL("composed/windows"),
    MODEL("composed/transforms"), MODEL("zoo/graph_attention"), MODEL("zoo/stream_wakeword"),
};
static const size_t model_count = sizeof models / sizeof models[0];

static void expect_integers(const struct rl_model *model, const json_t *report)
{
    const json_t *left = json_object_get(report, "fp32_nodes");
    if (json_array_size(left) > 0) {
        fail_msg("%s: %zu nodes stay in floating point, the first is %s", model->name, json_array_size(left),
                 json_string_value(json_object_get(json_array_get(left, 0), "node")));
    }
}

// The outputs of evaluate --json, of a program with these types; the caller releases them.
static json_t *evaluate(const struct rl_model *model, const char *quantize)
{
    const char *pte = rl_temporary_path("wide.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), model, pte, quantize);
    expect_integers(model, report);
    json_decref(report);
    report = rl_process_json(rl_program_under_test(),
                             (const char *[]){"evaluate", model->pt2, pte, "--data", model->data, "--json", NULL});
    json_t *outputs = json_incref(json_object_get(report, "outputs"));
    json_decref(report);
    return outputs;
}

static double decibels_of(const json_t *outputs, size_t index)
{
    return json_number_value(json_object_get(json_array_get(outputs, index), "sqnr_db"));
}

// How many decibels the output that gains least gains.
static double least_gain(const struct rl_model *model)
{
    json_t *narrow = evaluate(model, "int8"), *wide = evaluate(model, "a16w8");
    double least = 1000;
    assert_true(json_array_size(wide) > 0 && json_array_size(wide) == json_array_size(narrow));
    for (size_t i = 0; i < json_array_size(wide); i++) {
        const double gain = decibels_of(wide, i) - decibels_of(narrow, i);
        least = gain < least ? gain : least;
    }
    json_decref(narrow);
    json_decref(wide);
    return least;
}

static void no_model_is_farther_from_float(void **state)
{
    (void)state;
    for (size_t i = 0; i < model_count; i++) {
        const double gain = least_gain(&models[i]);
        if (gain < 0) {
            fail_msg("%s: an output loses %g dB", models[i].name, -gain);
        }
    }
}

static void networks_of_wide_layers_gain(void **state)
{
    enum { DIGITS = 5, SKELETON = 6 };
    const struct rl_model model = rl_digits_model(), skeleton = MODEL("zoo/skeleton");
    (void)state;
    assert_true(least_gain(&model) > DIGITS);
    assert_true(least_gain(&skeleton) > SKELETON);
}

static void layers_take_int16(void **state)
{
    static const struct {
        const char *op;
        int count;
    } expected[] = {{"rushlight::quantized_conv2d_s16", 6},     {"rushlight::quantized_depthwise_conv2d_s16", 1},
                    {"rushlight::quantized_add_s16", 1},        {"rushlight::quantized_max_pool2d_s16", 1},
                    {"rushlight::quantized_avg_pool2d_s16", 1}, {"cortex_m::quantized_conv2d", 0},
                    {"rushlight::quantized_linear_s16", 0}};
    const struct rl_model model = rl_digits_model();
    (void)state;
    json_t *report = rl_compile_model(rl_program_under_test(), &model, rl_temporary_path("wide.pte"), "a16w8");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(rl_count(json_object_get(report, "ops"), expected[i].op), expected[i].count);
    }
    json_decref(report);
}

// A state of int16 keeps its type, so nothing of the stream is a float but its input and its output.
static void states_are_int16(void **state)
{
    const struct rl_model model = MODEL("zoo/stream_wakeword");
    (void)state;
    json_t *report = rl_compile_model(rl_program_under_test(), &model, rl_temporary_path("wide.pte"), "a16w8");
    assert_int_equal(rl_count(json_object_get(report, "ops"), "cortex_m::quantize_per_tensor"), 1);
    assert_int_equal(rl_count(json_object_get(report, "ops"), "cortex_m::dequantize_per_tensor"), 1);
    json_decref(report);
}

static void every_core_gives_the_same(void **state)
{
    const struct rl_model some[] = {rl_digits_model(), MODEL("composed/arithmetic"), MODEL("composed/layers"),
                                    MODEL("composed/windows"), MODEL("zoo/stream_wakeword")};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        if (!rl_check_quantized_cores(&some[i], "a16w8", 1)) {
            rl_skip_test();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_model_is_farther_from_float),
        cmocka_unit_test(networks_of_wide_layers_gain),
        cmocka_unit_test(layers_take_int16),
        cmocka_unit_test(states_are_int16),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("wide", tests, NULL, NULL));
}
