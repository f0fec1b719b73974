// SPDX-License-Identifier: Apache-2.0
//
// Recordings and tables as samples: what is read, mixed, cut and filled, and what is refused with which sentence.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/media/media.h"

static struct rl_context context;
static struct rl_arena arena;
static struct rl_preparation preparation;

static int start(void **state)
{
    (void)state;
    arena = (struct rl_arena){0};
    preparation = (struct rl_preparation){0};
    context = (struct rl_context){.preparation = &preparation};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

static struct rl_tensor_type type_of(int rank, int64_t a, int64_t b, int64_t c)
{
    const int64_t sizes[RL_MAX_RANK] = {a, b, c};
    return rl_tensor_type_make(RL_FLOAT32, rank, sizes);
}

// ---- recordings

struct recording {
    unsigned format, channels, rate, bits, block;
    unsigned extensible; // bytes of the chunk `fmt `; 0: 16
    int16_t samples[8];
    int count;
    uint32_t data_bytes; // as the file says; 0: as many as there are
};

static size_t put(uint8_t *bytes, size_t at, uint32_t number, int count)
{
    for (int i = 0; i < count; i++) {
        bytes[at + (size_t)i] = (uint8_t)(number >> 8 * i);
    }
    return at + (size_t)count;
}

static size_t put_text(uint8_t *bytes, size_t at, const char *text)
{
    memcpy(bytes + at, text, strlen(text));
    return at + strlen(text);
}

// With a chunk of odd length before the samples, as programs write that keep a comment.
static size_t write_wav(const struct recording *recording, uint8_t bytes[256])
{
    const unsigned format_bytes = recording->extensible ? recording->extensible : 16;
    size_t at = put_text(bytes, 0, "RIFF");
    at = put(bytes, at, 200, 4);
    at = put_text(bytes, at, "WAVEfmt ");
    at = put(bytes, at, format_bytes, 4);
    const size_t format = at;
    memset(bytes + format, 0, format_bytes);
    at = put(bytes, at, recording->extensible ? 0xfffe : recording->format, 2);
    at = put(bytes, at, recording->channels, 2);
    at = put(bytes, at, recording->rate, 4);
    at = put(bytes, at, recording->rate * recording->block, 4);
    at = put(bytes, at, recording->block, 2);
    put(bytes, at, recording->bits, 2);
    if (recording->extensible) {
        put(bytes, format + 24, recording->format, 2);
    }
    at = put_text(bytes, format + format_bytes, "LIST");
    at = put(bytes, at, 3, 4);
    at = put_text(bytes, at, "abc");
    at = put(bytes, at, 0, 1);
    at = put_text(bytes, at, "data");
    at = put(bytes, at, recording->data_bytes ? recording->data_bytes : (uint32_t)recording->count * 2, 4);
    for (int i = 0; i < recording->count; i++) {
        at = put(bytes, at, (uint16_t)recording->samples[i], 2);
    }
    return at;
}

static enum rl_status listen(const struct recording *recording, const struct rl_tensor_type *type,
                             struct rl_array *array)
{
    uint8_t bytes[256];
    const size_t size = write_wav(recording, bytes);
    context.message[0] = '\0';
    return rl_media_parse(&context, &arena, RL_MEDIA_RECORDING, "yes.wav", bytes, size, type, array);
}

static void expect_elements(const struct rl_array *array, const float *expected, int count)
{
    assert_int_equal(rl_array_numel(array), count);
    for (int i = 0; i < count; i++) {
        if (((const float *)array->data)[i] != expected[i]) {
            fail_msg("element %d is %.9g, expected %.9g", i, ((const float *)array->data)[i], expected[i]);
        }
    }
}

static const struct recording mono = {
    .format = 1, .channels = 1, .rate = 8000, .bits = 16, .block = 2, .samples = {-32768, 16384, 1, 32767}, .count = 4};

static void recordings_become_numbers(void **state)
{
    (void)state;
    static const float whole[] = {-1, 0.5F, 1 / 32768.F, 32767 / 32768.F};
    static const float padded[] = {-1, 0.5F, 1 / 32768.F, 32767 / 32768.F, 0, 0};
    static const float mixed[] = {-0.25F, 16384 / 32768.F}, middle[] = {0.5F, 1 / 32768.F};
    static const double mean[] = {0.5}, deviation[] = {2};
    static const float normalized[] = {-0.75F, 0};
    const struct rl_tensor_type four = type_of(2, 1, 4, 0), six = type_of(3, 1, 1, 6), two = type_of(1, 2, 0, 0);
    struct recording other = mono;
    struct rl_array array;

    assert_int_equal(listen(&mono, &four, &array), RL_OK);
    expect_elements(&array, whole, 4);
    other.data_bytes = UINT32_MAX; // of a pipe
    assert_int_equal(listen(&other, &four, &array), RL_OK);
    expect_elements(&array, whole, 4);
    other = mono;
    other.extensible = 40;
    assert_int_equal(listen(&other, &four, &array), RL_OK);
    expect_elements(&array, whole, 4);
    preparation = (struct rl_preparation){.pads = true, .rate = 8000};
    assert_int_equal(listen(&mono, &six, &array), RL_OK);
    expect_elements(&array, padded, 6);
    preparation = (struct rl_preparation){.crops = true};
    assert_int_equal(listen(&mono, &two, &array), RL_OK);
    expect_elements(&array, middle, 2);
    other = mono;
    other.channels = 2;
    other.block = 4;
    assert_int_equal(listen(&other, &two, &array), RL_OK);
    expect_elements(&array, mixed, 2);
    preparation = (struct rl_preparation){
        .crops = true, .mean_count = 1, .mean = mean, .deviation_count = 1, .deviation = deviation};
    other.samples[0] = -32768;
    other.samples[1] = -32768;
    other.samples[2] = other.samples[3] = 16384;
    const float silence[] = {normalized[0], normalized[1]};
    assert_int_equal(listen(&other, &two, &array), RL_OK);
    expect_elements(&array, silence, 2);
}

static void expect_refused(const struct recording *recording, const struct rl_tensor_type *type, const char *message)
{
    struct rl_array array;
    if (listen(recording, type, &array) == RL_OK || !strstr(context.message, message) ||
        strncmp(context.message, "yes.wav: ", 9) != 0) {
        fail_msg("expected '%s', found '%s'", message, context.message);
    }
}

static void recordings_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const struct rl_tensor_type four = type_of(2, 1, 4, 0), six = type_of(2, 1, 6, 0), two = type_of(2, 1, 2, 0);
    const struct rl_tensor_type square = type_of(3, 1, 2, 2);
    static const double numbers[] = {1, 2};
    struct recording other = mono;

    expect_refused(&mono, &six,
                   "the recording is 4 samples long (at 8000 a second), the input takes 6; accepted: as many, more "
                   "with --crop, fewer with --pad");
    expect_refused(&mono, &two, "is 4 samples long");
    expect_refused(&mono, &square, "a recording, but the input takes float32 [1, 2, 2]");
    preparation = (struct rl_preparation){.pads = true};
    expect_refused(&mono, &two, "is 4 samples long");
    preparation = (struct rl_preparation){.crops = true};
    expect_refused(&mono, &six, "is 4 samples long");
    preparation = (struct rl_preparation){.rate = 16000};
    expect_refused(&mono, &four, "the recording has 8000 samples a second; accepted: 16000 (--rate)");
    preparation = (struct rl_preparation){.mean_count = 2, .mean = numbers};
    expect_refused(&mono, &four, "--mean has 2 numbers, but there is 1 channel; accepted: 1");
    preparation = (struct rl_preparation){0};
    other.format = 3;
    other.bits = 32;
    expect_refused(&other, &four, "format 3 with 32 bits; accepted: PCM (format 1) with 16 bits");
    other = mono;
    other.channels = 0;
    expect_refused(&other, &four, "contradict each other");
    other = mono;
    other.rate = 0;
    expect_refused(&other, &four, "contradict each other");
    other = mono;
    other.data_bytes = 10;
    expect_refused(&other, &four, "it ends early");
}

