// SPDX-License-Identifier: Apache-2.0
//
// Images as samples: the pixels that PIL decodes, the numbers that torchvision's transforms give, and files that are
// damaged, hostile or of another size than the input.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "compiler/media/exif.h"
#include "compiler/media/image.h"
#include "compiler/media/media.h"
#include "compiler/support/file.h"

enum { HEIGHT = 9, WIDTH = 13 };

static struct rl_context context;
static struct rl_arena arena;
static struct rl_preparation preparation;
static char warning[256];

static void keep_warning(void *user, enum rl_log_level level, const char *message)
{
    (void)user;
    if (level == RL_LOG_WARNING) {
        snprintf(warning, sizeof warning, "%s", message);
    }
}

static int start(void **state)
{
    (void)state;
    arena = (struct rl_arena){0};
    preparation = (struct rl_preparation){0};
    context = (struct rl_context){.log = keep_warning, .preparation = &preparation};
    warning[0] = '\0';
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

static const void *read_fixture(const char *name, size_t *size)
{
    void *bytes;
    const char *path = rl_arena_format(&arena, RL_FIXTURES "/media/%s", name);
    if (rl_file_read(&context, &arena, path, &bytes, size) != RL_OK) {
        fail_msg("%s", context.message);
    }
    return bytes;
}

static const struct rl_array *expected(const char *name)
{
    struct rl_array *arrays;
    int count;
    if (rl_npz_read(&context, &arena, RL_FIXTURES "/media/expected.npz", &arrays, &count) != RL_OK) {
        fail_msg("%s", context.message);
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, name) == 0) {
            return &arrays[i];
        }
    }
    fail_msg("expected.npz has no array '%s'", name);
    return NULL;
}

static struct rl_tensor_type type_of(enum rl_scalar_type dtype, int rank, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t sizes[RL_MAX_RANK] = {a, b, c, d};
    return rl_tensor_type_make(dtype, rank, sizes);
}

static enum rl_status parse(const char *name, const struct rl_tensor_type *type, struct rl_array *array)
{
    size_t size;
    const void *bytes = read_fixture(name, &size);
    context.message[0] = '\0';
    return rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, name, bytes, size, type, array);
}

static void expect_refused(const char *name, const struct rl_tensor_type *type, const char *message)
{
    struct rl_array array;
    if (parse(name, type, &array) == RL_OK || !strstr(context.message, message) || !strstr(context.message, name)) {
        fail_msg("%s: expected '%s', found '%s'", name, message, context.message);
    }
}

// ---- pixels

static void pixels_are_those_of_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb.png",        "interlaced.png", "gamma.png", "rgba.png",
                                        "rgb16.png",      "gray.png",       "gray1.png", "gray4_interlaced.png",
                                        "gray_alpha.png", "palette.png",    "rgb.jpg",   "full.jpg",
                                        "gray.jpg",       "progressive.jpg"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct rl_array *pixels = expected(names[i]);
        struct rl_image image;
        size_t size;
        const void *bytes = read_fixture(names[i], &size);
        if (rl_image_measure(&context, names[i], bytes, size, &image) != RL_OK) {
            fail_msg("%s", context.message);
        }
        assert_int_equal(image.height, pixels->sizes[0]);
        assert_int_equal(image.width, pixels->sizes[1]);
        assert_int_equal(image.channels, pixels->sizes[2]);
        const size_t count = (size_t)rl_array_numel(pixels);
        uint8_t *found = rl_arena_alloc(&arena, count);
        if (rl_image_decode(&context, names[i], bytes, size, &image, found) != RL_OK) {
            fail_msg("%s", context.message);
        }
        for (size_t k = 0; k < count; k++) {
            // Versions of libjpeg may round differently.
            const int far = found[k] - ((const uint8_t *)pixels->data)[k];
            if (far != 0 && (!strstr(names[i], ".jpg") || far < -2 || far > 2)) {
                fail_msg("%s: byte %zu is %d, expected %d", names[i], k, found[k], found[k] - far);
            }
        }
    }
}

// ---- samples

static void expect_floats(const char *name, const struct rl_array *array)
{
    const struct rl_array *recorded = expected(name);
    const float *found = array->data, *wanted = recorded->data;
    const int64_t count = rl_array_numel(recorded);

    assert_int_equal(array->dtype, RL_FLOAT32);
    assert_int_equal(rl_array_numel(array), count);
    for (int64_t i = 0; i < count; i++) {
        if (!(fabsf(found[i] - wanted[i]) <= 2e-6F)) {
            fail_msg("%s: element %lld is %.9g, expected %.9g", name, (long long)i, found[i], wanted[i]);
        }
    }
}

