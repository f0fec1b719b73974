// SPDX-License-Identifier: Apache-2.0
//
// What the program says of data that is not what it should be, and which spellings it understands.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "compiler/data/npz.h"
#include "support/process.h"

#define PAIR  RL_FIXTURES "/reports/pair.pt2"
#define EMPTY RL_FIXTURES "/reports/empty.pt2"

enum { SAMPLES = 8, PIXELS = 64 };

static float pixels[SAMPLES][PIXELS];

static void draw_pixels(void)
{
    for (int i = 0; i < SAMPLES * PIXELS; i++) {
        pixels[i / PIXELS][i % PIXELS] = (float)(i * 37 % 101) / 100;
    }
}

static void fill_pixels(float number)
{
    for (int i = 0; i < SAMPLES * PIXELS; i++) {
        pixels[i / PIXELS][i % PIXELS] = number;
    }
}

static struct rl_array samples_array(const char *name)
{
    return (struct rl_array){
        .name = name, .dtype = RL_FLOAT32, .rank = 4, .sizes = {SAMPLES, 1, 8, 8}, .data = (void *)pixels};
}

static const char *write_arrays(const struct rl_array *arrays, int count)
{
    const char *path = rl_temporary_path("data.npz");
    struct rl_context context = {0};

    assert_int_equal(rl_npz_write(&context, path, arrays, count), RL_OK);
    return path;
}

// Compiles and returns the exit status; what stands on standard error must hold all words.
static int compile_with(const char *model, const char *data, const char *const *words)
{
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"compile", model, "-o", rl_temporary_path("data.pte"),
                                                                 "--calibrate", data, "--json", NULL});
    const int status = process.status;

    for (; *words; words++) {
        if (!strstr(process.err, *words)) {
            fail_msg("expected '%s' in '%s'", *words, process.err);
        }
    }
    rl_process_free(&process);
    return status;
}

static int calibrate(const char *first, const char *second)
{
    const struct rl_array array = samples_array("image");

    return compile_with(MODEL, write_arrays(&array, 1), (const char *[]){first, second, NULL});
}

static void calibration_that_says_nothing_is_named(void **state)
{
    (void)state;
    fill_pixels(0);
    assert_int_equal(calibrate("warning", "every number of input 'image' is 0"), 0);
    fill_pixels(0.5f);
    assert_int_equal(calibrate("warning", "every number of input 'image' is 0.5"), 0);
    draw_pixels();
    pixels[3][7] = 1e30f;
    assert_int_equal(calibrate("warning", "sample 3 of input 'image'"), 0);
    pixels[3][7] = 1e6f;
    assert_int_equal(calibrate("warning", "sample 3 of input 'image' reaches to 1e+06"), 0);
    pixels[3][7] = NAN;
    assert_int_equal(calibrate("sample 3 of input 'image' is not a number", "element 7"), 1);
}

static void good_calibration_is_not_warned_of(void **state)
{
    (void)state;
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", rl_temporary_path("good.pte"),
                                                                 "--calibrate", CALIBRATION, NULL});
    assert_int_equal(process.status, 0);
    assert_string_equal(process.err, "");
    rl_process_free(&process);
}

static void labels_are_not_samples(void **state)
{
    (void)state;
    static int64_t numbers[SAMPLES][PIXELS];
    struct rl_array labels = {
        .name = "labels", .dtype = RL_INT64, .rank = 4, .sizes = {SAMPLES, 1, 8, 8}, .data = numbers};

    for (int i = 0; i < SAMPLES * PIXELS; i++) {
        numbers[i / PIXELS][i % PIXELS] = i % 10;
    }
    assert_int_equal(compile_with(MODEL, write_arrays(&labels, 1), (const char *[]){"found 'labels'", "image", NULL}),
                     1);
    labels.name = "image";
    assert_int_equal(compile_with(MODEL, write_arrays(&labels, 1),
                                  (const char *[]){"array 'image' for input 'image' holds int64", NULL}),
                     0);
}

static void arrays_that_match_nothing_are_told(void **state)
{
    (void)state;
    draw_pixels();
    const struct rl_array arrays[] = {samples_array("image"), samples_array("pictures")};

    assert_int_equal(
        compile_with(MODEL, write_arrays(arrays, 2), (const char *[]){"array 'pictures' is not used", NULL}), 0);
    assert_int_equal(compile_with(MODEL, write_arrays(arrays + 1, 1), (const char *[]){"", NULL}),
                     0); // the only array of the file
}

