// SPDX-License-Identifier: Apache-2.0
//
// Real models: every layer becomes an integer operator, nothing superfluous is stored, accuracy is that of the stock
// flow within one decibel and two samples, and compiling is cheap. Stock figures: ExecuTorch 1.5.1 with
// CortexMQuantizer on the same calibration data.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

enum metric { TOP1, AGREEMENT, NO_CLASSES };

struct expectation {
    const char *name;
    int conv2d, depthwise, add, avg_pool, max_pool, linear; // beside the last linear layer
    enum metric metric;
    double accuracy, sqnr_db; // as measured
};

static const struct expectation expectations[] = {
    {"digits_cnn", 3, 2, 0, 0, 2, 1, TOP1, 0.9806, 34.2},
    {"resnet8", 9, 0, 3, 1, 0, 0, AGREEMENT, 0.9667, 26.2},
    {"ds_cnn", 5, 4, 0, 1, 0, 0, TOP1, 0.7967, 28.7},
    {"mobilenet_v1_025", 14, 13, 0, 1, 0, 0, TOP1, 0.7885, 28.3},
    {"deep_autoencoder", 0, 0, 0, 0, 0, 9, NO_CLASSES, 0, 59.3},
};

enum { MODEL_COUNT = sizeof expectations / sizeof expectations[0] };

static void check_counts(const struct expectation *expected, const json_t *report)
{
    const json_t *ops = json_object_get(report, "ops");
    const char *name;
    json_t *count;

    assert_int_equal(rl_count(ops, "cortex_m::quantized_conv2d"), expected->conv2d);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_depthwise_conv2d"), expected->depthwise);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_add"), expected->add);
    assert_int_equal(rl_count(ops, "rushlight::quantized_avg_pool2d"), expected->avg_pool);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_max_pool2d"), expected->max_pool);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_linear"), expected->linear);
    assert_int_equal(rl_count(ops, "rushlight::quantized_linear_s16"), 1); // the last one
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    json_object_foreach(json_object_get(report, "ops"), name, count)
    {
        if (strncmp(name, "cortex_m::", 10) != 0 && strncmp(name, "rushlight::quantized_", 21) != 0) {
            fail_msg("%s: %s is left", expected->name, name);
        }
    }
}

// Whether the text "%index" is among the arguments of a call, in lists too.
static bool mentions(const json_t *arguments, const char *text)
{
    size_t index;
    const json_t *argument;

    json_array_foreach(arguments, index, argument)
    {
        const char *string = json_string_value(argument);
        if ((string && strcmp(string, text) == 0) || (json_is_array(argument) && mentions(argument, text))) {
            return true;
        }
    }
    return false;
}

// Every tensor is read or written by some call, no pad is empty, and no constant is stored twice.
static void check_nothing_superfluous(const struct expectation *expected, const char *pte)
{
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", pte, "--json", NULL});
    const json_t *calls = json_object_get(report, "instructions"), *tensor, *call;
    size_t i, k;

    json_array_foreach(json_object_get(report, "tensors"), i, tensor)
    {
        json_t *text = json_sprintf("%%%lld", (long long)json_integer_value(json_object_get(tensor, "value")));
        bool used = false;
        json_array_foreach(calls, k, call)
        {
            used = used || mentions(json_object_get(call, "args"), json_string_value(text));
        }
        // A view that is an output or only a step to another view is not an argument. A constant always is.
        if (!used && json_object_get(tensor, "constant")) {
            fail_msg("%s: constant %s is read by nothing", expected->name, json_string_value(text));
        }
        json_decref(text);
    }
    json_array_foreach(calls, i, call)
    {
        const json_t *arguments = json_object_get(call, "args"), *item;
        json_int_t sum = 0;
        if (strcmp(json_string_value(json_object_get(call, "op")), "cortex_m::pad") != 0) {
            continue;
        }
        for (int side = 1; side <= 2; side++) {
            json_array_foreach(json_array_get(arguments, (size_t)side), k, item)
            {
                sum += json_integer_value(item);
            }
        }
        assert_true(sum > 0);
    }
    json_decref(report);
}

static void check_accuracy(const struct expectation *expected, const struct rl_model *model, const char *pte)
{
    json_t *report = rl_process_json(
        rl_release_program(), (const char *[]){"evaluate", model->pt2, pte, "--data", model->data, "--json", NULL});
    double samples = (double)json_integer_value(json_object_get(report, "samples"));
    const char *key = expected->metric == TOP1 ? "top1_quantized" : "agreement";
    double accuracy = json_number_value(json_object_get(report, key));
    double sqnr_db = json_number_value(json_object_get(report, "sqnr_db"));

    print_message("%-18s %s %.4f, %.2f dB\n", expected->name, key, accuracy, sqnr_db);
    if (expected->metric != NO_CLASSES) {
        assert_true(accuracy >= expected->accuracy - 2 / samples - 5e-4);
    }
    assert_true(sqnr_db >= expected->sqnr_db - 1);
    assert_int_equal(json_array_size(json_object_get(report, "layers")),
                     (size_t)(expected->conv2d + expected->depthwise + expected->add + expected->avg_pool +
                              expected->max_pool + expected->linear + 1) +
                         (strcmp(expected->name, "digits_cnn") != 0 && expected->metric != NO_CLASSES)); // softmax
    json_decref(report);
}

static void models_compile_to_integer_operators_and_stay_accurate(void **state)
{
    (void)state;
    int found = 0;

    for (int i = 0; i < MODEL_COUNT; i++) {
        const char *pte = rl_temporary_path("model.pte");
        struct rl_model model;
        if (!rl_shared_model(expectations[i].name, &model)) {
            continue;
        }
        json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
        check_counts(&expectations[i], report);
        check_nothing_superfluous(&expectations[i], pte);
        check_accuracy(&expectations[i], &model, pte);
        json_decref(report);
        found++;
    }
    if (found == 0) {
        rl_skip_test();
    }
}

static void compiling_is_cheap(void **state)
{
    (void)state;
    int found = 0;

    for (int i = 0; i < MODEL_COUNT; i++) {
        struct rl_model model;
        if (!rl_shared_model(expectations[i].name, &model)) {
            continue;
        }
        struct rl_process process = rl_process_run(
            rl_release_program(), (const char *[]){"compile", model.pt2, "-o", rl_temporary_path("model.pte"),
                                                   "--calibrate", model.calibration, NULL});
        assert_int_equal(process.status, 0);
        print_message("%-18s %.2f s, %ld MB\n", model.name, process.cpu_seconds, process.peak_kilobytes / 1024);
        assert_true(process.cpu_seconds < 3);
        assert_true(process.peak_kilobytes < 300 * 1024);
        rl_process_free(&process);
        found++;
    }
    if (found == 0) {
        rl_skip_test();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_compile_to_integer_operators_and_stay_accurate),
        cmocka_unit_test(compiling_is_cheap),
    };
    return rl_models_exit(cmocka_run_group_tests_name("shared models", tests, NULL, NULL));
}
