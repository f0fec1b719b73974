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
#include <sys/stat.h>
#include <unistd.h>

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

static void photos_on_their_side_are_told(void **state)
{
    (void)state;
    struct rl_process process = rl_process_run(
        rl_program_under_test(), (const char *[]){"run", program, "--input", MEDIA "/turned.jpg", "--input",
                                                  MEDIA "/full.jpg", "--resize", "input", NULL});
    assert_int_equal(process.status, 0);
    assert_non_null(strstr(process.err, "turned.jpg: its EXIF data ask for a turn, but pixels are taken as they are "
                                        "stored; it is so for 1 of 2 files\n"));
    rl_process_free(&process);
}

static void link_digit(const char *folder, int number, int digit)
{
    char from[512], to[512];
    snprintf(to, sizeof to, "%s/%d", folder, number);
    assert_int_equal(mkdir(to, 0700), 0);
    snprintf(to, sizeof to, "%s/%d/label.png", folder, number);
    snprintf(from, sizeof from, "%s/%d.png", DIGITS, digit);
    assert_int_equal(symlink(from, to), 0);
}

// Folders are classes: the first three digits, 7, 6 and 3, lie in the right ones; in all others lies a wrong one.
static void folders_are_labels(void **state)
{
    (void)state;
    static const int digits[CLASSES] = {1, 1, 1, 2, 1, 1, 1, 0, 1, 1};
    const char *folder = rl_temporary_path("classes");
    char hidden[512];
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(hidden, sizeof hidden, "%s/.hidden", folder);
    assert_int_equal(mkdir(hidden, 0700), 0);
    for (int i = 0; i < CLASSES; i++) {
        link_digit(folder, i, digits[i]);
    }
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", MODEL, program, "--data", folder, "--json", NULL});
    assert_int_equal(integer(report, "samples"), CLASSES);
    assert_true(number(json_array_get(json_object_get(report, "outputs"), 0), "top1_quantized") == 0.3);
    json_decref(report);
    snprintf(hidden, sizeof hidden, "%s/5/label.png", folder);
    assert_int_equal(unlink(hidden), 0);
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"run", program, "--input", folder, NULL});
    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.err, "classes/5: the folder has no image (.png, .jpg) and no recording"));
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

// 8 samples at 8000 a second.
static const char *write_recording(const char *name)
{
    static const unsigned char bytes[] = "RIFF\x34\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
                                         "data\x10\0\0\0\0\0\0\x40\0\x80\xff\x7f\0\0\0\x20\0\xe0\0\0";
    const char *path = rl_temporary_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, 60, file), 60);
    assert_int_equal(fclose(file), 0);
    return path;
}

// The same numbers as a recording and as a table give the same results.
static void recordings_are_run(void **state)
{
    (void)state;
    const char *pair = rl_temporary_path("heard.pte"), *sound = write_recording("sound.wav");
    const char *table = write_text("sound.csv", "0,16384,-32768,32767,0,8192,-8192,0\n");
    const char *const inputs[2][2] = {{sound, sound}, {table, table}};
    json_t *outputs[2];

    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", PAIR, "-o", pair, "--json", NULL}));
    for (int i = 0; i < 2; i++) {
        json_t *report =
            rl_process_json(rl_program_under_test(),
                            (const char *[]){"run", pair, "--input", inputs[i][0], "--input", inputs[i][1],
                                             i == 0 ? "--rate" : "--std", i == 0 ? "8000" : "32768", "--json", NULL});
        outputs[i] = json_incref(json_object_get(report, "outputs"));
        json_decref(report);
    }
    assert_true(json_equal(outputs[0], outputs[1]));
    json_decref(outputs[0]);
    json_decref(outputs[1]);
    struct rl_process process =
        rl_process_run(rl_program_under_test(),
                       (const char *[]){"run", pair, "--input", sound, "--input", sound, "--rate", "16000", NULL});
    assert_int_equal(process.status, 1);
    assert_non_null(
        strstr(process.err, "sound.wav: the recording has 8000 samples a second; accepted: 16000 (--rate)"));
    rl_process_free(&process);
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    const char *other = write_text("other.csv", "1,2,3\n"), *text = write_text("text.png", "no image");
    const char *empty = rl_temporary_path("empty");
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
        {{"--input", empty}, 1, "no .npz or .npy file, no image"},
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

    assert_int_equal(mkdir(empty, 0700), 0);
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
        cmocka_unit_test(folders_are_labels),
        cmocka_unit_test(photos_on_their_side_are_told),
        cmocka_unit_test(recordings_are_run),
        cmocka_unit_test(a_folder_of_images_is_run),
        cmocka_unit_test(a_table_gives_what_arrays_give),
        cmocka_unit_test(other_verbs_take_images),
        cmocka_unit_test(inputs_may_come_from_several_files),
        cmocka_unit_test(what_does_not_fit_is_told),
    };
    return cmocka_run_group_tests_name("media", tests, compile_digits, NULL);
}
