// SPDX-License-Identifier: Apache-2.0
//
// What `evaluate` says of layers, classes and outputs, on models whose activations stay calls of their own, that answer
// many times a sample, or that have two outputs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

#define REPORTS RL_FIXTURES "/reports/"

// Compiles a model of the folder, with one more option and its value, and evaluates it, with another one.
static json_t *evaluate(const char *name, const char *option, const char *value, const char *other, const char *word)
{
    char model[256], calibration[256], data[256];
    const char *program = rl_temporary_path("evaluated.pte");

    snprintf(model, sizeof model, REPORTS "%s.pt2", name);
    snprintf(calibration, sizeof calibration, REPORTS "%s.calib.npz", name);
    snprintf(data, sizeof data, REPORTS "%s.eval.npz", name);
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", program, "--calibrate",
                                                                  calibration, "--json", option, value, NULL}));
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"evaluate", model, program, "--data", data, "--json", other, word, NULL});
}

static const json_t *layer_of(const json_t *report, const char *name)
{
    size_t index;
    const json_t *layer;

    json_array_foreach(json_object_get(report, "layers"), index, layer)
    {
        if (strcmp(json_string_value(json_object_get(layer, "name")), name) == 0) {
            return layer;
        }
    }
    fail_msg("there is no layer '%s'", name);
    return NULL;
}

static const json_t *output_of(const json_t *report, size_t index)
{
    return json_array_get(json_object_get(report, "outputs"), index);
}

// Scales come from multipliers and tables. The last layer is the output, so both must have the same noise.
static void check_gates(const json_t *report, size_t count)
{
    static const char *const names[] = {"conv2d",  "hardswish", "conv2d_1", "hardswish_1", "conv2d_2",
                                        "sigmoid", "mul",       "mean",     "linear"};

    assert_int_equal(json_array_size(json_object_get(report, "layers")), count);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double db = number(layer_of(report, names[i]), "sqnr_db");
        if (!(db > 27 && db < 65)) {
            fail_msg("%s: %g dB", names[i], db);
        }
    }
    assert_true(fabs(number(layer_of(report, "linear"), "sqnr_db") - number(report, "sqnr_db")) < 0.02);
    assert_string_equal(json_string_value(json_object_get(layer_of(report, "hardswish"), "op")),
                        "cortex_m::quantized_activation");
    assert_true(number(layer_of(report, "sigmoid"), "sqnr_db") > 50);
}

static void layers_are_those_of_the_model(void **state)
{
    (void)state;
    static const char *const options[][2] = {{"--quantizer", "best"}, {"--io", "int8"}, {"--for", "executorch"}};

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        json_t *report = evaluate("gates", options[i][0], options[i][1], NULL, NULL);
        check_gates(report, 9);
        json_decref(report);
    }
}

enum { NAME_BYTES = 128 };

// The name of an operator without its namespace and without the parts that only our own have.
static void plain_name(const char *op, char name[NAME_BYTES])
{
    static const char *const parts[] = {"quantized_", "_s8", "_s16"};
    const char *from = strstr(op, "::");
    assert_non_null(from);
    snprintf(name, NAME_BYTES, "%s", from + 2);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *part = strstr(name, parts[i]);
        if (part) {
            memmove(part, part + strlen(parts[i]), strlen(part + strlen(parts[i])) + 1);
        }
    }
}

// Whether operators differ only in what is our own: average pools with a scale of their own are called like the stock
// ones but for the namespace, and what comes last has int16 results: quantized_softmax_s16 stands for softmax, and
// quantized_conv2d_s8_s16 for quantized_conv2d.
static bool are_alike(const char *one, const char *other)
{
    char names[2][NAME_BYTES];
    plain_name(one, names[0]);
    plain_name(other, names[1]);
    return strcmp(names[0], names[1]) == 0;
}