static void samples_are_those_of_torchvision(void **state)
{
    (void)state;
    static const double mean[] = {0.485, 0.456, 0.406}, deviation[] = {0.229, 0.224, 0.225};
    static const double half[] = {0.5}, quarter[] = {0.25};
    const struct {
        const char *name;
        int64_t height, width;
        struct rl_preparation preparation;
    } cases[] = {
        {"plain", HEIGHT, WIDTH, {0}},
        {"normalized", HEIGHT, WIDTH, {.mean_count = 3, .mean = mean, .deviation_count = 3, .deviation = deviation}},
        {"smaller", 5, 4, {.resize = RL_RESIZE_INPUT}},
        {"smaller", 5, 4, {.resize = RL_RESIZE_EXACT, .height = 5, .width = 4}},
        {"larger", 20, 31, {.resize = RL_RESIZE_INPUT}},
        {"cropped", 4, 6, {.crops = true}},
        {"shorter_cropped",
         6,
         5,
         {.resize = RL_RESIZE_SHORTER,
          .height = 6,
          .crops = true,
          .mean_count = 1,
          .mean = half,
          .deviation_count = 1,
          .deviation = quarter}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rl_tensor_type with_batch = type_of(RL_FLOAT32, 4, 1, 3, cases[i].height, cases[i].width);
        const struct rl_tensor_type without = type_of(RL_FLOAT32, 3, 3, cases[i].height, cases[i].width, 0);
        struct rl_array array;
        preparation = cases[i].preparation;
        assert_int_equal(parse("rgb.png", &with_batch, &array), RL_OK);
        expect_floats(cases[i].name, &array);
        assert_int_equal(array.rank, 5);
        assert_int_equal(array.sizes[0], 1);
        assert_int_equal(array.sizes[2], 3);
        assert_int_equal(parse("rgb.png", &without, &array), RL_OK);
        expect_floats(cases[i].name, &array);
    }
}

// The same pixels in every layout; bytes for inputs of bytes.
static void the_shape_of_the_input_decides(void **state)
{
    (void)state;
    const struct rl_array *pixels = expected("rgb.png"), *gray = expected("gray.png");
    const struct rl_array *gray_of_rgb = expected("gray_of_rgb"), *smaller = expected("bytes_smaller");
    const struct rl_tensor_type last = type_of(RL_UINT8, 4, 1, HEIGHT, WIDTH, 3);
    const struct rl_tensor_type one = type_of(RL_UINT8, 4, 1, HEIGHT, WIDTH, 1);
    const struct rl_tensor_type flat = type_of(RL_UINT8, 2, HEIGHT, WIDTH, 0, 0);
    const struct rl_tensor_type first = type_of(RL_UINT8, 4, 1, 3, 5, 4);
    struct rl_array array;

    assert_int_equal(parse("rgb.png", &last, &array), RL_OK);
    assert_int_equal(array.dtype, RL_UINT8);
    assert_memory_equal(array.data, pixels->data, HEIGHT * WIDTH * 3);
    assert_int_equal(parse("rgb.png", &one, &array), RL_OK);
    assert_memory_equal(array.data, gray_of_rgb->data, HEIGHT * WIDTH);
    assert_int_equal(parse("gray.png", &flat, &array), RL_OK);
    assert_memory_equal(array.data, gray->data, HEIGHT * WIDTH);
    assert_int_equal(parse("gray.png", &last, &array), RL_OK);
    for (int i = 0; i < HEIGHT * WIDTH * 3; i++) {
        assert_int_equal(((const uint8_t *)array.data)[i], ((const uint8_t *)gray->data)[i / 3]);
    }
    preparation.resize = RL_RESIZE_INPUT;
    assert_int_equal(parse("rgb.png", &first, &array), RL_OK);
    for (int i = 0; i < 5 * 4 * 3; i++) { // PyTorch scales bytes in fixed-point numbers
        const int far = ((const uint8_t *)array.data)[i] - ((const uint8_t *)smaller->data)[i];
        assert_in_range(far + 1, 0, 2);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, 0.2};
    const struct rl_tensor_type smaller = type_of(RL_FLOAT32, 4, 1, 3, 4, 6);
    const struct rl_tensor_type larger = type_of(RL_FLOAT32, 4, 1, 3, 10, 6);
    const struct rl_tensor_type vector = type_of(RL_FLOAT32, 2, 1, 0, 0, 0);
    const struct rl_tensor_type five = type_of(RL_FLOAT32, 4, 1, 5, HEIGHT, WIDTH);
    const struct rl_tensor_type pair = type_of(RL_FLOAT32, 4, 2, 3, HEIGHT, WIDTH);
    const struct rl_tensor_type bytes = type_of(RL_UINT8, 4, 1, 3, HEIGHT, WIDTH);
    const struct rl_tensor_type fits = type_of(RL_FLOAT32, 4, 1, 3, HEIGHT, WIDTH);

    expect_refused("rgb.png", &smaller,
                   "13 x 9 pixels (width x height), the input float32 [1, 3, 4, 6] takes 6 x 4; accepted: as many, or "
                   "--resize input, or --crop");
    expect_refused("rgb.png", &larger, "takes 6 x 10; accepted: as many, or --resize input");
    preparation.crops = true;
    expect_refused("rgb.png", &larger, "takes 6 x 10");
    preparation.resize = RL_RESIZE_SHORTER;
    preparation.height = 3;
    expect_refused("rgb.png", &smaller, "scaled 4 x 3");
    preparation = (struct rl_preparation){0};
    expect_refused("rgb.png", &vector, "an image, but the input takes float32 [1, 0]");
    expect_refused("rgb.png", &five,
                   "an image, but the input takes float32 [1, 5, 9, 13]; accepted for images: [1, 3,");
    expect_refused("rgb.png", &pair, "an image, but the input takes");
    preparation = (struct rl_preparation){.mean_count = 2, .mean = numbers};
    expect_refused("rgb.png", &fits, "--mean has 2 numbers, but there are 3 channels; accepted: 1 or 3");
    preparation = (struct rl_preparation){.deviation_count = 1, .deviation = numbers};
    expect_refused("rgb.png", &bytes,
                   "the input takes the pixels themselves (uint8 [1, 3, 9, 13]); accepted: no --mean");
    preparation = (struct rl_preparation){0};
    expect_refused("cmyk.jpg", &fits, "CMYK");
    expect_refused("README.md", &fits, "neither as a PNG nor as a JPEG file");
    context.max_unpacked = HEIGHT * WIDTH * 3 - 1;
    expect_refused("rgb.png", &fits, "13 x 9 pixels take 351 bytes; accepted: up to 350");
}

// ---- damage

// Every file cut at every length and with every byte changed: a message or pixels, and nothing of the library's left.
static void damaged_files_end_with_a_message(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb.png", "interlaced.png", "palette.png",    "gray1.png",
                                        "rgb.jpg", "gray.jpg",       "progressive.jpg"};
    const struct rl_tensor_type type = type_of(RL_FLOAT32, 4, 1, 3, 4, 4);
    struct rl_array array;

    preparation.resize = RL_RESIZE_INPUT;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t size;
        const void *bytes = read_fixture(names[i], &size);
        uint8_t *copy = rl_arena_copy(&arena, bytes, size);
        for (size_t k = 0; k < size; k++) {
            context.message[0] = '\0';
            // Without its last bytes a file may still have all pixels, but its end is missing.
            if (rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, names[i], bytes, k, &type, &array) == RL_OK) {
                fail_msg("%s: %zu of %zu bytes are accepted", names[i], k, size);
            }
            assert_non_null(strstr(context.message, names[i]));
            copy[k] ^= 0x55;
            context.message[0] = '\0';
            if (rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, names[i], copy, size, &type, &array) != RL_OK) {
                assert_true(context.message[0] != '\0');
            }
            copy[k] ^= 0x55;
        }
    }
}

