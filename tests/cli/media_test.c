// SPDX-License-Identifier: Apache-2.0
//
// Images, recordings and tables on the command line: the verbs that take samples take them, with the same results as
// arrays of the same numbers, and say what does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

#define MEDIA  RL_FIXTURES "/media"
#define DIGITS MEDIA "/digits"
#define PAIR   RL_FIXTURES "/reports/pair.pt2"

enum { DIGIT_COUNT = 8, CLASSES = 10 };

static const char *program, *with_int8;

static int compile_digits(void **state)
{
    (void)state;
    program = rl_temporary_path("digits.pte");
    with_int8 = rl_temporary_path("int8.pte");
    json_decref(compile(program, NULL, NULL));
    json_decref(compile(with_int8, "--io", "int8"));
    return 0;
}

static const char *write_text(const char *name, const char *text)
{
    const char *path = rl_temporary_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

// The class with the highest number of each sample of the first output.
static void read_classes(const json_t *report, int *classes, int count)
{
    const json_t *data = json_object_get(json_array_get(json_object_get(report, "outputs"), 0), "data");

    assert_true(json_array_size(data) >= (size_t)(count * CLASSES));
    for (int i = 0; i < count; i++) {
        classes[i] = 0;
        for (int c = 1; c < CLASSES; c++) {
            const double best = json_number_value(json_array_get(data, (size_t)(i * CLASSES + classes[i])));
            if (json_number_value(json_array_get(data, (size_t)(i * CLASSES + c))) > best) {
                classes[i] = c;
            }
        }
    }
}

static void a_folder_of_images_is_run(void **state)
{
    (void)state;
    int expected[DIGIT_COUNT], found[DIGIT_COUNT];
    json_t *arrays = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"run", program, "--input", TEST_DATA, "--json", NULL});
    read_classes(arrays, expected, DIGIT_COUNT);

    for (int i = 0; i < 2; i++) {
        json_t *images = rl_process_json(rl_program_under_test(), (const char *[]){"run", i == 0 ? program : with_int8,
                                                                                   "--input", DIGITS, "--json", NULL});
        assert_int_equal(integer(images, "samples"), DIGIT_COUNT);
        read_classes(images, found, DIGIT_COUNT);
        assert_memory_equal(found, expected, sizeof found);
        json_decref(images);
    }
    json_decref(arrays);
}

// The same numbers as a table and as arrays give the same results.
static void a_table_gives_what_arrays_give(void **state)
{
    (void)state;
    char text[8192] = "";
    size_t used = 0;
    for (int i = 0; i < 2 * 64; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%d%s", i % 16 == 3 ? 16 : 0, i % 64 == 63 ? "\n" : ";");
    }
    const char *table = write_text("digits.csv", text);
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"run", program, "--input", table, "--std", "16", "--json", NULL});
    assert_int_equal(integer(report, "samples"), 2);
    json_decref(report);
}

static void other_verbs_take_images(void **state)
{
    (void)state;
    const char *calibrated = rl_temporary_path("calibrated.pte");

    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", calibrated,
                                                                          "--calibrate", DIGITS, "--json", NULL}));
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", MODEL, calibrated, "--data", DIGITS, "--json", NULL});
    assert_int_equal(integer(report, "samples"), DIGIT_COUNT);
    assert_true(number(report, "agreement") == 1);
    assert_true(number(report, "sqnr_db") > 20);
    json_decref(report);
    struct rl_process process = rl_process_run(
        rl_program_under_test(), (const char *[]){"check", MODEL, program, "--data", DIGITS, "--agreement", "1", NULL});
    assert_int_equal(process.status, 0);
    rl_process_free(&process);
    process = rl_process_run(rl_program_under_test(),
                             (const char *[]){"diff", program, calibrated, "--input", DIGITS, "--sqnr", "10", NULL});
    assert_int_equal(process.status, 0);
    rl_process_free(&process);
}

static void inputs_may_come_from_several_files(void **state)
{
    (void)state;
    const char *pair = rl_temporary_path("pair.pte");
    const char *left = write_text("left.csv", "1,2,3,4,5,6,7,8\n0,0,0,0,0,0,0,0\n");
    const char *right = write_text("right.csv", "a,b,c,d,e,f,g,h\n8,7,6,5,4,3,2,1\n1,1,1,1,1,1,1,1\n");

    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", PAIR, "-o", pair, "--json", NULL}));
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"run", pair, "--input", left, "--input", right, "--json", NULL});
    assert_int_equal(integer(report, "samples"), 2);
    json_decref(report);
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    const char *other = write_text("other.csv", "1,2,3\n"), *text = write_text("text.png", "no image");
    const struct {
        const char *words[9];
        int status;
        const char *message;
    } cases[] = {
        {{"--input", MEDIA "/rgb.png"}, 1, "rgb.png: the image has 13 x 9 pixels (width x height), the input float32 "},
        {{"--input", MEDIA "/rgb.png", "--resize", "3", "--crop"}, 1, "scaled 4 x 3"},
        {{"--input", DIGITS "/0.png", "--mean", "1,2"}, 1, "--mean has 2 numbers, but there is 1 channel; accepted: 1"},
        {{"--input", other}, 1, "other.csv: the table has 3 columns, the input takes float32 [1, 1, 8, 8]"},
        {{"--input", text}, 1, "text.png: it starts neither as a PNG nor as a JPEG file"},
        {{"--input", MEDIA "/README.md"}, 1, "unknown kind of data; accepted: .npz, .npy, .png, .jpg, .wav, .csv"},
        {{"--input", RL_FIXTURES}, 1, "no .npz or .npy file, no image"},
        {{"--input", TEST_DATA, "--resize", "input"}, 1, "--resize is for images, and there is none"},
        {{"--input", MEDIA "/full.jpg", "--max-unpacked", "2K"},
         1,
         "32 x 24 pixels take 2304 bytes; accepted: up to 2048"},
        {{"--resize", "big"}, 2, "expected input, HEIGHTxWIDTH as in 96x128, or a number"},
        {{"--resize", "0x5"}, 2, "expected input"},
        {{"--resize", "5x"}, 2, "expected input"},
        {{"--resize", "5x5x5"}, 2, "expected input"},
        {{"--resize", "99999999999"}, 2, "expected input"},
        {{"--mean", "a"}, 2, "--mean: expected numbers such as 0.5 or 0.485,0.456,0.406, found 'a'"},
        {{"--mean", "1,"}, 2, "--mean: expected numbers"},
        {{"--std", "0"}, 2, "--std: expected positive numbers"},
        {{"--std", "1e-99"}, 2, "--std: expected positive numbers"},
        {{"--rate", "fast"}, 2, "--rate: expected a number of samples a second"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[12] = {"run", program};
        memcpy(words + 2, cases[i].words, sizeof cases[i].words);
        struct rl_process process = rl_process_run(rl_program_under_test(), words);
        if (process.status != cases[i].status || !strstr(process.err, cases[i].message) || process.out[0] != '\0') {
            fail_msg("case %zu: expected '%s', found %d and '%s'", i, cases[i].message, process.status, process.err);
        }
        rl_process_free(&process);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_of_images_is_run), cmocka_unit_test(a_table_gives_what_arrays_give),
        cmocka_unit_test(other_verbs_take_images),   cmocka_unit_test(inputs_may_come_from_several_files),
        cmocka_unit_test(what_does_not_fit_is_told),
    };
    return cmocka_run_group_tests_name("media", tests, compile_digits, NULL);
}
