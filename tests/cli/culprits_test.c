// SPDX-License-Identifier: Apache-2.0
//
// The layers that `evaluate` names as culprits: what each of them costs alone adds up to the error of the program, and
// the advice follows from what was done to the calibration data.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

#define REPORTS RL_FIXTURES "/reports/"
#define GATES   REPORTS "gates.pt2"

enum { SAMPLES = 24, PIXELS = 144 };

// Writes random images for the model `gates`, times `factor`; one pixel of the first is `largest`, unless that is 0.
static const char *write_images(const char *name, float factor, float largest)
{
    const char *path = rl_temporary_path(name);
    static float images[SAMPLES * PIXELS];
    char header[118];
    FILE *file = fopen(path, "wb");
    uint32_t state = 1;

    assert_non_null(file);
    for (int i = 0; i < SAMPLES * PIXELS; i++) {
        float sum = 0;
        for (int k = 0; k < 12; k++) { // close to a normal distribution
            state = state * 1664525 + 1013904223;
            sum += (float)(state >> 8) / 0x1p24f;
        }
        images[i] = (sum - 6) * factor;
    }
    images[0] = largest != 0 ? largest : images[0];
    memset(header, ' ', sizeof header);
    const int length = snprintf(header, sizeof header,
                                "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1, 12, 12), }", (int)SAMPLES);
    header[length] = ' ';
    header[sizeof header - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, sizeof header, file);
    fwrite(images, sizeof *images, SAMPLES * PIXELS, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static json_t *evaluate(const char *model, const char *calibration, const char *data, const char *samples,
                        const char *option, const char *value)
{
    const char *program = rl_temporary_path("culprits.pte");
    const char *const compile[] = {"compile",   model,    "-o",   program, "--calibrate",
                                   calibration, "--json", option, value,   NULL};
    const char *const arguments[] = {"evaluate", model, program, "--data", data, "--json", "--culprits", samples, NULL};

    json_decref(rl_process_json(rl_program_under_test(), compile));
    return rl_process_json(rl_program_under_test(), arguments);
}

static const json_t *culprit_at(const json_t *report, size_t index)
{
    const json_t *culprit = json_array_get(json_object_get(report, "culprits"), index);

    assert_non_null(culprit);
    return culprit;
}

static const char *text(const json_t *object, const char *key)
{
    const char *string = json_string_value(json_object_get(object, key));

    assert_non_null(string);
    return string;
}

// The sum of what all layers cost alone is about the error of the program, or more: biases take off what the errors of
// several layers have in common.
static void expect_sum(const char *name, const char *measured, double most_common)
{
    char model[256], calibration[256], data[256];
    const json_t *culprit;
    size_t index;
    double sum = 0, shares = 0, last = -INFINITY;

    snprintf(model, sizeof model, REPORTS "%s.pt2", name);
    snprintf(calibration, sizeof calibration, REPORTS "%s.calib.npz", name);
    snprintf(data, sizeof data, REPORTS "%s.eval.npz", name);
    json_t *report = evaluate(model, calibration, data, "1000", "--target", "any");
    assert_int_equal(integer(report, "culprit_samples"), integer(report, "samples"));
    json_array_foreach(json_object_get(report, "culprits"), index, culprit)
    {
        const double db = number(culprit, "alone_db");
        assert_true(db >= last); // the one that costs most comes first
        last = db;
        sum += pow(10, -db / 10);
        shares += number(culprit, "share");
    }
    const double difference = -10 * log10(sum) - number(report, measured);
    if (!(difference < 2.5 && difference > -most_common)) {
        fail_msg("%s: the culprits' errors are %g dB, the program's %g dB", name, -10 * log10(sum),
                 number(report, measured));
    }
    assert_true(fabs(shares - 1) < 1e-6);
    json_decref(report);
}

static void errors_add_up(void **state)
{
    (void)state;
    expect_sum("gates", "sqnr_db", 6.5);
    expect_sum("norms", "sqnr_db", 2.5);
    expect_sum("lstm", "sqnr_db", 2.5);
    expect_sum("steps", "sqnr_db", 2.5);
}

static const json_t *culprit_called(const json_t *report, const char *name)
{
    for (size_t i = 0; i < json_array_size(json_object_get(report, "culprits")); i++) {
        if (strcmp(text(culprit_at(report, i), "name"), name) == 0) {
            return culprit_at(report, i);
        }
    }
    fail_msg("'%s' is not a culprit", name);
    return NULL;
}

static void advice_follows_from_the_calibration(void **state)
{
    (void)state;
    const char *images = write_images("images.npy", 1, 0);
    json_t *usual = evaluate(GATES, images, images, "8", NULL, NULL);
    const double db = number(culprit_called(usual, "x"), "alone_db");
    assert_string_equal(text(culprit_called(usual, "x"), "help"), "int16");

    // One pixel takes nearly all of the input's range, and few samples show what an image can be.
    json_t *outlier = evaluate(GATES, write_images("outlier.npy", 1, 200), images, "8", NULL, NULL);
    assert_string_equal(text(culprit_called(outlier, "x"), "help"), "outliers");
    assert_true(number(culprit_called(outlier, "x"), "alone_db") < db - 20);

    json_t *dark = evaluate(GATES, write_images("dark.npy", 0.3f, 0), images, "8", NULL, NULL);
    assert_string_equal(text(culprit_at(dark, 0), "help"), "samples");
    assert_string_equal(text(culprit_called(dark, "x"), "help"), "samples");
    assert_true(number(culprit_called(dark, "x"), "alone_db") < db - 20);
    json_decref(usual);
    json_decref(outlier);
    json_decref(dark);
}

// A recurrent layer is one operator, and a culprit as a whole.
static void recurrent_layers_are_culprits(void **state)
{
    (void)state;
    json_t *report = evaluate(REPORTS "lstm.pt2", REPORTS "lstm.calib.npz", REPORTS "lstm.eval.npz", "8", NULL, NULL);

    assert_string_equal(text(culprit_called(report, "lstm"), "op"), "rushlight::quantized_lstm");
    json_decref(report);
}

static void floats_have_no_culprits(void **state)
{
    (void)state;
    json_t *report = evaluate(GATES, REPORTS "gates.calib.npz", REPORTS "gates.eval.npz", "2", "--quantize", "none");

    for (size_t i = 0; i < json_array_size(json_object_get(report, "culprits")); i++) {
        assert_true(number(culprit_at(report, i), "alone_db") > 120);
    }
    json_decref(report);
}

// Integers at both ends: the input's grid is that of the interface.
static void inputs_of_integers_are_culprits(void **state)
{
    (void)state;
    json_t *report = evaluate(GATES, REPORTS "gates.calib.npz", REPORTS "gates.eval.npz", "4", "--io", "int8");
    assert_true(number(culprit_called(report, "x"), "alone_db") > 30);
    json_decref(report);
}

// A graph that came quantized: its program computes the same, with inputs of int16.
static void inputs_of_int16_are_not_clipped(void **state)
{
    (void)state;
    const char *const data = RL_FIXTURES "/stock/quotient16/calib.npz";
    json_t *report = evaluate(RL_FIXTURES "/stock/quotient16/quant.pt2", data, data, "8", NULL, NULL);

    for (size_t i = 0; i < json_array_size(json_object_get(report, "culprits")); i++) {
        assert_true(number(culprit_at(report, i), "alone_db") > 60);
    }
    json_decref(report);
}

// A run of the model on a sample depends on those before. Both copies of it and the program keep their states.
static void models_with_state_have_culprits(void **state)
{
    (void)state;
    const char *const model = RL_FIXTURES "/state/stream.pt2", *const data = RL_FIXTURES "/state/stream.npz";
    json_t *report = evaluate(model, data, data, "6", NULL, NULL);
    const json_t *culprit;
    size_t index;
    double sum = 0;

    json_array_foreach(json_object_get(report, "culprits"), index, culprit)
    {
        sum += pow(10, -number(culprit, "alone_db") / 10);
    }
    assert_true(index > 1);
    assert_true(-10 * log10(sum) > number(report, "sqnr_db") - 6);
    json_decref(report);
}

static void the_number_of_samples_is_checked(void **state)
{
    (void)state;
    json_t *report = evaluate(GATES, REPORTS "gates.calib.npz", REPORTS "gates.eval.npz", "0", NULL, NULL);

    assert_int_equal(json_array_size(json_object_get(report, "culprits")), 0);
    json_decref(report);
    struct rl_process process = rl_process_run(
        rl_program_under_test(), (const char *[]){"evaluate", GATES, rl_temporary_path("culprits.pte"), "--data",
                                                  REPORTS "gates.eval.npz", "--culprits", "many", NULL});
    assert_int_equal(process.status, 2);
    assert_non_null(strstr(process.err, "--culprits: expected a number of samples such as 10, found 'many'"));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_add_up),
        cmocka_unit_test(advice_follows_from_the_calibration),
        cmocka_unit_test(recurrent_layers_are_culprits),
        cmocka_unit_test(floats_have_no_culprits),
        cmocka_unit_test(inputs_of_integers_are_culprits),
        cmocka_unit_test(inputs_of_int16_are_not_clipped),
        cmocka_unit_test(models_with_state_have_culprits),
        cmocka_unit_test(the_number_of_samples_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