static void input_serves_the_one_that_is_left_over(void **state)
{
    (void)state;
    draw_pixels();
    struct rl_array arrays[2];

    for (int i = 0; i < 2; i++) {
        arrays[i] = (struct rl_array){.name = i == 0 ? "left" : "input",
                                      .dtype = RL_FLOAT32,
                                      .rank = 2,
                                      .sizes = {SAMPLES, 8},
                                      .data = pixels[4 * i]};
    }
    assert_int_equal(compile_with(PAIR, write_arrays(arrays, 2), (const char *[]){"", NULL}), 0);
    arrays[1].name = "rihgt";
    assert_int_equal(compile_with(PAIR, write_arrays(arrays, 2),
                                  (const char *[]){"array 'rihgt' is not used", "(did you mean 'right'?)", NULL}),
                     1);
}

// The scale is in the file: what a float program takes, one with int8 inputs takes, too.
static void an_int8_program_takes_floats(void **state)
{
    (void)state;
    const char *const programs[] = {rl_temporary_path("float.pte"), rl_temporary_path("int8.pte")};
    const char *answers[2];
    json_t *reports[2];

    for (int i = 0; i < 2; i++) {
        json_decref(compile_stock(programs[i], "--io", i == 0 ? "float" : "int8"));
        reports[i] = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"run", programs[i], "--input", TEST_DATA, "--json", NULL});
        const json_t *output = json_array_get(json_object_get(reports[i], "outputs"), 0);
        answers[i] = json_string_value(json_object_get(output, "dtype"));
        assert_int_equal(json_array_size(json_object_get(output, "data")), 3600);
    }
    assert_string_equal(answers[0], "float32");
    assert_string_equal(answers[1], "int8");
    const json_t *real = json_object_get(json_array_get(json_object_get(reports[0], "outputs"), 0), "data");
    const json_t *integer = json_object_get(json_array_get(json_object_get(reports[1], "outputs"), 0), "data");
    json_t *told = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", programs[1], "--json", NULL});
    const json_t *grid = json_array_get(json_object_get(told, "outputs"), 0);
    for (size_t i = 0; i < json_array_size(real); i++) {
        const double value = number(grid, "scale") * ((double)json_integer_value(json_array_get(integer, i)) -
                                                      (double)json_integer_value(json_object_get(grid, "zero_point")));
        assert_true(fabs(json_real_value(json_array_get(real, i)) - value) < 1e-5);
    }
    json_decref(told);
    json_decref(reports[0]);
    json_decref(reports[1]);
}

static void an_input_may_be_empty(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("empty.pte");
    const struct rl_array arrays[] = {
        {.name = "x", .dtype = RL_FLOAT32, .rank = 2, .sizes = {1, 8}, .data = pixels},
        {.name = "rest", .dtype = RL_FLOAT32, .rank = 2, .sizes = {0, 8}, .data = pixels}};

    draw_pixels();
    const char *data = write_arrays(arrays, 2);
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"compile", EMPTY, "-o", program,
                                                                          "--calibrate", data, "--json", NULL}));
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", program, "--json", NULL}));
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"run", program, "--input", data, "--json", NULL}));
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", EMPTY, program, "--data", data, "--json", NULL});
    assert_int_equal(integer(report, "samples"), 1);
    assert_true(number(report, "sqnr_db") > 30);
    json_decref(report);
}

static void targets_are_understood_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int status;
    } cases[] = {{"cortex-m0+", 0}, {"M4", 0},         {"CORTEX-M4", 0},         {"m0plus", 0}, {"Cortex-M55+dsp", 0},
                 {"m0+", 0},        {"cortex-m4+", 2}, {"cortex-m0++scalar", 0}, {"m5", 2},     {"cortex-", 2}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rl_process process = rl_process_run(
            rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", rl_temporary_path("t.pte"), "--calibrate",
                                                      CALIBRATION, "--target", cases[i].target, NULL});
        if (process.status != cases[i].status) {
            fail_msg("--target %s: exit status %d", cases[i].target, process.status);
        }
        rl_process_free(&process);
    }
}

static void the_help_has_only_what_works(void **state)
{
    (void)state;
    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){"compile", "--help", NULL});

    assert_int_equal(process.status, 0);
    assert_null(strstr(process.out, "a8w4")); // which is refused as not yet supported
    assert_null(strstr(process.out, "not supported"));
    assert_non_null(strstr(process.out, "--calibrate"));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibration_that_says_nothing_is_named),
        cmocka_unit_test(good_calibration_is_not_warned_of),
        cmocka_unit_test(labels_are_not_samples),
        cmocka_unit_test(arrays_that_match_nothing_are_told),
        cmocka_unit_test(input_serves_the_one_that_is_left_over),
        cmocka_unit_test(an_int8_program_takes_floats),
        cmocka_unit_test(an_input_may_be_empty),
        cmocka_unit_test(targets_are_understood_as_people_write_them),
        cmocka_unit_test(the_help_has_only_what_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
