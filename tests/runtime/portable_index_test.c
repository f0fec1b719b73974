// SPDX-License-Identifier: Apache-2.0
//
// Errors that depend on data: indices out of range, division by zero, a source that is too short. The error names the
// operator, and nothing is written outside the output.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

static const int32_t sizes[] = {3, 4}, two[] = {2}, two_rows[] = {2, 4}, same_rank[] = {1, 2}, nothing[] = {1};
static const float numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

enum form { GATHER, SELECT, EMBEDDING, INDEX, PUT, SCATTER, SCATTER_ADD, SCATTER_VALUE, FORM_COUNT };

static const struct {
    const char *name, *overload;
} operators[FORM_COUNT] = {{"aten::gather", "out"},       {"aten::index_select", "out"}, {"aten::embedding", "out"},
                           {"aten::index", "Tensor_out"}, {"aten::index_put", "out"},    {"aten::scatter", "src_out"},
                           {"aten::scatter_add", "out"},  {"aten::scatter", "value_out"}};

// The indices address the first dimension, of size 3, in a matrix of 3 rows and 4 columns.
static void add_arguments(struct test_program *p, enum form form, enum rl_scalar_type dtype, const void *indices)
{
    static const int one_rank[] = {1};
    static const int32_t *const index_sizes[] = {two};
    const void *const list[] = {indices};
    if (form == EMBEDDING) {
        program_input(p, RL_FLOAT32, 2, sizes, NULL, numbers);
        program_input(p, dtype, 1, two, NULL, indices);
        program_int(p, -1);
        program_bool(p, false);
        program_bool(p, false);
        program_output(p, RL_FLOAT32, 2, two_rows, NULL);
        return;
    }
    program_input(p, RL_FLOAT32, 2, sizes, NULL, numbers);
    if (form == INDEX || form == PUT) {
        program_input_list(p, dtype, 1, one_rank, index_sizes, NULL, list);
    } else {
        program_int(p, 0);
        program_input(p, dtype, form == SELECT ? 1 : 2, form == SELECT ? two : same_rank, NULL, indices);
    }
    if (form == PUT) {
        program_input(p, RL_FLOAT32, 1, nothing, NULL, numbers);
        program_bool(p, false);
    } else if (form == SCATTER || form == SCATTER_ADD) {
        program_input(p, RL_FLOAT32, 2, same_rank, NULL, numbers);
    } else if (form == SCATTER_VALUE) {
        program_double(p, 7);
    } else if (form == GATHER) {
        program_bool(p, false);
    }
    const bool is_part = form == SELECT || form == INDEX;
    const int32_t *of_rest = is_part ? two_rows : sizes;
    program_output(p, RL_FLOAT32, 2, form == GATHER ? same_rank : of_rest, NULL);
}

static enum rl_status run(enum form form, enum rl_scalar_type dtype, const void *indices, char *message)
{
    struct test_program p = {0};
    add_arguments(&p, form, dtype, indices);
    enum rl_status status = program_run(&p, operators[form].name, operators[form].overload);
    snprintf(message, 128, "%s", status == RL_OK ? "" : p.error.message);
    program_free(&p);
    return status;
}

static void indices_are_checked_when_they_are_read(void **state)
{
    (void)state;
    static const int64_t wrong[] = {3, -4, INT64_MAX, INT64_MIN, (int64_t)1 << 32};
    char message[128];
    for (int form = 0; form < FORM_COUNT; form++) {
        const int64_t good[2] = {2, -3};
        const int32_t narrow[2] = {-1, 0};
        assert_int_equal(run((enum form)form, RL_INT64, good, message), RL_OK);
        assert_int_equal(run((enum form)form, RL_INT32, narrow, message), RL_OK);
        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            const int64_t indices[2] = {0, wrong[i]};
            assert_int_equal(run((enum form)form, RL_INT64, indices, message), RL_ERROR_TYPE);
            assert_string_equal(message, "an index is out of range");
        }
        const float none[2] = {0, 1};
        assert_int_equal(run((enum form)form, RL_FLOAT32, none, message), RL_ERROR_TYPE);
        assert_string_equal(message, "indices must be int32 or int64");
    }
}

static void integers_are_not_divided_by_zero(void **state)
{
    (void)state;
    static const struct {
        const char *name, *overload;
    } divisions[] = {{"aten::floor_divide", "out"}, {"aten::remainder", "Tensor_out"}, {"aten::fmod", "Tensor_out"}};
    static const int32_t size[] = {3}, above[] = {7, INT32_MIN, 5}, below[] = {2, -1, 1}, zero[] = {2, 0, 1};
    for (size_t i = 0; i < sizeof divisions / sizeof divisions[0]; i++) {
        for (int with_zero = 0; with_zero < 2; with_zero++) {
            struct test_program p = {0};
            program_input(&p, RL_INT32, 1, size, NULL, above);
            program_input(&p, RL_INT32, 1, size, NULL, with_zero ? zero : below);
            program_output(&p, RL_INT32, 1, size, NULL);
            assert_int_equal(program_run(&p, divisions[i].name, divisions[i].overload),
                             with_zero ? RL_ERROR_TYPE : RL_OK);
            if (with_zero) {
                assert_string_equal(p.error.message, "an integer is divided by zero");
            }
            program_free(&p);
        }
    }
}

