// SPDX-License-Identifier: Apache-2.0
//
// Damaged programs: cut at many lengths and with bytes changed, each must give an error or run within its memory.
// Blocks have exactly the size of file, arena and state, so that the sanitizers see every access outside.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "runtime/program_file.h"

enum { MOST_INSTRUCTIONS = 2000 }; // a damaged loop may have no end

static uint8_t *copy_block(const uint8_t *bytes, size_t size)
{
    void *copy = NULL;
    if (posix_memalign(&copy, RL_ALIGNMENT, size > 0 ? size : 1) != 0) {
        abort();
    }
    memcpy(copy, bytes, size);
    return copy;
}

// Runs a program and reads its outputs; any status is accepted.
static enum rl_status try_method(struct rl_method *method)
{
    bool done;
    enum rl_status status = rl_method_step(method, MOST_INSTRUCTIONS, &done);
    if (status == RL_OK) {
        status = rl_method_step(method, MOST_INSTRUCTIONS, &done); // if that was all: with what was kept
    }
    for (uint32_t i = 0; status == RL_OK && i < rl_method_output_count(method); i++) {
        struct rl_tensor tensor;
        volatile uint8_t sum = 0;
        if (rl_method_output(method, i, &tensor) != RL_OK || !tensor.data) {
            continue;
        }
        for (uint32_t k = 0; k < tensor.bytes; k++) {
            sum = (uint8_t)(sum + ((const uint8_t *)tensor.data)[k]);
        }
    }
    return status;
}

enum { PORTABLE_FLIPS = 1000 };

// Opens and runs a copy; any status is accepted. Without verification, this tests the functions that read an unproved
// program, which must not run.
static enum rl_status try_file(const uint8_t *bytes, size_t size, bool verify)
{
    struct runnable r;
    uint8_t *copy = copy_block(bytes, size);
    enum rl_status status = runnable_open(&r, copy, size, verify);
    if (status == RL_OK) {
        status = try_method(&r.method);
    }
    if (!verify) {
        assert_int_not_equal(status, RL_OK);
    }
    runnable_free(&r);
    free(copy);
    return status;
}

// Length of the tables: weights follow, whose bytes cannot lead anywhere.
static size_t table_bytes(const uint8_t *file, size_t size)
{
    if (memcmp(file + 8, "eh00", 4) != 0) {
        return size; // no weights, no header
    }
    return (size_t)file[16] | (size_t)file[17] << 8 | (size_t)file[18] << 16;
}

static void damage(const uint8_t *file, size_t size, uint32_t flips)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x10};
    uint8_t *copy = malloc(size);
    size_t tables = table_bytes(file, size);
    assert_int_equal(try_file(file, size, true), RL_OK);
    for (size_t cut = 0; cut < size; cut += cut < tables ? 1 + tables / 150 : 1 + size / 50) {
        assert_int_not_equal(try_file(file, cut, true), RL_OK);
    }
    uint32_t random = 1;
    for (uint32_t i = 0; i < flips; i++) {
        size_t where = (size_t)test_random_int(&random, 0, (int32_t)tables - 1);
        memcpy(copy, file, size);
        copy[where] ^= masks[i % sizeof masks];
        try_file(copy, size, i % 8 != 0);
    }
    free(copy);
}

static void a_small_program_survives_every_damage(void **state)
{
    (void)state;
    static const int32_t in[] = {1, 2, 5, 5}, weights[] = {3, 2, 3, 3}, out[] = {1, 3, 5, 5};
    static const float numbers[64];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, in, NULL, numbers);
    program_constant(&p, RL_FLOAT32, 4, weights, numbers);
    program_none(&p);
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_bool(&p, false);
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_int(&p, 1);
    program_output(&p, RL_FLOAT32, 4, out, NULL);
    assert_int_equal(program_run(&p, "aten::convolution", "out"), RL_OK);
    uint8_t *copy = malloc(p.file_bytes);
    for (size_t where = 0; where < p.file_bytes; where++) {
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, p.file, p.file_bytes);
            copy[where] ^= (uint8_t)(1 << bit);
            try_file(copy, p.file_bytes, true);
        }
    }
    for (size_t cut = 0; cut < p.file_bytes; cut++) {
        assert_int_not_equal(try_file(p.file, cut, true), RL_OK);
    }
    free(copy);
    program_free(&p);
}