static void damaged_recordings_end_with_a_message(void **state)
{
    (void)state;
    const struct rl_tensor_type four = type_of(2, 1, 4, 0);
    uint8_t bytes[256];
    const size_t size = write_wav(&mono, bytes);
    struct rl_array array;

    preparation = (struct rl_preparation){.pads = true, .crops = true};
    for (size_t k = 0; k < size; k++) {
        uint8_t *copy = rl_arena_copy(&arena, bytes, k); // of exactly this size, for the sanitizer
        context.message[0] = '\0';
        assert_int_not_equal(rl_media_parse(&context, &arena, RL_MEDIA_RECORDING, "cut.wav", copy, k, &four, &array),
                             RL_OK);
        assert_non_null(strstr(context.message, "cut.wav: "));
        for (int value = 0; value < 256; value += 5) {
            uint8_t changed[256];
            memcpy(changed, bytes, size);
            changed[k] = (uint8_t)value;
            context.message[0] = '\0';
            if (rl_media_parse(&context, &arena, RL_MEDIA_RECORDING, "bent.wav", changed, size, &four, &array) !=
                RL_OK) {
                assert_true(context.message[0] != '\0');
            }
        }
    }
}

// ---- tables

static enum rl_status tabulate(const char *text, const struct rl_tensor_type *type, struct rl_array *array)
{
    context.message[0] = '\0';
    return rl_media_parse(&context, &arena, RL_MEDIA_TABLE, "iris.csv", text, strlen(text), type, array);
}

