// SPDX-License-Identifier: Apache-2.0
//
// Which arrays become samples of which input, in which shapes and types, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/data/npy.h"
#include "compiler/data/npz.h"
#include "pt2_archive.h"

static struct rl_context context;
static struct rl_arena arena;
static struct rl_graph *graph;

static int start(void **state)
{
    (void)state;
    context = (struct rl_context){0};
    arena = (struct rl_arena){0};
    graph = rl_graph_new(&arena, "test", "test.pt2");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

static void add_input(const char *name, enum rl_scalar_type dtype, int rank, const int64_t *sizes)
{
    const struct rl_tensor_type type = rl_tensor_type_make(dtype, rank, sizes);
    rl_graph_add_input(graph, name, &type);
}

// An array of elements that count up from `first`.
static struct rl_array counting(const char *name, int first, int rank, const int64_t *sizes)
{
    struct rl_array array = {.name = name, .dtype = RL_FLOAT32, .rank = rank};
    memcpy(array.sizes, sizes, (size_t)rank * sizeof *sizes);
    const int64_t count = rl_array_numel(&array);
    float *data = rl_arena_array(&arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (float)(first + i);
    }
    array.data = data;
    return array;
}

static enum rl_status from_arrays(const struct rl_array *arrays, int count, struct rl_dataset *dataset)
{
    context.message[0] = '\0';
    return rl_dataset_from_arrays(&context, &arena, "data.npz", arrays, count, graph, dataset);
}

static float element(const struct rl_dataset *dataset, int input, int64_t sample, int index)
{
    return ((const float *)rl_dataset_sample(dataset, input, sample))[index];
}

static void samples_lie_along_the_first_axis(void **state)
{
    (void)state;
    add_input("x", RL_FLOAT32, 3, (const int64_t[]){1, 2, 3});
    const struct rl_array arrays[] = {counting("x", 0, 3, (const int64_t[]){4, 2, 3}),
                                      counting("x", 0, 4, (const int64_t[]){4, 1, 2, 3}),
                                      counting("x", 18, 2, (const int64_t[]){2, 3})};
    const int64_t samples[] = {4, 4, 1};
    for (size_t i = 0; i < 3; i++) {
        struct rl_dataset dataset;
        assert_int_equal(from_arrays(&arrays[i], 1, &dataset), RL_OK);
        assert_int_equal(dataset.sample_count, samples[i]);
        assert_true(element(&dataset, 0, samples[i] - 1, 5) == 23.0f);
        assert_null(dataset.labels);
    }
}

static void a_model_with_a_batch_takes_whole_batches(void **state)
{
    (void)state;
    add_input("x", RL_FLOAT32, 2, (const int64_t[]){2, 3});
    struct rl_dataset dataset;
    const struct rl_array two = counting("x", 0, 2, (const int64_t[]){4, 3});
    assert_int_equal(from_arrays(&two, 1, &dataset), RL_OK);
    assert_int_equal(dataset.sample_count, 2);
    assert_true(element(&dataset, 0, 1, 0) == 6.0f);
    const struct rl_array uneven = counting("x", 0, 2, (const int64_t[]){5, 3});
    assert_int_equal(from_arrays(&uneven, 1, &dataset), RL_ERROR_TYPE);
}

static void samples_come_in_the_memory_order_of_the_input(void **state)
{
    (void)state;
    add_input("image", RL_FLOAT32, 4, (const int64_t[]){1, 3, 2, 2});
    memcpy(graph->inputs[0]->type.order, (const uint8_t[]){0, 2, 3, 1}, 4);
    struct rl_dataset dataset;
    const struct rl_array images = counting("image", 0, 4, (const int64_t[]){2, 3, 2, 2});
    assert_int_equal(from_arrays(&images, 1, &dataset), RL_OK);
    assert_true(element(&dataset, 0, 1, 0) == 12.0f && element(&dataset, 0, 1, 1) == 16.0f);
    assert_true(element(&dataset, 0, 1, 3) == 13.0f);
}

static void arrays_are_found_by_name(void **state)
{
    (void)state;
    add_input("x", RL_FLOAT32, 2, (const int64_t[]){1, 2});
    const int64_t sizes[] = {3, 2};
    struct rl_dataset dataset;
    const struct rl_array by_name[] = {counting("input", 50, 2, sizes), counting("x", 10, 2, sizes)};
    assert_int_equal(from_arrays(by_name, 2, &dataset), RL_OK);
    assert_true(element(&dataset, 0, 0, 0) == 10.0f);
    const struct rl_array as_input[] = {counting("other", 10, 2, sizes), counting("input", 50, 2, sizes)};
    assert_int_equal(from_arrays(as_input, 2, &dataset), RL_OK);
    assert_true(element(&dataset, 0, 0, 0) == 50.0f);
    const struct rl_array alone = counting("arr_0", 7, 2, sizes);
    assert_int_equal(from_arrays(&alone, 1, &dataset), RL_OK);
    assert_true(element(&dataset, 0, 2, 1) == 12.0f);
    const struct rl_array unknown[] = {counting("a", 0, 2, sizes), counting("b", 0, 2, sizes)};
    assert_int_equal(from_arrays(unknown, 2, &dataset), RL_ERROR_FORMAT);
    assert_non_null(strstr(context.message, "data.npz: no array for an input of the model: found 'a', 'b'; accepted: "
                                            "arrays named after the inputs 'x' float32 [1, 2], or 'input'"));
}

static void every_input_needs_the_same_number(void **state)
{
    (void)state;
    add_input("a", RL_FLOAT32, 2, (const int64_t[]){1, 2});
    add_input("b", RL_FLOAT32, 1, (const int64_t[]){1});
    struct rl_dataset dataset;
    const struct rl_array numbered[] = {counting("arr_0", 0, 2, (const int64_t[]){3, 2}),
                                        counting("arr_1", 30, 1, (const int64_t[]){3})};
    assert_int_equal(from_arrays(numbered, 2, &dataset), RL_OK);
    assert_int_equal(dataset.sample_count, 3);
    assert_true(element(&dataset, 1, 2, 0) == 32.0f);
    const struct rl_array uneven[] = {counting("a", 0, 2, (const int64_t[]){3, 2}),
                                      counting("b", 0, 1, (const int64_t[]){4})};
    assert_int_equal(from_arrays(uneven, 2, &dataset), RL_ERROR_FORMAT);
    assert_non_null(strstr(context.message, "3 samples for input 'a' but 4 for 'b'"));
    assert_int_equal(from_arrays(uneven, 1, &dataset), RL_ERROR_FORMAT);
}

static void wrong_shapes_and_types_are_named(void **state)
{
    (void)state;
    add_input("x", RL_INT8, 2, (const int64_t[]){1, 2});
    struct rl_dataset dataset;
    const struct rl_array wide = counting("x", 0, 2, (const int64_t[]){3, 5});
    assert_int_equal(from_arrays(&wide, 1, &dataset), RL_ERROR_TYPE);
    assert_non_null(strstr(context.message, "array 'x' is float32 [3, 5], but one sample for 'x' is int8 [1, 2]"));
    const struct rl_array small = counting("x", -3, 2, (const int64_t[]){2, 2});
    assert_int_equal(from_arrays(&small, 1, &dataset), RL_OK);
    assert_int_equal(((const int8_t *)rl_dataset_sample(&dataset, 0, 0))[0], -3);
    const struct rl_array large = counting("x", 126, 2, (const int64_t[]){2, 2});
    assert_int_equal(from_arrays(&large, 1, &dataset), RL_ERROR_TYPE);
    assert_non_null(strstr(context.message, "element 2 is a float32 that 'x', int8, cannot hold"));
    struct rl_array text = {.name = "x", .skipped = "<U16"};
    assert_int_equal(from_arrays(&text, 1, &dataset), RL_ERROR_TYPE);
    assert_non_null(strstr(context.message, "has elements of type <U16"));
}

static void labels_come_along(void **state)
{
    (void)state;
    add_input("x", RL_FLOAT32, 2, (const int64_t[]){1, 2});
    struct rl_dataset dataset;
    const struct rl_array arrays[] = {counting("x", 0, 2, (const int64_t[]){3, 2}),
                                      counting("labels", 4, 1, (const int64_t[]){3})};
    assert_int_equal(from_arrays(arrays, 2, &dataset), RL_OK);
    assert_non_null(dataset.labels);
    assert_int_equal(dataset.labels[2], 6);
}

static void write_npy(const char *path, const struct rl_array *array)
{
    size_t header_size;
    const char *header = rl_npy_header(&arena, array, &header_size);
    const size_t data_size = (size_t)rl_array_numel(array) * sizeof(float);
    char *bytes = rl_arena_alloc(&arena, header_size + data_size);
    memcpy(bytes, header, header_size);
    memcpy(bytes + header_size, array->data, data_size);
    pt2_write_file(path, bytes, header_size + data_size);
}

static void files_and_folders_are_appended_in_order(void **state)
{
    (void)state;
    add_input("x", RL_FLOAT32, 2, (const int64_t[]){1, 2});
    const char *folder = "data_dataset_test.folder";
    mkdir(folder, 0777);
    const char *const files[] = {"data_dataset_test.folder/b.npy", "data_dataset_test.folder/a.npz",
                                 "data_dataset_test.folder/notes.txt", "data_dataset_test.npz"};
    const struct rl_array second = counting("whatever", 200, 2, (const int64_t[]){1, 2});
    const struct rl_array first = counting("x", 100, 2, (const int64_t[]){2, 2});
    const struct rl_array third = counting("input", 300, 2, (const int64_t[]){2, 2});
    write_npy(files[0], &second);
    assert_int_equal(rl_npz_write(&context, files[1], &first, 1), RL_OK);
    pt2_write_file(files[2], "x", 1);
    assert_int_equal(rl_npz_write(&context, files[3], &third, 1), RL_OK);

    struct rl_dataset dataset;
    const char *const paths[] = {folder, files[3]};
    if (rl_dataset_load(&context, &arena, paths, 2, graph, &dataset) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_int_equal(dataset.sample_count, 5);
    assert_true(element(&dataset, 0, 0, 0) == 100.0f && element(&dataset, 0, 2, 0) == 200.0f);
    assert_true(element(&dataset, 0, 4, 1) == 303.0f);

    assert_int_equal(rl_dataset_load(&context, &arena, &files[2], 1, graph, &dataset), RL_ERROR_FORMAT);
    assert_non_null(strstr(context.message, "notes.txt: unknown kind of data; accepted: .npz, .npy, .png,"));
    context.message[0] = '\0';
    assert_int_equal(unlink(files[0]) | unlink(files[1]), 0);
    assert_int_equal(rl_dataset_load(&context, &arena, &folder, 1, graph, &dataset), RL_ERROR_IO);
    assert_non_null(strstr(context.message, "the folder has no .npz or .npy file"));
    context.message[0] = '\0';
    assert_int_equal(unlink(files[2]) | unlink(files[3]) | rmdir(folder), 0);
    assert_int_equal(rl_dataset_load(&context, &arena, &folder, 1, graph, &dataset), RL_ERROR_IO);
    assert_non_null(strstr(context.message, "data_dataset_test.folder: cannot open: No such file"));
}

enum { LARGE_SIDE = 128, LARGE_COUNT = 6, LARGE_BYTES = 2 * LARGE_SIDE * LARGE_SIDE * 4 };

static const char *const large_path = "data_dataset_test.large.npz";

// Samples of 128 KiB, counting up from 0.
static struct rl_array write_large(void)
{
    add_input("x", RL_FLOAT32, 4, (const int64_t[]){1, 2, LARGE_SIDE, LARGE_SIDE});
    struct rl_array array = counting("x", 0, 4, (const int64_t[]){LARGE_COUNT, 2, LARGE_SIDE, LARGE_SIDE});
    assert_int_equal(rl_npz_write(&context, large_path, &array, 1), RL_OK);
    return array;
}

static void expect_samples(const struct rl_dataset *dataset, const struct rl_array *array)
{
    void **rooms = rl_dataset_rooms(dataset, &arena);
    for (int64_t i = LARGE_COUNT - 1; i >= 0; i--) {
        const void *data;
        assert_int_equal(rl_dataset_fetch(&context, dataset, 0, i, rooms[0], &data), RL_OK);
        assert_memory_equal(data, (const char *)array->data + i * LARGE_BYTES, LARGE_BYTES);
    }
}

static void large_samples_stay_in_their_file(void **state)
{
    (void)state;
    const struct rl_array array = write_large();
    struct rl_dataset dataset;
    struct rl_arena own = {0};
    assert_int_equal(rl_dataset_open(&context, &own, &large_path, 1, graph, &dataset), RL_OK);
    assert_int_equal(dataset.sample_count, LARGE_COUNT);
    assert_true(own.most_bytes < LARGE_BYTES + LARGE_BYTES / 2);
    assert_int_equal(rl_dataset_room(&dataset, 0), LARGE_BYTES);
    expect_samples(&dataset, &array);
    rl_arena_free(&own);
    assert_int_equal(rl_dataset_load(&context, &arena, &large_path, 1, graph, &dataset), RL_OK); // all in memory
    assert_int_equal(rl_dataset_room(&dataset, 0), 0);
    expect_samples(&dataset, &array);
    unlink(large_path);
}

// The samples of two files, or of floats of 64 bits, are one list in memory.
static void samples_that_change_are_read_at_once(void **state)
{
    (void)state;
    struct rl_array array = write_large();
    struct rl_dataset dataset;
    const char *const paths[] = {large_path, large_path};
    assert_int_equal(rl_dataset_open(&context, &arena, paths, 2, graph, &dataset), RL_OK);
    assert_int_equal(dataset.sample_count, 2 * LARGE_COUNT);
    assert_int_equal(rl_dataset_room(&dataset, 0), 0);
    array.dtype = RL_FLOAT64;
    array.data = rl_arena_alloc(&arena, (size_t)LARGE_COUNT * 2 * LARGE_BYTES);
    assert_int_equal(rl_npz_write(&context, large_path, &array, 1), RL_OK);
    assert_int_equal(rl_dataset_open(&context, &arena, &large_path, 1, graph, &dataset), RL_OK);
    assert_int_equal(rl_dataset_room(&dataset, 0), 0);
    unlink(large_path);
}

static void damaged_files_of_large_samples_are_refused(void **state)
{
    (void)state;
    write_large();
    size_t size;
    char *bytes = pt2_read_file(large_path, &size);
    struct rl_dataset dataset;
    const void *data;
    void *room = rl_arena_alloc(&arena, LARGE_BYTES);
    bytes[size / 2] ^= 1;
    pt2_write_file(large_path, bytes, size);
    assert_int_equal(rl_dataset_open(&context, &arena, &large_path, 1, graph, &dataset), RL_ERROR_FORMAT);
    assert_non_null(strstr(context.message, "member 'x.npy' is damaged"));
    bytes[size / 2] ^= 1;
    pt2_write_file(large_path, bytes, size);
    context.message[0] = '\0';
    assert_int_equal(rl_dataset_open(&context, &arena, &large_path, 1, graph, &dataset), RL_OK);
    const struct rl_array shorter = counting("x", 0, 4, (const int64_t[]){1, 2, LARGE_SIDE, LARGE_SIDE});
    assert_int_equal(rl_npz_write(&context, large_path, &shorter, 1), RL_OK);
    assert_int_not_equal(rl_dataset_fetch(&context, &dataset, 0, LARGE_COUNT - 1, room, &data), RL_OK);
    assert_non_null(strstr(context.message, "member 'x.npy' is damaged"));
    free(bytes);
    unlink(large_path);
}

static void numpy_archives_of_models_are_read(void **state)
{
    (void)state;
    add_input("image", RL_FLOAT32, 4, (const int64_t[]){1, 1, 8, 8});
    const char *const path = RL_FIXTURES "/digits/test.npz"; // deflated, written by numpy
    struct rl_dataset dataset;
    if (rl_dataset_load(&context, &arena, &path, 1, graph, &dataset) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_int_equal(dataset.sample_count, 360);
    assert_non_null(dataset.labels);
    for (int64_t i = 0; i < dataset.sample_count; i++) {
        assert_in_range(dataset.labels[i], 0, 9);
        assert_true(element(&dataset, 0, i, 10) >= 0.0f && element(&dataset, 0, i, 10) <= 1.0f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(samples_lie_along_the_first_axis, start, stop),
        cmocka_unit_test_setup_teardown(a_model_with_a_batch_takes_whole_batches, start, stop),
        cmocka_unit_test_setup_teardown(samples_come_in_the_memory_order_of_the_input, start, stop),
        cmocka_unit_test_setup_teardown(arrays_are_found_by_name, start, stop),
        cmocka_unit_test_setup_teardown(every_input_needs_the_same_number, start, stop),
        cmocka_unit_test_setup_teardown(wrong_shapes_and_types_are_named, start, stop),
        cmocka_unit_test_setup_teardown(labels_come_along, start, stop),
        cmocka_unit_test_setup_teardown(files_and_folders_are_appended_in_order, start, stop),
        cmocka_unit_test_setup_teardown(large_samples_stay_in_their_file, start, stop),
        cmocka_unit_test_setup_teardown(samples_that_change_are_read_at_once, start, stop),
        cmocka_unit_test_setup_teardown(damaged_files_of_large_samples_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(numpy_archives_of_models_are_read, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