// The layers of a program, or of one that ExecuTorch made, in an explicit layout are those of the same program in the
// implicit one: same names, same operators but for the layout, same noise.
static void expect_explicit(const char *name, const char *model_file, const char *program, double limit)
{
    char model[256], data[256], op[128];
    const char *implicit = rl_temporary_path("implicit.pte");
    size_t index;
    const json_t *layer;

    snprintf(model, sizeof model, RL_FIXTURES "/stock/%s/%s", name, model_file);
    snprintf(data, sizeof data, RL_FIXTURES "/stock/%s/calib.npz", name);
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", implicit,
                                                                          "--calibrate", data, "--json", NULL}));
    json_t *expected = rl_process_json(rl_program_under_test(),
                                       (const char *[]){"evaluate", model, implicit, "--data", data, "--json", NULL});
    json_t *found = rl_process_json(rl_program_under_test(),
                                    (const char *[]){"evaluate", model, program, "--data", data, "--json", NULL});
    assert_int_equal(json_array_size(json_object_get(found, "layers")),
                     json_array_size(json_object_get(expected, "layers")));
    json_array_foreach(json_object_get(expected, "layers"), index, layer)
    {
        const json_t *other = layer_of(found, json_string_value(json_object_get(layer, "name")));
        const char *own = json_string_value(json_object_get(layer, "op"));
        snprintf(op, sizeof op, "%s%s", own, strstr(own, "2d") ? "_nhwc" : "");
        assert_true(are_alike(json_string_value(json_object_get(other, "op")), op));
        assert_true(fabs(number(other, "sqnr_db") - number(layer, "sqnr_db")) < limit);
    }
    json_decref(expected);
    json_decref(found);
}

static void layers_of_an_explicit_layout_are_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"explicit", "explicit_1d"}, *const models[] = {"float.pt2", "quant.pt2"};
    const char *program = rl_temporary_path("explicit.pte");

    for (size_t i = 0; i < 4; i++) {
        char model[256], data[256], stock[256];
        snprintf(model, sizeof model, RL_FIXTURES "/stock/%s/%s", names[i / 2], models[i % 2]);
        snprintf(data, sizeof data, RL_FIXTURES "/stock/%s/calib.npz", names[i / 2]);
        snprintf(stock, sizeof stock, RL_FIXTURES "/stock/%s/m55.pte", names[i / 2]);
        json_decref(
            rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", program, "--calibrate",
                                                                      data, "--explicit-layout", "--json", NULL}));
        expect_explicit(names[i / 2], models[i % 2], program, 1e-9);
        // The stock quantizer's choices for a float model are not ours.
        expect_explicit(names[i / 2], models[i % 2], stock, i % 2 == 0 ? INFINITY : 0.02);
    }
}

// The stock flow copies an image before it is flattened for a linear layer. We permute the layer's weights instead, and
// find the layer all the same.
static void linear_layers_behind_images_are_found(void **state)
{
    (void)state;
    const char *const data = RL_FIXTURES "/stock/digits_cnn/calib.npz";
    json_t *report =
        rl_process_json(rl_program_under_test(),
                        (const char *[]){"evaluate", RL_FIXTURES "/stock/digits_cnn/quant.pt2",
                                         RL_FIXTURES "/stock/digits_cnn/m55.pte", "--data", data, "--json", NULL});
    assert_true(number(layer_of(report, "linear"), "sqnr_db") > 35);
    json_decref(report);
}

// A float program computes each layer as the model does.
static void layers_of_floats_are_equal(void **state)
{
    (void)state;
    json_t *report = evaluate("gates", "--quantize", "none", NULL, NULL);

    assert_int_equal(json_array_size(json_object_get(report, "layers")), 9);
    assert_true(number(layer_of(report, "hardswish"), "sqnr_db") > 120);
    assert_true(number(layer_of(report, "linear"), "sqnr_db") > 120);
    json_decref(report);
}

static json_int_t calls_of(const json_t *layer)
{
    return json_integer_value(json_object_get(layer, "calls"));
}