static void tables_become_samples(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "1,2,3\n4,5,-6e-1\n",
        "a,b,c\n1,2,3\n4,5,-0.6",
        "\xef\xbb\xbf\"a, really\",b,c\r\n\"1\", 2 ,3\r\n\r\n4,5,-.6\r\n\r\n",
        "1;2;3\n4;5;-0.6\n",
        "first\tsecond\tthird\n1\t2\t3\n4\t5\t-0.6\n",
        "\n\n1,2,3\n\n4,5,-0.6\n",
    };
    static const float expected[] = {1, 2, 3, 4, 5, -0.6F};
    const struct rl_tensor_type row = type_of(2, 1, 3, 0), both = type_of(3, 1, 2, 3), bare = type_of(1, 3, 0, 0);
    struct rl_array array;

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (tabulate(forms[i], &row, &array) != RL_OK) {
            fail_msg("form %zu: %s", i, context.message);
        }
        assert_int_equal(array.sizes[0], 2);
        assert_int_equal(array.rank, 3);
        expect_elements(&array, expected, 6);
        assert_int_equal(tabulate(forms[i], &both, &array), RL_OK);
        assert_int_equal(array.sizes[0], 1);
        expect_elements(&array, expected, 6);
        assert_int_equal(tabulate(forms[i], &bare, &array), RL_OK);
        assert_int_equal(array.sizes[0], 2);
    }
    const struct rl_tensor_type one = type_of(2, 1, 1, 0);
    assert_int_equal(tabulate("temperature\n20\n21.5\n", &one, &array), RL_OK);
    expect_elements(&array, (const float[]){20, 21.5F}, 2);
}

static void columns_are_normalized(void **state)
{
    (void)state;
    static const double mean[] = {1, 2, 3}, deviation[] = {2};
    const struct rl_tensor_type row = type_of(2, 1, 3, 0);
    struct rl_array array;

    preparation = (struct rl_preparation){.mean_count = 3, .mean = mean, .deviation_count = 1, .deviation = deviation};
    assert_int_equal(tabulate("1,2,3\n3,6,9\n", &row, &array), RL_OK);
    expect_elements(&array, (const float[]){0, 0, 0, 1, 2, 3}, 6);
    preparation.mean_count = 2;
    assert_int_not_equal(tabulate("1,2,3\n", &row, &array), RL_OK);
    assert_non_null(strstr(context.message, "--mean has 2 numbers, but there are 3 columns; accepted: 1 or 3"));
}