// The place of the first marker of a kind from `start` on in a JPEG file; of any kind if `marker` is 0. In data, a zero
// follows the byte with which markers begin.
static size_t find_marker(const uint8_t *bytes, size_t size, size_t start, uint8_t marker)
{
    for (size_t i = start; i + 1 < size; i++) {
        if (bytes[i] == 0xff && (marker ? bytes[i + 1] == marker : bytes[i + 1] != 0)) {
            return i;
        }
    }
    fail_msg("no marker %02x", marker);
    return 0;
}

// rgb.jpg with an EXIF segment of one entry behind its first marker.
static const uint8_t *add_exif(bool is_big, uint8_t tag, uint8_t orientation, size_t *size)
{
    static const uint8_t little[] = "\xff\xe1\0\x22"
                                    "Exif\0\0II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0";
    static const uint8_t big[] = "\xff\xe1\0\x22"
                                 "Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0";
    enum { SEGMENT = 0x24, ENTRY = 20 };
    const uint8_t *bytes = read_fixture("rgb.jpg", size);
    uint8_t *copy = rl_arena_alloc(&arena, *size + SEGMENT);
    memcpy(copy, bytes, 2);
    memcpy(copy + 2, is_big ? big : little, SEGMENT);
    memcpy(copy + 2 + SEGMENT, bytes + 2, *size - 2);
    copy[2 + ENTRY + (is_big ? 1 : 0)] = tag;
    copy[2 + ENTRY + (is_big ? 9 : 8)] = orientation;
    *size += SEGMENT;
    return copy;
}

