// SPDX-License-Identifier: Apache-2.0
//
// `rushlight diff`: what it says of equal and of different programs, and its exit status, on which builds rely.
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

enum { SAMPLES = 360 };

static const char *compiled(const char *name, const char *option, const char *value)
{
    const char *path = rl_temporary_path(name);
    json_decref(compile_stock(path, option, value));
    return path;
}

// Runs diff, expects an exit status and returns what it prints as JSON.
static json_t *diff(const char *a, const char *b, int status, const char *const *options)
{
    const char *words[16] = {"diff", a, b, "--json"};
    for (int i = 0; options && options[i]; i++) {
        words[4 + i] = options[i];
    }
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    if (process.status != status) {
        fail_msg("expected exit status %d, found %d: %s", status, process.status, process.err);
    }
    json_t *report = json_loads(process.out, 0, NULL);
    assert_non_null(report);
    rl_process_free(&process);
    return report;
}

static json_int_t of(const json_t *report, const char *key, const char *side)
{
    return integer(json_object_get(report, key), side);
}

static void equal_programs_give_0(void **state)
{
    (void)state;
    const char *a = compiled("a.pte", NULL, NULL), *b = compiled("b.pte", NULL, NULL);
    json_t *report = diff(a, b, 0, (const char *[]){"--input", TEST_DATA, NULL});
    const json_t *result = json_array_get(json_object_get(report, "results"), 0);
    size_t size;

    free(rl_read_bytes(a, &size));
    assert_true(json_is_true(json_object_get(report, "equal")));
    assert_true(json_is_true(json_object_get(report, "calls_equal")));
    assert_true(json_is_true(json_object_get(report, "constants_equal")));
    assert_int_equal(of(report, "program_bytes", "a"), size);
    assert_int_equal(of(report, "program_bytes", "b"), size);
    assert_true(number(json_object_get(report, "arena_bytes"), "percent") == 0);
    assert_int_equal(json_array_size(json_object_get(report, "inputs")), 0);
    assert_int_equal(integer(report, "samples"), SAMPLES);
    assert_true(json_is_true(json_object_get(result, "equal")));
    assert_true(number(result, "agreement") == 1);
    json_decref(report);
}

static json_int_t calls_of(const json_t *report, const char *op, const char *side)
{
    size_t index;
    const json_t *entry;

    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "op")), op) == 0) {
            return integer(entry, side);
        }
    }
    fail_msg("'%s' is in none of the programs", op);
    return 0;
}

// The same model with int8 inputs and outputs: two calls and the types of both sides differ, the numbers do not.
static void a_changed_interface_is_shown(void **state)
{
    (void)state;
    const char *a = compiled("a.pte", NULL, NULL), *b = compiled("b.pte", "--io", "int8");
    json_t *report = diff(a, b, 1, (const char *[]){"--input", TEST_DATA, NULL});
    const json_t *input = json_array_get(json_object_get(report, "inputs"), 0);
    const json_t *result = json_array_get(json_object_get(report, "results"), 0);

    assert_false(json_is_true(json_object_get(report, "equal")));
    assert_false(json_is_true(json_object_get(report, "calls_equal")));
    assert_true(json_is_true(json_object_get(report, "constants_equal")));
    assert_int_equal(of(report, "calls", "a") - of(report, "calls", "b"), 2);
    assert_int_equal(calls_of(report, "cortex_m::quantize_per_tensor", "a"), 1);
    assert_int_equal(calls_of(report, "cortex_m::quantize_per_tensor", "b"), 0);
    assert_int_equal(calls_of(report, "cortex_m::quantized_add", "a"),
                     calls_of(report, "cortex_m::quantized_add", "b"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(input, "a"), "dtype")), "float32");
    assert_string_equal(json_string_value(json_object_get(json_object_get(input, "b"), "dtype")), "int8");
    assert_non_null(json_object_get(json_object_get(input, "b"), "scale"));
    assert_int_equal(json_array_size(json_object_get(report, "outputs")), 1);
    assert_false(json_is_true(json_object_get(result, "equal")));
    assert_int_equal(integer(result, "equal_samples"), 0);
    assert_true(number(result, "sqnr_db") == 200);
    assert_true(number(result, "agreement") == 1);
    json_decref(report);
}