static void a_masked_scatter_needs_enough_elements(void **state)
{
    (void)state;
    static const int32_t size[] = {4};
    static const uint8_t three[] = {1, 1, 0, 1};
    for (int32_t count = 2; count < 4; count++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 1, size, NULL, numbers);
        program_input(&p, RL_BOOL, 1, size, NULL, three);
        program_input(&p, RL_FLOAT32, 1, &count, NULL, numbers + 8);
        program_output(&p, RL_FLOAT32, 1, size, NULL);
        assert_int_equal(program_run(&p, "aten::masked_scatter", "out"), count < 3 ? RL_ERROR_TYPE : RL_OK);
        if (count < 3) {
            assert_string_equal(p.error.message, "the source has too few elements");
        }
        program_free(&p);
    }
}

// The type of the result is that of the output: what it cannot hold is refused.
static void floats_do_not_become_integers_by_themselves(void **state)
{
    (void)state;
    static const int32_t size[] = {3};
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, size, NULL, numbers);
    program_input(&p, RL_FLOAT32, 1, size, NULL, numbers);
    program_double(&p, 1);
    program_output(&p, RL_INT32, 1, size, NULL);
    assert_int_equal(program_run(&p, "aten::add", "out"), RL_ERROR_TYPE);
    assert_string_equal(p.error.message, "the result is a float, the output is not");
    program_free(&p);
}

// A mask of a matrix of 3 rows and 4 columns, whose true elements become 7.
static void masks_have_the_sizes_of_what_they_select(void **state)
{
    (void)state;
    static const uint8_t mask[12] = {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1};
    static const int32_t rows[] = {3}, four[] = {4}, deep[] = {3, 4, 1};
    static const struct {
        int rank;
        const int32_t *sizes;
        bool fits;
    } cases[] = {{2, sizes, true}, {1, rows, true}, {1, four, false}, {3, deep, false}, {0, nothing, false}};
    static const float seven[] = {7};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_program p = {0};
        const int32_t *const mask_sizes[] = {cases[i].sizes};
        const void *const list[] = {mask};
        float result[12];
        program_input(&p, RL_FLOAT32, 2, sizes, NULL, numbers);
        program_input_list(&p, RL_BOOL, 1, &cases[i].rank, mask_sizes, NULL, list);
        program_input(&p, RL_FLOAT32, 1, nothing, NULL, seven);
        program_bool(&p, false);
        program_output(&p, RL_FLOAT32, 2, sizes, NULL);
        assert_int_equal(program_run(&p, "aten::index_put", "out"), cases[i].fits ? RL_OK : RL_ERROR_TYPE);
        if (cases[i].fits) {
            program_result(&p, 0, result, sizeof result);
        } else {
            assert_string_equal(p.error.message, "a mask has other sizes than the dimensions that it stands for");
        }
        for (int k = 0; cases[i].fits && k < 12; k++) {
            assert_true(result[k] == (mask[cases[i].rank == 2 ? k : k / 4] ? 7.0f : numbers[k]));
        }
        program_free(&p);
    }
}

static void refusals_name_the_type(void **state)
{
    (void)state;
    static const struct {
        enum rl_scalar_type dtype;
        const char *message;
    } cases[] = {{RL_UINT32, "the operator takes no elements of uint16, uint32 or uint64 here"}, {RL_FLOAT16, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_program p = {0};
        program_input(&p, cases[i].dtype, 1, two, NULL, numbers);
        program_output(&p, cases[i].dtype, 1, two, NULL);
        const bool is_taken = cases[i].message[0] == 0;
        assert_int_equal(program_run(&p, "aten::abs", "out"), is_taken ? RL_OK : RL_ERROR_TYPE);
        if (!is_taken) {
            assert_string_equal(p.error.message, cases[i].message);
        }
        program_free(&p);
    }
}

// Of one operator two forms, of which a firmware links the one that it lists.
static void only_wide_operators_take_float64(void **state)
{
    (void)state;
    static const struct rl_kernel *const forms[] = {&rl_kernel_aten_abs, &rl_kernel_wide_aten_abs};
    for (int wide = 0; wide < 2; wide++) {
        const struct rl_registry registry = {.kernels = &forms[wide], .count = 1};
        struct test_program p = {0};
        program_input(&p, RL_FLOAT64, 1, two, NULL, numbers);
        program_output(&p, RL_FLOAT64, 1, two, NULL);
        program_write(&p, "aten::abs", "out");
        assert_int_equal(rl_program_open(&p.program, p.file, p.file_bytes, &p.error), RL_OK);
        assert_int_equal(rl_program_verify(&p.program, &registry, &p.error), wide ? RL_OK : RL_ERROR_TYPE);
        if (!wide) {
            assert_string_equal(p.error.message, "the operator takes no elements of float64 here");
        }
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_checked_when_they_are_read),
        cmocka_unit_test(integers_are_not_divided_by_zero),
        cmocka_unit_test(a_masked_scatter_needs_enough_elements),
        cmocka_unit_test(floats_do_not_become_integers_by_themselves),
        cmocka_unit_test(masks_have_the_sizes_of_what_they_select),
        cmocka_unit_test(refusals_name_the_type),
        cmocka_unit_test(only_wide_operators_take_float64),
    };
    return cmocka_run_group_tests_name("portable operators and data", tests, NULL, NULL);
}