static void photos_on_their_side_are_found(void **state)
{
    (void)state;
    enum { TAG = 0x12 };
    const struct rl_tensor_type type = type_of(RL_FLOAT32, 4, 1, 3, 24, 32);
    struct rl_array array;

    for (int big = 0; big < 2; big++) {
        for (int orientation = 0; orientation <= 9; orientation++) {
            for (int other = 0; other < 2; other++) {
                size_t size;
                const uint8_t *bytes = add_exif(big, (uint8_t)(TAG + other), (uint8_t)orientation, &size);
                assert_int_equal(
                    rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, "photo.jpg", bytes, size, &type, &array), RL_OK);
                assert_int_equal(array.is_turned, other == 0 && orientation >= 2 && orientation <= 8);
                for (size_t cut = 0; other == 0 && orientation == 6 && cut < size; cut++) {
                    rl_exif_asks_for_turn(rl_arena_copy(&arena, bytes, cut), cut); // the sanitizer looks
                }
            }
        }
    }
    assert_int_equal(parse("rgb.jpg", &type, &array), RL_OK);
    assert_false(array.is_turned);
}

// A small file may claim to be a large image, or make the library work for ever.
static void hostile_files_are_refused(void **state)
{
    (void)state;
    enum { FRAME = 0xc0, SCAN = 0xda, SCANS = 100 };
    const struct rl_tensor_type type = type_of(RL_FLOAT32, 4, 1, 3, 4, 4);
    struct rl_array array;
    size_t size;
    const uint8_t *bytes = read_fixture("rgb.jpg", &size);
    uint8_t *large = rl_arena_copy(&arena, bytes, size);
    memcpy(large + find_marker(bytes, size, 0, FRAME) + 5, "\xff\xdc\xff\xdc", 4); // height and width

    preparation.resize = RL_RESIZE_INPUT;
    assert_int_equal(rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, "large.jpg", large, size, &type, &array),
                     RL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(context.message, "large.jpg: 65500 x 65500 pixels take 12870750000 bytes; accepted: up to "
                                            "134217728, or as many as --max-unpacked says"));

    bytes = read_fixture("progressive.jpg", &size);
    const size_t scan = find_marker(bytes, size, 0, SCAN), end = find_marker(bytes, size, scan + 2, 0);
    const size_t length = end - scan, whole = size + SCANS * length;
    uint8_t *endless = rl_arena_alloc(&arena, whole);
    memcpy(endless, bytes, end);
    for (size_t i = 0; i < SCANS; i++) {
        memcpy(endless + end + i * length, bytes + scan, length);
    }
    memcpy(endless + end + SCANS * length, bytes + end, size - end);
    context.message[0] = '\0';
    assert_int_equal(rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, "endless.jpg", endless, whole, &type, &array),
                     RL_ERROR_FORMAT);
    if (!strstr(context.message, "endless.jpg: the JPEG file cannot be read: it has more than 100 scans")) {
        fail_msg("%s", context.message);
    }
}

// A JPEG whose data make no sense has pixels all the same; a warning tells.
static void damaged_pixels_are_warned_of(void **state)
{
    (void)state;
    const struct rl_tensor_type type = type_of(RL_FLOAT32, 4, 1, 3, 24, 32);
    struct rl_array array;
    size_t size;
    const void *bytes = read_fixture("rgb.jpg", &size);
    uint8_t *copy = rl_arena_copy(&arena, bytes, size);
    int warned = 0;

    for (size_t k = size - 200; k < size - 2; k++) {
        copy[k] ^= 0xff;
        warning[0] = context.message[0] = '\0';
        rl_media_parse(&context, &arena, RL_MEDIA_IMAGE, "bent.jpg", copy, size, &type, &array);
        warned += strstr(warning, "bent.jpg: the JPEG file is damaged: ") ? 1 : 0;
        copy[k] ^= 0xff;
    }
    assert_true(warned > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pixels_are_those_of_the_file, start, stop),
        cmocka_unit_test_setup_teardown(samples_are_those_of_torchvision, start, stop),
        cmocka_unit_test_setup_teardown(the_shape_of_the_input_decides, start, stop),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, start, stop),
        cmocka_unit_test_setup_teardown(damaged_files_end_with_a_message, start, stop),
        cmocka_unit_test_setup_teardown(photos_on_their_side_are_found, start, stop),
        cmocka_unit_test_setup_teardown(hostile_files_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(damaged_pixels_are_warned_of, start, stop),
    };
    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