// Two quantizers: the ratio between them is that of their errors, and most answers agree.
static void results_are_compared(void **state)
{
    (void)state;
    const char *a = rl_temporary_path("a.pte"), *b = compiled("b.pte", NULL, NULL);
    json_decref(compile(a, NULL, NULL));
    json_t *report = diff(a, b, 1, (const char *[]){"--input", TEST_DATA, NULL});
    const json_t *result = json_array_get(json_object_get(report, "results"), 0);

    assert_true(number(result, "sqnr_db") > 25 && number(result, "sqnr_db") < 45);
    assert_true(number(result, "agreement") > 0.98 && number(result, "agreement") < 1);
    assert_int_equal(calls_of(report, "rushlight::quantized_avg_pool2d", "b"), 0);
    assert_int_equal(calls_of(report, "cortex_m::quantized_avg_pool2d", "a"), 0);
    json_decref(report);
}

// With a threshold, different programs pass unless it is exceeded; the file with floats is much larger.
static void thresholds_decide_alone(void **state)
{
    (void)state;
    const char *a = compiled("a.pte", NULL, NULL), *b = rl_temporary_path("b.pte");
    json_decref(compile(b, NULL, NULL));
    json_decref(diff(a, b, 0, (const char *[]){"--fail-if-larger", "5", NULL}));
    json_decref(diff(a, b, 0, (const char *[]){"--sqnr", "25", "--input", TEST_DATA, NULL}));
    json_t *report = diff(a, b, 1, (const char *[]){"--sqnr", "60", "--input", TEST_DATA, NULL});
    assert_int_equal(json_array_size(json_object_get(report, "exceeded")), 1);
    json_decref(report);

    b = compiled("float.pte", "--quantize", "none");
    report = diff(a, b, 1, (const char *[]){"--fail-if-larger", "5", NULL});
    const char *sentence = json_string_value(json_array_get(json_object_get(report, "exceeded"), 0));
    assert_non_null(strstr(sentence, "file bytes"));
    json_decref(report);
    json_decref(diff(b, a, 0, (const char *[]){"--fail-if-larger", "0", NULL}));
    json_decref(diff(a, b, 0, (const char *[]){"--fail-if-larger", "10000", NULL}));
}

// Weights that were rounded in another way: as many bytes, but other ones.
static void changed_weights_are_found(void **state)
{
    (void)state;
    const char *a = rl_temporary_path("a.pte"), *b = rl_temporary_path("b.pte");
    json_decref(compile(a, NULL, NULL));
    json_decref(compile(b, "--accuracy", "fast"));
    json_t *report = diff(a, b, 1, NULL);

    assert_true(json_is_false(json_object_get(report, "constants_equal")));
    assert_int_equal(of(report, "constant_bytes", "a"), of(report, "constant_bytes", "b"));
    assert_null(json_object_get(report, "results"));
    json_decref(report);
}

