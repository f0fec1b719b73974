// SPDX-License-Identifier: Apache-2.0
//
// What `rushlight inspect` shows of programs and models.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

// Makes the highest limit of an activation, 127, one that no kernel takes.
static void damage_an_argument(const char *path)
{
    const unsigned char limit[8] = {127};
    size_t size, places = 0;
    unsigned char *file = rl_read_bytes(path, &size);

    for (size_t i = 0; i + sizeof limit <= size; i += 4) {
        if (memcmp(file + i, limit, sizeof limit) == 0) {
            file[i + 1] = 1;
            places++;
        }
    }
    assert_true(places > 0);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(file, 1, size, stream), size);
    fclose(stream);
    free(file);
}

// What an operator refuses, maybe on this core only, does not keep anyone from looking at the program.
static void inspect_shows_programs_whose_arguments_are_refused(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte");

    json_decref(compile(program, NULL, NULL));
    damage_an_argument(program);
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", program, "--json", NULL});
    assert_true(json_object_size(json_object_get(report, "ops")) > 0);
    json_decref(report);
}

static void inspect_names_outputs_that_are_no_tensors(void **state)
{
    (void)state;
    static const char *const kinds[] = {"planned", "None", "int", "int", "float", "bool"};
    const char *words[] = {"inspect", RL_FIXTURES "/programs/numbers.pte", NULL, NULL};
    struct rl_process text = rl_process_run(rl_program_under_test(), words);
    words[2] = "--json";
    json_t *report = rl_process_json(rl_program_under_test(), words);
    const json_t *outputs = json_object_get(report, "outputs");

    assert_int_equal(text.status, 0);
    assert_null(strstr(text.out, "null"));
    assert_non_null(strstr(text.out, "  %18    float\n"));
    assert_int_equal(json_array_size(outputs), sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const json_t *kind = json_object_get(json_array_get(outputs, i), "kind");
        assert_string_equal(json_string_value(kind), kinds[i]);
    }
    json_decref(report);
    rl_process_free(&text);
}

// Runs inspect on a fixture; the caller frees both.
static json_t *inspect_fixture(const char *path, struct rl_process *text)
{
    const char *words[] = {"inspect", path, NULL, NULL};
    *text = rl_process_run(rl_program_under_test(), words);
    assert_int_equal(text->status, 0);
    words[2] = "--json";
    return rl_process_json(rl_program_under_test(), words);
}

// A tensor that keeps a state lies in the arena, all the time; its first value only is in the file.
static void inspect_shows_where_a_state_lies(void **state)
{
    (void)state;
    struct rl_process text;
    json_t *report = inspect_fixture(RL_FIXTURES "/programs/state.pte", &text);
    const json_t *tensor = json_array_get(json_object_get(report, "tensors"), 0);
    const json_t *entry = json_array_get(json_object_get(report, "memory_map"), 0);

    assert_string_equal(json_string_value(json_object_get(tensor, "kind")), "planned");
    assert_true(json_is_true(json_object_get(tensor, "initial_value")));
    assert_non_null(strstr(text.out, ", starts with a value\n"));
    assert_int_equal(integer(entry, "value"), integer(tensor, "value"));
    assert_int_equal(integer(entry, "first"), -1);
    assert_int_equal(integer(entry, "last"), json_array_size(json_object_get(report, "instructions")));
    json_decref(report);
    rl_process_free(&text);
}

// What a firmware copies into its registry, by the names of rushlight/registry.h.
static void inspect_lists_the_registry(void **state)
{
    (void)state;
    struct rl_process text;
    json_t *report = inspect_fixture(RL_FIXTURES "/programs/state.pte", &text);
    assert_non_null(strstr(text.out, "registry, with .flow = &rl_control_flow_all\n"
                                     "  &rl_kernel_aten_add,\n  &rl_kernel_dim_order_to_copy,\n"
                                     "  &rl_kernel_aten_mul,\n  &rl_kernel_aten_copy_,\n"));
    assert_true(json_is_true(json_object_get(report, "control_flow")));
    json_decref(report);
    rl_process_free(&text);

    const char *program = rl_temporary_path("registry.pte");
    json_decref(compile(program, NULL, NULL));
    report = inspect_fixture(program, &text);
    assert_non_null(strstr(text.out, "registry\n  &rl_kernel_cm_quantize_per_tensor,\n"));
    assert_int_equal(json_array_size(json_object_get(report, "registry")),
                     json_object_size(json_object_get(report, "ops")));
    assert_true(json_is_false(json_object_get(report, "control_flow")));
    json_decref(report);
    rl_process_free(&text);
}