// An int16 quotient in front of others that stay in floating point.
static void quotients_are_layers(void **state)
{
    (void)state;
    const char *model = RL_FIXTURES "/stock/quotient16/quant.pt2", *data = RL_FIXTURES "/stock/quotient16/calib.npz";
    const char *program = rl_temporary_path("quotient.pte");

    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", program, "--json", NULL}));
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", model, program, "--data", data, "--json", NULL});
    const json_t *layer = layer_of(report, "div");

    assert_string_equal(json_string_value(json_object_get(layer, "op")), "cortex_m::quantized_div");
    assert_true(number(layer, "sqnr_db") > 70);
    assert_int_equal(calls_of(layer), 1);
    json_decref(report);
}

// Convolutions with a PReLU, of images and of sequences, with weights of both orders. The last one, with a leaky ReLU,
// stays two operators if the number of its channels is not a multiple of four, or in a program for any core if it has
// few outputs.
static void rectified_convolutions_are_layers(void **state)
{
    static const char *const targets[] = {"cortex-m4", "cortex-m55", "any"};
    static const char *const names[] = {"conv2d", "conv2d_1", "conv1d", "conv2d_2"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const char *program = rl_temporary_path("rectifiers.pte");
        const char *const compile[] = {"compile",     RL_FIXTURES "/composed/rectifiers.pt2",
                                       "-o",          program,
                                       "--calibrate", RL_FIXTURES "/composed/rectifiers.npz",
                                       "--target",    targets[i],
                                       "--json",      NULL};
        json_decref(rl_process_json(rl_program_under_test(), compile));
        json_t *report =
            rl_process_json(rl_program_under_test(),
                            (const char *[]){"evaluate", RL_FIXTURES "/composed/rectifiers.pt2", program, "--data",
                                             RL_FIXTURES "/composed/rectifiers.npz", "--json", NULL});
        for (size_t k = 0; k < 4; k++) {
            const json_t *layer = layer_of(report, names[k]);
            const char *op = json_string_value(json_object_get(layer, "op"));
            assert_non_null(strstr(op, k < 3 ? "quantized_conv2d_prelu" : "quantized_conv2d"));
            assert_true(number(layer, "sqnr_db") > 30);
        }
        json_decref(report);
    }
}

// The scale of a norm's result is in its weights, that of its operand in its epsilon.
static void norms_are_layers(void **state)
{
    static const char *const names[] = {"conv2d", "group_norm", "conv2d_1", "instance_norm", "layer_norm",
                                        "linear", "linear_1",   "rms_norm", "linear_2"};
    (void)state;
    json_t *report = evaluate("norms", "--quantizer", "best", NULL, NULL);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double db = number(layer_of(report, names[i]), "sqnr_db");
        if (!(db > 25 && db < 60)) {
            fail_msg("%s: %g dB", names[i], db);
        }
    }
    assert_string_equal(json_string_value(json_object_get(layer_of(report, "instance_norm"), "op")),
                        "rushlight::quantized_group_norm");
    assert_string_equal(json_string_value(json_object_get(layer_of(report, "rms_norm"), "op")),
                        "rushlight::quantized_layer_norm");
    json_decref(report);
    report = evaluate("norms", "--for", "executorch", NULL, NULL);
    assert_string_equal(json_string_value(json_object_get(layer_of(report, "layer_norm"), "op")),
                        "aten::native_layer_norm");
    json_decref(report);
}

// The linear layers, sums and products of all steps have a line each.
static void layers_inside_recurrent_ones_are_told(void **state)
{
    (void)state;
    json_t *report = evaluate("lstm", "--quantizer", "stock", NULL, NULL);
    const char *const ops[] = {"aten::linear", "aten::add", "aten::mul"};
    const json_t *layers = json_object_get(report, "layers"), *layer;
    size_t index, found = 0;

    json_array_foreach(layers, index, layer)
    {
        if (strcmp(json_string_value(json_object_get(layer, "name")), "lstm") == 0) {
            assert_true(found < 3);
            assert_string_equal(json_string_value(json_object_get(layer, "op")), ops[found++]);
            assert_true(calls_of(layer) > 10);
            assert_true(number(layer, "sqnr_db") > 20);
        }
    }
    assert_int_equal(found, 3);
    json_decref(report);
}

