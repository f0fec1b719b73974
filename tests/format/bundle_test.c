// SPDX-License-Identifier: Apache-2.0
//
// A bundle gives back what was written, its program at a multiple of 32 bytes; a damaged one gives an error, or values
// that are whole.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/bundle_reader.h"
#include "format/bundle_writer.h"
#include "fuzz/fuzz.h"

enum { CASES = 2, WORK = 16, PROGRAM_BYTES = 77 };

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)old_size;
    size_t *left = user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (left && *left == 0) {
        return NULL;
    }
    if (left) {
        --*left;
    }
    return realloc(block, new_size);
}

static const uint8_t bytes[24] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                  13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

static const struct rl_bundle_value inputs[] = {
    {.kind = RL_BUNDLE_TENSOR,
     .dtype = RL_FLOAT32,
     .rank = 2,
     .sizes = {2, 3},
     .dim_order = {1, 0},
     .data = bytes,
     .bytes = 24},
    {.kind = RL_BUNDLE_INT, .integer = -7},
    {.kind = RL_BUNDLE_BOOL, .integer = 1},
    {.kind = RL_BUNDLE_DOUBLE, .real = 0.25},
    {.kind = RL_BUNDLE_TENSOR, .dtype = RL_INT64, .rank = 0, .data = bytes, .bytes = 8},
    {.kind = RL_BUNDLE_INT, .integer = 0},
};
static const struct rl_bundle_value outputs[] = {
    {.kind = RL_BUNDLE_TENSOR, .dtype = RL_INT8, .rank = 1, .sizes = {5}, .data = bytes, .bytes = 5},
    {.kind = RL_BUNDLE_TENSOR, .dtype = RL_INT8, .rank = 2, .sizes = {0, 4}, .dim_order = {0, 1}, .data = NULL},
};
enum { INPUTS = sizeof inputs / sizeof *inputs, OUTPUTS = sizeof outputs / sizeof *outputs };

// A file in memory that malloc aligned, as one that was read.
static uint8_t *write_bundle(size_t *size)
{
    static uint8_t program[PROGRAM_BYTES];
    const struct rl_bundle_case cases[CASES] = {{inputs, outputs, INPUTS, OUTPUTS}, {inputs + 1, outputs, 1, 1}};
    const struct rl_bundle_description description = {program, PROGRAM_BYTES, "forward", cases, CASES};
    struct rl_fbb builder = {.reallocate = reallocate};
    uint32_t references[WORK];

    memset(program, 0xA5, sizeof program);
    assert_true(rl_bundle_write(&builder, &description, references));
    *size = builder.used;
    uint8_t *file = malloc(*size);
    memcpy(file, builder.block + builder.capacity - builder.used, *size);
    rl_fbb_free(&builder);
    return file;
}

static void expect_same(const struct rl_bundle_value *found, const struct rl_bundle_value *expected)
{
    assert_int_equal(found->kind, expected->kind);
    assert_true(found->integer == expected->integer && found->real == expected->real);
    assert_int_equal(found->rank, expected->rank);
    assert_int_equal(found->bytes, expected->bytes);
    if (expected->kind == RL_BUNDLE_TENSOR) {
        assert_int_equal(found->dtype, expected->dtype);
        assert_memory_equal(found->sizes, expected->sizes, sizeof found->sizes);
        assert_memory_equal(found->dim_order, expected->dim_order, sizeof found->dim_order);
        assert_memory_equal(found->data, bytes, expected->bytes);
    }
}