// On a core, both take what profile says; against the model, they are as close as evaluate says.
static void costs_and_accuracy_are_side_by_side(void **state)
{
    (void)state;
    const char *programs[] = {compiled("a.pte", NULL, NULL), compiled("b.pte", "--io", "int8")};
    static const char *const sides[] = {"a", "b"}, *const costs[] = {"cycles", "flash_bytes", "ram_bytes"};
    static const char *const figures[] = {"top1_quantized", "agreement", "sqnr_db"};
    json_t *report =
        diff(programs[0], programs[1], 1, (const char *[]){"--on", "m4", "--model", MODEL, "--data", TEST_DATA, NULL});
    const json_t *accuracy = json_object_get(report, "accuracy");

    for (size_t i = 0; i < 2; i++) {
        json_t *profile = rl_process_json(rl_program_under_test(),
                                          (const char *[]){"profile", programs[i], "--on", "m4", "--json", NULL});
        json_t *evaluation =
            rl_process_json(rl_program_under_test(),
                            (const char *[]){"evaluate", MODEL, programs[i], "--data", TEST_DATA, "--json", NULL});
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(of(report, costs[k], sides[i]), integer(profile, costs[k]));
            assert_true(number(json_object_get(accuracy, figures[k]), sides[i]) == number(evaluation, figures[k]));
        }
        json_decref(profile);
        json_decref(evaluation);
    }
    assert_int_equal(integer(accuracy, "samples"), SAMPLES);
    assert_true(of(report, "cycles", "a") > of(report, "cycles", "b")); // which converts no floats
    json_decref(report);
    json_decref(diff(programs[0], programs[1], 0, (const char *[]){"--on", "m4", "--fail-if-slower", "0", NULL}));
    json_decref(diff(programs[1], programs[0], 1, (const char *[]){"--on", "m4", "--fail-if-slower", "0", NULL}));
}

static void expect_error(const char *const *words, const char *expected)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);

    if (process.status != 2 || process.out[0] != '\0' || !strstr(process.err, expected)) {
        fail_msg("expected exit status 2 and '%s', found %d, '%s', '%s'", expected, process.status, process.out,
                 process.err);
    }
    rl_process_free(&process);
}

static void errors_give_2(void **state)
{
    (void)state;
    const char *a = compiled("a.pte", NULL, NULL), *state_program = RL_FIXTURES "/programs/state.pte";

    expect_error((const char *[]){"diff", a, "absent.pte", NULL}, "absent.pte");
    expect_error((const char *[]){"diff", MODEL, a, NULL}, "digits.pt2");
    expect_error((const char *[]){"diff", a, NULL}, "A.pte B.pte");
    expect_error((const char *[]){"diff", a, a, "--sqnr", "20", NULL}, "--sqnr needs --input");
    expect_error((const char *[]){"diff", a, a, "--fail-if-larger", "-1", NULL}, "--fail-if-larger");
    expect_error((const char *[]){"diff", a, a, "--fail-if-slower", "1", NULL}, "--fail-if-slower needs --on");
    expect_error((const char *[]){"diff", a, a, "--on", "host", NULL}, "--on host");
    expect_error((const char *[]){"diff", a, a, "--on", "m85", NULL}, "m85");
    expect_error((const char *[]){"diff", a, a, "--model", MODEL, NULL}, "want each other");
    expect_error((const char *[]){"diff", a, a, "--fail-if-larger", "many", NULL}, "many");
    expect_error((const char *[]){"diff", a, a, "--input", "absent.npz", NULL}, "absent.npz");
    expect_error((const char *[]){"diff", a, state_program, "--input", TEST_DATA, NULL}, "state.pte");
}

static void the_table_says_what_changed(void **state)
{
    (void)state;
    const char *a = compiled("a.pte", NULL, NULL), *b = compiled("b.pte", "--io", "int8");
    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){"diff", a, b, NULL});
    const char *const expected[] = {"file bytes",
                                    "arena bytes",
                                    "removed cortex_m::quantize_per_tensor: 1, 0",
                                    "calls or their arguments differ",
                                    "input 0",
                                    "the files differ"};

    assert_int_equal(process.status, 1);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (!strstr(process.out, expected[i])) {
            fail_msg("expected '%s', found '%s'", expected[i], process.out);
        }
    }
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_programs_give_0),       cmocka_unit_test(a_changed_interface_is_shown),
        cmocka_unit_test(results_are_compared),        cmocka_unit_test(thresholds_decide_alone),
        cmocka_unit_test(changed_weights_are_found),   cmocka_unit_test(errors_give_2),
        cmocka_unit_test(the_table_says_what_changed), cmocka_unit_test(costs_and_accuracy_are_side_by_side),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
