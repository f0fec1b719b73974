// SPDX-License-Identifier: Apache-2.0
//
// numpy's files: what is read from hand-made headers, what is refused, what is written, and conversions that keep
// values.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/npy.h"
#include "compiler/data/npz.h"
#include "pt2_archive.h"

static struct rl_context context;
static struct rl_arena arena;

static int start(void **state)
{
    (void)state;
    context = (struct rl_context){0};
    arena = (struct rl_arena){0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

// A .npy with this header text, version 1 unless told, and these elements.
static unsigned char *make_npy(int version, const char *header, const void *data, size_t data_size, size_t *size)
{
    const size_t start = version == 1 ? 10 : 12;
    const size_t length = strlen(header);
    *size = start + length + data_size;
    unsigned char *bytes = rl_arena_alloc(&arena, *size);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[8] = (unsigned char)length;
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + start, header, length);
    memcpy(bytes + start + length, data, data_size);
    return bytes;
}

static enum rl_status parse(int version, const char *header, const void *data, size_t data_size, struct rl_array *array)
{
    size_t size;
    const unsigned char *bytes = make_npy(version, header, data, data_size, &size);
    context.message[0] = '\0';
    return rl_npy_parse(&context, &arena, "test.npy", "test", bytes, size, array);
}

static void headers_in_every_spelling(void **state)
{
    (void)state;
    const float data[6] = {1, 2, 3, 4, 5, 6};
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'shape': (2,3), 'fortran_order':False,'descr':'<f4'}\n",
        "{\"shape\" : (2L, 3L), \"descr\" : \"<f4\", \"fortran_order\" : False}     \n",
    };
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
            struct rl_array array;
            if (parse(version, headers[i], data, sizeof data, &array) != RL_OK) {
                fail_msg("%s: %s", headers[i], context.message);
            }
            assert_int_equal(array.dtype, RL_FLOAT32);
            assert_int_equal(array.rank, 2);
            assert_true(array.sizes[0] == 2 && array.sizes[1] == 3);
            assert_memory_equal(array.data, data, sizeof data);
            assert_null(array.skipped);
        }
    }
}

static void fortran_order_becomes_c_order(void **state)
{
    (void)state;
    const int16_t columns[6] = {1, 4, 2, 5, 3, 6}; // of [[1, 2, 3], [4, 5, 6]]
    const int16_t rows[6] = {1, 2, 3, 4, 5, 6};
    struct rl_array array;
    assert_int_equal(
        parse(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", columns, sizeof columns, &array), RL_OK);
    assert_memory_equal(array.data, rows, sizeof rows);
}

static void other_element_types_are_marked(void **state)
{
    (void)state;
    static const char *const types[] = {"'<U16'", "'>f4'", "'|O'", "'<c8'", "'|S3'", "'<M8[ns]'", "[('a', '<f4')]"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct rl_array array;
        const char *header =
            rl_arena_format(&arena, "{'descr': %s, 'fortran_order': False, 'shape': (0,), }", types[i]);
        assert_int_equal(parse(1, header, "", 0, &array), RL_OK);
        assert_non_null(array.skipped);
        assert_null(array.data);
    }
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "fewer bytes than its shape says"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "fewer bytes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "not a tuple of sizes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (a,), }", "not a tuple of sizes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, ", "not a tuple of sizes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "has no 'shape'"},
        {"{'descr': '<f4', 'fortran_order': False}", "has no 'shape'"},
        {"{'descr': '<f4', 'shape': (2,)}", "has no 'fortran_order'"},
        {"{'fortran_order': False, 'shape': (2,)}", "has no 'descr'"},
        {"{'descr': '<f4", "does not end"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8 axes"},
    };
    const float data[2] = {1, 2};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rl_array array;
        assert_int_not_equal(parse(1, cases[i].header, data, sizeof data, &array), RL_OK);
        if (!strstr(context.message, cases[i].message) || !strstr(context.message, "test.npy")) {
            fail_msg("%s\nexpected: %s\nfound: %s", cases[i].header, cases[i].message, context.message);
        }
    }
    struct rl_array array;
    context.message[0] = '\0';
    assert_int_equal(rl_npy_parse(&context, &arena, "x", "x", "no numpy file", 13, &array), RL_ERROR_FORMAT);
    assert_int_equal(parse(9, "{}", "", 0, &array), RL_ERROR_UNSUPPORTED);
}