// A method that computes nothing tells a number.
static void inspect_shows_the_numbers_that_methods_tell(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("told.pte");
    json_t *made = compile(program, "--io", "int8");
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"inspect", program, "--method", "input0_zp", "--json", NULL});
    const json_t *output = json_array_get(json_object_get(report, "outputs"), 0);
    const json_t *input = json_array_get(json_object_get(made, "inputs"), 0);

    assert_string_equal(json_string_value(json_object_get(output, "kind")), "int");
    assert_int_equal(integer(output, "is"), integer(input, "zero_point"));
    json_decref(report);
    json_decref(made);
}

static void inspect_agrees_with_compile(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte");
    json_t *made = compile(program, NULL, NULL);
    json_t *pte = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", program, "--json", NULL});
    json_t *pt2 = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", MODEL, "--json", NULL});

    assert_true(json_equal(json_object_get(made, "ops"), json_object_get(pte, "ops")));
    assert_true(json_equal(json_object_get(made, "ops"), json_object_get(pt2, "lowered_ops")));
    assert_int_equal(integer(made, "arena_bytes"), integer(pte, "arena_bytes"));
    assert_int_equal(integer(made, "constant_bytes"), integer(pte, "constant_bytes"));
    assert_int_equal(integer(made, "program_bytes"), integer(pte, "program_bytes"));
    const json_t *map = json_object_get(pte, "memory_map");
    for (size_t i = 0; i < json_array_size(map); i++) {
        const json_t *entry = json_array_get(map, i);
        assert_true(integer(entry, "offset") + integer(entry, "bytes") <= integer(made, "arena_bytes"));
        assert_true(integer(entry, "first") <= integer(entry, "last"));
    }
    assert_true(json_array_size(map) > 10);
    assert_string_equal(json_string_value(json_object_get(pt2, "format")), "pt2");
    assert_int_equal(json_array_size(json_object_get(pt2, "fp32_nodes")), 0);
    json_decref(made);
    json_decref(pte);
    json_decref(pt2);
}

// The numbers of rl_method_work: multiplications of keyword spotting, and a loop.
static void inspect_shows_the_work(void **state)
{
    (void)state;
    const char *words[] = {"inspect", RL_FIXTURES "/stock/ds_cnn/m4.pte", "--json", NULL};
    json_t *report = rl_process_json(rl_program_under_test(), words);
    const json_t *work = json_object_get(report, "work");
    assert_in_range(json_integer_value(json_object_get(work, "total")), 2656768, 2656768 * 5 / 4);
    assert_in_range(json_integer_value(json_object_get(work, "largest")), 320000, 640000);
    assert_int_equal(json_integer_value(json_object_get(work, "clearing")), 0);
    assert_true(json_is_false(json_object_get(work, "repeats")));
    json_decref(report);
    words[1] = RL_FIXTURES "/programs/scan.pte";
    report = rl_process_json(rl_program_under_test(), words);
    assert_true(json_is_true(json_object_get(json_object_get(report, "work"), "repeats")));
    assert_true(json_integer_value(json_object_get(json_object_get(report, "work"), "clearing")) > 0);
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inspect_shows_programs_whose_arguments_are_refused),
        cmocka_unit_test(inspect_names_outputs_that_are_no_tensors),
        cmocka_unit_test(inspect_shows_where_a_state_lies),
        cmocka_unit_test(inspect_lists_the_registry),
        cmocka_unit_test(inspect_shows_the_numbers_that_methods_tell),
        cmocka_unit_test(inspect_agrees_with_compile),
        cmocka_unit_test(inspect_shows_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