// As one operator, a recurrent layer is compared as a whole.
static void recurrent_layers_are_compared(void **state)
{
    (void)state;
    json_t *report = evaluate("lstm", "--quantizer", "best", NULL, NULL);
    const json_t *layer = json_array_get(json_object_get(report, "layers"), 0);

    assert_string_equal(json_string_value(json_object_get(layer, "name")), "lstm");
    assert_string_equal(json_string_value(json_object_get(layer, "op")), "rushlight::quantized_lstm");
    assert_true(number(layer, "sqnr_db") > 30);
    json_decref(report);
}

// [1, 6, 100]: classes lie along axis 1, and there are 100 answers a sample.
static void answers_go_along_the_class_axis(void **state)
{
    (void)state;
    json_t *report = evaluate("steps", NULL, NULL, NULL, NULL);

    assert_int_equal(integer(output_of(report, 0), "class_axis"), 1);
    assert_int_equal(integer(output_of(report, 0), "answers"), 4000);
    assert_true(fabs(number(report, "top1_float") - 0.9) < 1e-9);
    assert_true(number(report, "top1_quantized") > 0.87);
    assert_true(number(report, "agreement") > 0.97);
    json_decref(report);
}

// Of a signal and a softmax, the latter has classes. The former has none.
static void each_output_has_its_own_accuracy(void **state)
{
    (void)state;
    json_t *report = evaluate("heads", NULL, NULL, NULL, NULL);

    assert_string_equal(json_string_value(json_object_get(report, "output")), "softmax");
    assert_true(number(report, "top1_float") > 0.85);
    assert_true(number(report, "agreement") >= 0.95);
    assert_true(json_is_null(json_object_get(output_of(report, 0), "agreement")));
    assert_true(json_is_null(json_object_get(output_of(report, 0), "top1_float")));
    const json_t *softmax = output_of(report, 1);
    assert_true(number(softmax, "logits_sqnr_db") == number(layer_of(report, "linear_2"), "sqnr_db"));
    assert_true(fabs(number(softmax, "probabilities_sqnr_db") - number(softmax, "sqnr_db")) < 1e-6);
    assert_true(number(output_of(report, 0), "largest_difference_steps") > 1);
    json_decref(report);

    report = evaluate("heads", NULL, NULL, "--output", "linear_1");
    assert_string_equal(json_string_value(json_object_get(report, "output")), "linear_1");
    assert_true(json_is_null(json_object_get(report, "agreement")));
    json_decref(report);
}

static void logits_have_probabilities(void **state)
{
    (void)state;
    json_t *report = evaluate("gates", NULL, NULL, NULL, NULL);
    const json_t *output = output_of(report, 0);

    assert_true(number(output, "logits_sqnr_db") == number(output, "sqnr_db"));
    assert_true(number(output, "probabilities_sqnr_db") > number(output, "sqnr_db"));
    json_decref(report);
}

static void an_output_must_be_there(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("heads.pte");

    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"compile", REPORTS "heads.pt2", "-o", program, "--json", NULL}));
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"evaluate", REPORTS "heads.pt2", program, "--data",
                                                                 REPORTS "heads.eval.npz", "--output", "x", NULL});
    assert_int_equal(process.status, 2);
    assert_non_null(strstr(process.err, "linear_1, softmax"));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_of_an_explicit_layout_are_the_same),
        cmocka_unit_test(linear_layers_behind_images_are_found),
        cmocka_unit_test(layers_are_those_of_the_model),
        cmocka_unit_test(layers_of_floats_are_equal),
        cmocka_unit_test(answers_go_along_the_class_axis),
        cmocka_unit_test(each_output_has_its_own_accuracy),
        cmocka_unit_test(logits_have_probabilities),
        cmocka_unit_test(an_output_must_be_there),
        cmocka_unit_test(quotients_are_layers),
        cmocka_unit_test(norms_are_layers),
        cmocka_unit_test(rectified_convolutions_are_layers),
        cmocka_unit_test(layers_inside_recurrent_ones_are_told),
        cmocka_unit_test(recurrent_layers_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