static void parts_read_back(void **state)
{
    (void)state;
    size_t size;
    uint8_t *file = write_bundle(&size);
    struct rl_bundle bundle;
    struct rl_fb_vector cases, values;
    struct rl_bundle_value value;

    assert_true(rl_bundle_is(file, size));
    assert_true(rl_bundle_open(&bundle, file, size));
    assert_int_equal(bundle.program_bytes, PROGRAM_BYTES);
    assert_int_equal((bundle.program - file) % RL_BUNDLE_PROGRAM_ALIGNMENT, 0);
    assert_int_equal(bundle.program[0], 0xA5);
    assert_int_equal(bundle.program[PROGRAM_BYTES - 1], 0xA5);
    assert_true(rl_bundle_cases(&bundle, "forward", &cases));
    assert_int_equal(cases.count, CASES);
    assert_true(rl_bundle_values(&bundle, &cases, 0, false, &values));
    assert_int_equal(values.count, INPUTS);
    for (uint32_t i = 0; i < INPUTS; i++) {
        assert_true(rl_bundle_value(&bundle, &values, i, &value));
        expect_same(&value, &inputs[i]);
        assert_true(value.kind != RL_BUNDLE_TENSOR || (value.data - file) % RL_BUNDLE_DATA_ALIGNMENT == 0);
    }
    assert_true(rl_bundle_values(&bundle, &cases, 0, true, &values));
    assert_int_equal(values.count, OUTPUTS);
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        assert_true(rl_bundle_value(&bundle, &values, i, &value));
        expect_same(&value, &outputs[i]);
    }
    assert_true(rl_bundle_cases(&bundle, "backward", &cases));
    assert_int_equal(cases.count, 0);
    assert_false(rl_bundle_values(&bundle, &cases, 0, false, &values));
    free(file);
}

// The fuzz target reads all that there is; ASan watches.
static void damage_is_noticed_or_harmless(void **state)
{
    (void)state;
    static const uint8_t masks[] = {0x01, 0x04, 0x10, 0x80, 0xFF};
    size_t size;
    uint8_t *file = write_bundle(&size);

    for (size_t cut = 0; cut < size; cut++) {
        LLVMFuzzerTestOneInput(file, cut);
    }
    for (size_t at = 0; at < size; at++) {
        for (size_t i = 0; i < sizeof masks; i++) {
            file[at] ^= masks[i];
            LLVMFuzzerTestOneInput(file, size);
            file[at] ^= masks[i];
        }
    }
    free(file);
}

// Sizes that do not make the bytes, and orders that leave out a dimension.
static void tensors_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
    struct rl_bundle_value wrong[] = {inputs[0], inputs[0], inputs[0], inputs[0], inputs[0]};
    struct rl_fbb builder = {.reallocate = reallocate};
    struct rl_bundle bundle;
    struct rl_fb_vector cases, values;
    struct rl_bundle_value value;
    uint32_t references[WORK];

    wrong[0].sizes[1] = 4;
    wrong[1].dim_order[1] = 1;
    wrong[2].sizes[0] = -2;
    wrong[3].dtype = (enum rl_scalar_type)99;
    wrong[4].sizes[0] = INT32_MAX;
    wrong[4].sizes[1] = INT32_MAX;
    const struct rl_bundle_case item = {wrong, outputs, sizeof wrong / sizeof *wrong, 1};
    const struct rl_bundle_description description = {bytes, sizeof bytes, "forward", &item, 1};
    assert_true(rl_bundle_write(&builder, &description, references));
    assert_true(rl_bundle_open(&bundle, builder.block + builder.capacity - builder.used, builder.used));
    assert_true(rl_bundle_cases(&bundle, "forward", &cases));
    assert_true(rl_bundle_values(&bundle, &cases, 0, false, &values));
    for (uint32_t i = 0; i < values.count; i++) {
        assert_false(rl_bundle_value(&bundle, &values, i, &value));
    }
    rl_fbb_free(&builder);
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    const struct rl_bundle_case item = {inputs, outputs, INPUTS, OUTPUTS};
    const struct rl_bundle_description description = {bytes, sizeof bytes, "forward", &item, 1};
    bool written = false;

    for (size_t pieces = 0; !written; pieces++) {
        size_t left = pieces;
        struct rl_fbb builder = {.reallocate = reallocate, .user = &left};
        uint32_t references[WORK];
        written = rl_bundle_write(&builder, &description, references);
        assert_true(!written || pieces > 2);
        rl_fbb_free(&builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_read_back),
        cmocka_unit_test(damage_is_noticed_or_harmless),
        cmocka_unit_test(tensors_that_contradict_themselves_are_refused),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