static void tables_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const struct rl_tensor_type row = type_of(2, 1, 3, 0), both = type_of(3, 1, 2, 3), many = type_of(2, 4, 3, 0);
    const struct {
        const char *text;
        const struct rl_tensor_type *type;
        const char *message;
    } cases[] = {
        {"1,2\n", &row, "the table has 2 columns, the input takes float32 [1, 3]; accepted: 3 columns with a sample"},
        {"1,2\n", &both, "accepted: 6 columns with a sample a row, or 3 with 2 rows a sample"},
        {"1,2,3\n", &both, "the table has 1 rows, and 2 are one sample of the input float32 [1, 2, 3]"},
        {"1,2,3\n1,2,3\n", &many, "the table has 2 rows, and 4 are one sample"},
        {"1,2,3\n4,5\n", &row, "line 2 has 2 columns, the first one has 3"},
        {"a,b,c\n\n1,2,x\n", &row, "line 3, column 3: expected a number, found 'x'"},
        {"1,2,setosa\n", &row, "line 1, column 3: expected a number, found 'setosa'"},
        {"1,,3\n", &row, "line 1, column 2: expected a number, found ''"},
        {"1,nan,3\n", &row, "line 1, column 2: expected a number, found 'nan'"},
        {"1,1e999,3\n", &row, "line 1, column 2: expected a number, found '1e999'"},
        {"a,b,c\n", &row, "the table has names of columns, but no row of numbers"},
        {"", &row, "the table is empty"},
        {"\n \n", &row, "the table is empty"},
        {"\"1,2,3\n4,5,6\n", &row, "line 2 has 3 columns, the first one has 1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rl_array array;
        if (tabulate(cases[i].text, cases[i].type, &array) == RL_OK || !strstr(context.message, cases[i].message) ||
            strncmp(context.message, "iris.csv: ", 10) != 0) {
            fail_msg("case %zu: expected '%s', found '%s'", i, cases[i].message, context.message);
        }
    }
}

// ---- kinds and options

static void kinds_follow_from_names(void **state)
{
    (void)state;
    assert_int_equal(rl_media_kind("a/b.png"), RL_MEDIA_IMAGE);
    assert_int_equal(rl_media_kind("B.JPEG"), RL_MEDIA_IMAGE);
    assert_int_equal(rl_media_kind("b.wav"), RL_MEDIA_RECORDING);
    assert_int_equal(rl_media_kind("x.y.csv"), RL_MEDIA_TABLE);
    assert_int_equal(rl_media_kind("png"), RL_MEDIA_NONE);
    assert_int_equal(rl_media_kind("x.npz"), RL_MEDIA_NONE);
}

static void options_need_files_that_they_are_for(void **state)
{
    (void)state;
    static const double number[] = {1};
    static const char *const array[] = {"x.npz"}, *const image[] = {"x.npz", "x.png"}, *const sound[] = {"x.wav"};
    const struct {
        struct rl_preparation preparation;
        const char *const *files;
        int count;
        const char *message; // NULL: accepted
    } cases[] = {
        {{.resize = RL_RESIZE_INPUT}, array, 1, "x.npz: --resize is for images, and there is none among the data"},
        {{.resize = RL_RESIZE_INPUT}, image, 2, NULL},
        {{.resize = RL_RESIZE_INPUT}, sound, 1, "--resize is for images"},
        {{.crops = true}, sound, 1, NULL},
        {{.crops = true}, array, 1, "--crop is for images and recordings"},
        {{.pads = true}, image, 2, "--pad is for recordings"},
        {{.rate = 1}, image, 2, "--rate is for recordings"},
        {{.mean_count = 1, .mean = number}, array, 1, "--mean is for images, recordings and tables"},
        {{.deviation_count = 1, .deviation = number}, array, 1, "--std is for images, recordings and tables"},
        {{0}, array, 1, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        preparation = cases[i].preparation;
        context.message[0] = '\0';
        const enum rl_status status = rl_media_check(&context, cases[i].files, cases[i].count);
        assert_int_equal(status == RL_OK, !cases[i].message);
        if (cases[i].message && !strstr(context.message, cases[i].message)) {
            fail_msg("case %zu: expected '%s', found '%s'", i, cases[i].message, context.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(recordings_become_numbers, start, stop),
        cmocka_unit_test_setup_teardown(recordings_that_do_not_fit_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(damaged_recordings_end_with_a_message, start, stop),
        cmocka_unit_test_setup_teardown(tables_become_samples, start, stop),
        cmocka_unit_test_setup_teardown(columns_are_normalized, start, stop),
        cmocka_unit_test_setup_teardown(tables_that_do_not_fit_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(kinds_follow_from_names, start, stop),
        cmocka_unit_test_setup_teardown(options_need_files_that_they_are_for, start, stop),
    };
    return cmocka_run_group_tests_name("recordings and tables", tests, NULL, NULL);
}