static void programs_with_loops_and_state_survive_damage(void **state)
{
    (void)state;
    static const char *const names[] = {"branch", "map", "scan", "item", "state"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        size_t size;
        snprintf(path, sizeof path, "%s/programs/%s.pte", RL_FIXTURES, names[i]);
        uint8_t *file = read_file(path, &size);
        assert_non_null(file);
        damage(file, size, 8000);
        free(file);
    }
}

// Damaged dimensions, sizes and indices of every portable operator; each program calls about a hundred of them.
static void portable_operators_survive_damage(void **state)
{
    (void)state;
    static const char *const names[] = {"compare", "choose", "math",   "reduce", "index",
                                        "move",    "scan",   "resize", "layers", "create"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        size_t size;
        snprintf(path, sizeof path, "%s/portable/%s.pte", RL_FIXTURES, names[i]);
        uint8_t *file = read_file(path, &size);
        assert_non_null(file);
        damage(file, size, PORTABLE_FLIPS);
        free(file);
    }
}

static void a_registry_without_flow_refuses_jumps_and_initial_values(void **state)
{
    (void)state;
    static const char *const names[] = {"branch", "state"};
    const struct rl_registry registry = {.kernels = rl_registry_all.kernels, .count = rl_registry_all.count};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        size_t size;
        struct runnable r;
        struct rl_method method;
        snprintf(path, sizeof path, "%s/programs/%s.pte", RL_FIXTURES, names[i]);
        uint8_t *file = read_file(path, &size);
        assert_int_equal(runnable_open(&r, file, size, true), RL_OK);
        assert_int_equal(rl_method_init(&method, &r.program, 0, &registry, r.buffers, r.buffer_count, r.state,
                                        r.state_bytes, &r.error) == RL_OK
                             ? rl_method_execute(&method)
                             : r.error.status,
                         RL_ERROR_MISSING_OPERATOR);
        runnable_free(&r);
        free(file);
    }
}

static void files_of_data_survive_damage(void **state)
{
    (void)state;
    size_t size, data_size;
    uint32_t random = 1;
    uint8_t *file = read_file(RL_FIXTURES "/programs/external.pte", &size);
    uint8_t *data = read_file(RL_FIXTURES "/programs/external.ptd", &data_size);
    assert_non_null(file);
    assert_non_null(data);
    for (int i = 0; i < 8000; i++) {
        struct runnable r;
        // Cut short, changed in one byte, or, to see that it works at all, whole.
        const size_t length = i % 8 == 1 ? (size_t)test_random_int(&random, 0, (int32_t)data_size - 1) : data_size;
        uint8_t *copy = copy_block(data, length);
        if (i % 8 > 1) {
            copy[test_random_int(&random, 0, (int32_t)length - 1)] ^= (uint8_t)(1 << i % 8);
        }
        enum rl_status status = runnable_open_with(&r, file, size, copy, length);
        if (status == RL_OK) {
            status = try_method(&r.method);
        }
        assert_true(i % 8 != 0 || status == RL_OK);
        runnable_free(&r);
        free(copy);
    }
    free(file);
    free(data);
}

static void stock_programs_survive_damage(void **state)
{
    (void)state;
    static const char *const cores[] = {"m55", "m4"};
    for (int m = 0; m < stock_model_count; m++) {
        for (size_t c = 0; c < sizeof cores / sizeof cores[0]; c++) {
            char path[512];
            size_t size;
            snprintf(path, sizeof path, RL_FIXTURES "/stock/%s/%s.pte", stock_models[m], cores[c]);
            uint8_t *file = read_file(path, &size);
            assert_non_null(file);
            damage(file, size, 1500);
            free(file);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_program_survives_every_damage),
        cmocka_unit_test(programs_with_loops_and_state_survive_damage),
        cmocka_unit_test(portable_operators_survive_damage),
        cmocka_unit_test(a_registry_without_flow_refuses_jumps_and_initial_values),
        cmocka_unit_test(files_of_data_survive_damage),
        cmocka_unit_test(stock_programs_survive_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