static void cut_and_changed_headers(void **state)
{
    (void)state;
    static const char header[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
    static const char replacements[] = "'\"(){},:0-9 \n";
    const float data[6] = {1, 2, 3, 4, 5, 6};
    size_t size;
    unsigned char *bytes = make_npy(1, header, data, sizeof data, &size);
    for (size_t i = 0; i < size; i++) {
        struct rl_array array;
        unsigned char *cut = malloc(i + 1);
        assert_non_null(cut);
        memcpy(cut, bytes, i);
        context.message[0] = '\0';
        assert_int_not_equal(rl_npy_parse(&context, &arena, "x", "x", cut, i, &array), RL_OK);
        free(cut);
        const unsigned char old = bytes[i];
        for (size_t k = 0; k + 1 < sizeof replacements; k++) {
            bytes[i] = (unsigned char)replacements[k];
            context.message[0] = '\0';
            const enum rl_status status = rl_npy_parse(&context, &arena, "x", "x", bytes, size, &array);
            assert_int_equal(status == RL_OK, context.message[0] == '\0');
        }
        bytes[i] = old;
    }
}

static struct rl_array make_array(const char *name, enum rl_scalar_type dtype, int rank, const int64_t *sizes,
                                  const void *data)
{
    struct rl_array array = {.name = name, .dtype = dtype, .rank = rank, .data = data};
    memcpy(array.sizes, sizes, (size_t)rank * sizeof *sizes);
    return array;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    static const char path[] = "data_arrays_test.npz";
    static const float floats[6] = {1, 2, 3, 4, 5, 6};
    static const int64_t labels[2] = {7, -8};
    static const uint8_t flags[1] = {1};
    const struct rl_array arrays[] = {make_array("input", RL_FLOAT32, 2, (const int64_t[]){2, 3}, floats),
                                      make_array("labels", RL_INT64, 1, (const int64_t[]){2}, labels),
                                      make_array("flag", RL_BOOL, 0, (const int64_t[]){0}, flags),
                                      make_array("none", RL_INT8, 2, (const int64_t[]){0, 4}, floats)};
    assert_int_equal(rl_npz_write(&context, path, arrays, 4), RL_OK);
    size_t first_size, second_size;
    char *first = pt2_read_file(path, &first_size);
    assert_int_equal(rl_npz_write(&context, path, arrays, 4), RL_OK);
    char *second = pt2_read_file(path, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    free(first);
    free(second);

    struct rl_array *read;
    int count;
    if (rl_npz_read(&context, &arena, path, &read, &count) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_int_equal(count, 4);
    for (int i = 0; i < count; i++) {
        assert_string_equal(read[i].name, arrays[i].name);
        assert_int_equal(read[i].dtype, arrays[i].dtype);
        assert_int_equal(read[i].rank, arrays[i].rank);
        assert_memory_equal(read[i].sizes, arrays[i].sizes, (size_t)read[i].rank * sizeof(int64_t));
        assert_memory_equal(read[i].data, arrays[i].data,
                            (size_t)rl_array_numel(&read[i]) * rl_scalar_size((int)read[i].dtype));
    }
    remove(path);
    assert_int_equal(rl_npz_write(&context, "no_such_folder/x.npz", arrays, 4), RL_ERROR_IO);
    assert_non_null(strstr(context.message, "no_such_folder/x.npz"));
}

static bool convert_float(float value, enum rl_scalar_type to, void *target)
{
    int64_t bad;
    return rl_convert_elements(RL_FLOAT32, &value, to, target, 1, &bad);
}

static bool convert_int64(int64_t value, enum rl_scalar_type to, void *target)
{
    int64_t bad;
    return rl_convert_elements(RL_INT64, &value, to, target, 1, &bad);
}

static void conversions_keep_every_value(void **state)
{
    (void)state;
    unsigned char target[8];
    float single;
    int64_t integer, bad = -1;
    assert_true(convert_float(-128.0f, RL_INT8, target));
    assert_int_equal((int8_t)target[0], -128);
    assert_false(convert_float(128.0f, RL_INT8, target));
    assert_false(convert_float(0.5f, RL_INT8, target));
    assert_false(convert_float(NAN, RL_INT64, target));
    assert_false(convert_float(-INFINITY, RL_INT64, target));
    assert_false(convert_float(-1.0f, RL_UINT8, target));
    assert_true(convert_float(1.0f, RL_BOOL, target));
    assert_false(convert_float(2.0f, RL_BOOL, target));
    assert_true(convert_int64(16777216, RL_FLOAT32, &single));
    assert_true(single == 16777216.0f);
    assert_false(convert_int64(16777217, RL_FLOAT32, &single));
    assert_false(convert_int64(INT64_C(1) << 40, RL_INT32, target));
    assert_true(convert_int64(-5, RL_INT16, target));
    assert_memory_equal(target, "\xfb\xff", 2);

    const uint64_t large = UINT64_MAX;
    assert_false(rl_convert_elements(RL_UINT64, &large, RL_INT64, &integer, 1, &bad));
    const double doubles[3] = {0.1, 1.0, 1e300}; // rounded, exact, beyond the range
    float singles[3];
    assert_true(rl_convert_elements(RL_FLOAT64, doubles, RL_FLOAT32, singles, 2, &bad));
    assert_true(singles[0] == 0.1f && singles[1] == 1.0f);
    assert_false(rl_convert_elements(RL_FLOAT64, doubles, RL_FLOAT32, singles, 3, &bad));
    assert_int_equal(bad, 2);
    const uint16_t halves[5] = {0x3c00, 0xc000, 0x0001, 0x7c00, 0x7bff};
    float from_halves[5];
    assert_true(rl_convert_elements(RL_FLOAT16, halves, RL_FLOAT32, from_halves, 5, &bad));
    assert_true(from_halves[0] == 1.0f && from_halves[1] == -2.0f && from_halves[2] == 0x1p-24f);
    assert_true(from_halves[3] == (float)INFINITY && from_halves[4] == 65504.0f);
}

static uint16_t to_short(double number, enum rl_scalar_type dtype)
{
    uint16_t bits = 0xdead;
    int64_t bad;
    assert_true(rl_convert_elements(RL_FLOAT64, &number, dtype, &bits, 1, &bad));
    return bits;
}

static void floats_are_rounded_to_short_ones(void **state)
{
    (void)state;
    static const struct {
        double number;
        uint16_t half, brain;
    } cases[] = {
        {0.0, 0, 0},
        {-0.0, 0x8000, 0x8000},
        {1.0, 0x3c00, 0x3f80},
        {-1.0 / 3, 0xb555, 0xbeab},
        {1.0 + 0x1p-11, 0x3c00, 0x3f80}, // ties to even
        {1.0 + 0x3p-11, 0x3c02, 0x3f80},
        {1.0 + 0x3p-8, 0x3c0c, 0x3f82},
        {0x1.ffcp-15, 0x0400, 0x3880}, // up to the lowest normal float16
        {65504.0, 0x7bff, 0x4780},
        {65519.0, 0x7bff, 0x4780},
        {0x1p-25, 0, 0x3300},
        {0x3p-25, 2, 0x33c0},
        {0x1.8p-25, 1, 0x3340},
        {INFINITY, 0x7c00, 0x7f80},
        {-INFINITY, 0xfc00, 0xff80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(to_short(cases[i].number, RL_FLOAT16), cases[i].half);
        assert_int_equal(to_short(cases[i].number, RL_BFLOAT16), cases[i].brain);
    }
    int64_t bad;
    uint16_t bits;
    const double beyond[] = {65520.0, 0x1.ffp127};
    assert_false(rl_convert_elements(RL_FLOAT64, &beyond[0], RL_FLOAT16, &bits, 1, &bad));
    assert_false(rl_convert_elements(RL_FLOAT64, &beyond[1], RL_BFLOAT16, &bits, 1, &bad));
    assert_false(convert_int64(2049, RL_FLOAT16, &bits)); // an integer is not rounded
    const uint16_t brains[] = {0x3f80, 0xc2f7, 0x0001, 0xff80};
    float singles[4];
    assert_true(rl_convert_elements(RL_BFLOAT16, brains, RL_FLOAT32, singles, 4, &bad));
    assert_true(singles[0] == 1.0f && singles[1] == -123.5f && singles[2] == 0x1p-133f);
    assert_true(singles[3] == (float)-INFINITY);
}

// What converts there and back is the same number, for every float16.
static void every_half_survives(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        const uint16_t half = (uint16_t)bits;
        float single;
        uint16_t back;
        int64_t bad;
        assert_true(rl_convert_elements(RL_FLOAT16, &half, RL_FLOAT32, &single, 1, &bad));
        assert_true(rl_convert_elements(RL_FLOAT32, &single, RL_FLOAT16, &back, 1, &bad));
        assert_true(back == half || isnan(single));
    }
}

static void bfloat16_is_written_as_float32(void **state)
{
    (void)state;
    static const char path[] = "data_arrays_brain.npz";
    const uint16_t brains[] = {0x3f80, 0xc2f7};
    const struct rl_array array = {.name = "y", .dtype = RL_BFLOAT16, .rank = 1, .sizes = {2}, .data = brains};
    struct rl_array *read;
    int count;
    assert_int_equal(rl_npz_write(&context, path, &array, 1), RL_OK);
    assert_int_equal(rl_npz_read(&context, &arena, path, &read, &count), RL_OK);
    const float *data = read->data;
    assert_true(read->dtype == RL_FLOAT32 && data[0] == 1.0f && data[1] == -123.5f);
    remove(path);
}

static void tensors_move_between_orders(void **state)
{
    (void)state;
    struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 4, (const int64_t[]){1, 2, 2, 2});
    memcpy(type.order, (const uint8_t[]){0, 2, 3, 1}, 4);
    const int8_t c_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int8_t expected[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    int8_t moved[8], back[8];
    rl_tensor_from_c_order(&type, c_order, moved);
    assert_memory_equal(moved, expected, sizeof moved);
    rl_tensor_to_c_order(&type, moved, back);
    assert_memory_equal(back, c_order, sizeof back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headers_in_every_spelling, start, stop),
        cmocka_unit_test_setup_teardown(fortran_order_becomes_c_order, start, stop),
        cmocka_unit_test_setup_teardown(other_element_types_are_marked, start, stop),
        cmocka_unit_test_setup_teardown(wrong_arrays_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(cut_and_changed_headers, start, stop),
        cmocka_unit_test_setup_teardown(what_is_written_is_read_again, start, stop),
        cmocka_unit_test_setup_teardown(conversions_keep_every_value, start, stop),
        cmocka_unit_test_setup_teardown(floats_are_rounded_to_short_ones, start, stop),
        cmocka_unit_test_setup_teardown(every_half_survives, start, stop),
        cmocka_unit_test_setup_teardown(bfloat16_is_written_as_float32, start, stop),
        cmocka_unit_test_setup_teardown(tensors_move_between_orders, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
