// SPDX-License-Identifier: Apache-2.0
//
// `compile --bundle` and `run` on bundled programs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "format/bundle_reader.h"
#include "support/process.h"

enum { CASES = 8 };

static char program[256], bundle[256];

static json_t *answer(const char *const *words)
{
    return rl_process_json(rl_program_under_test(), words);
}

static void expect(const char *const *words, int status, const char *sentence)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    if (process.status != status || (!strstr(process.err, sentence) && !strstr(process.out, sentence))) {
        fail_msg("expected status %d and '%s', found %d, '%s', '%s'", status, sentence, process.status, process.out,
                 process.err);
    }
    rl_process_free(&process);
}

static const char *write_file(const char *name, const unsigned char *bytes, size_t size)
{
    const char *path = rl_temporary_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static void the_program_is_the_one_beside_it(void **state)
{
    (void)state;
    size_t size, bundle_size;
    unsigned char *own = rl_read_bytes(program, &size), *bytes = rl_read_bytes(bundle, &bundle_size);
    struct rl_bundle opened;

    assert_true(rl_bundle_open(&opened, bytes, bundle_size));
    assert_int_equal(opened.program_bytes, size);
    assert_memory_equal(opened.program, own, size);
    free(bytes);
    free(own);
}

// The expected outputs are those of the first samples, and every core gives them to the bit.
static void its_cases_pass(void **state)
{
    (void)state;
    static const char *const cores[] = {"host", "cortex-m4"};
    json_t *all = answer((const char *[]){"run", program, "--input", CALIBRATION, "--json", NULL});
    const json_t *expected = json_object_get(json_array_get(json_object_get(all, "outputs"), 0), "data");

    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        json_t *report = answer((const char *[]){"run", bundle, "--on", cores[i], "--json", NULL});
        const json_t *found = json_object_get(report, "bundle");
        const json_t *data = json_object_get(json_array_get(json_object_get(report, "outputs"), 0), "data"), *item;
        size_t index;
        assert_int_equal(integer(report, "samples"), CASES);
        assert_int_equal(integer(found, "cases"), CASES);
        assert_int_equal(integer(found, "passed"), CASES);
        assert_int_equal(integer(found, "identical"), CASES);
        assert_true(number(found, "largest_difference") == 0);
        assert_int_equal(json_array_size(data), CASES * 10);
        json_array_foreach(data, index, item)
        {
            assert_true(json_real_value(item) == json_real_value(json_array_get(expected, index)));
        }
        json_decref(report);
    }
    json_decref(all);
}

static void the_same_model_gives_the_same_bytes(void **state)
{
    (void)state;
    size_t size, again_size;
    const char *path = rl_temporary_path("again.bpte");
    json_decref(answer((const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--target", "any", "-o", path,
                                        "--bundle", "--json", NULL}));
    unsigned char *bytes = rl_read_bytes(bundle, &size), *again = rl_read_bytes(path, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    // Only the bundle was asked for.
    assert_int_not_equal(access(rl_temporary_path("again.pte"), F_OK), 0);
    free(again);
    free(bytes);
}

// An int8 program takes the integers of the same samples; a model without data the samples in it.
static void cases_have_the_types_of_the_program(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("int8.bpte"), *float_path = rl_temporary_path("float.bpte");
    json_decref(answer((const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--io", "int8", "-o", path,
                                        "--bundle", "--json", NULL}));
    json_t *report = answer((const char *[]){"run", path, "--json", NULL});
    assert_int_equal(integer(json_object_get(report, "bundle"), "identical"), CASES);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(json_object_get(report, "outputs"), 0), "dtype")), "int8");
    json_decref(report);
    json_t *compiled =
        answer((const char *[]){"compile", MODEL, "--quantize", "none", "-o", float_path, "--bundle", "--json", NULL});
    assert_int_equal(integer(json_object_get(compiled, "bundle"), "cases"), 1);
    json_decref(compiled);
    expect((const char *[]){"run", float_path, NULL}, 0, "1 of 1 cases of the bundle");
}

// Each case begins with the first states, whatever the one before left.
static void states_start_anew(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("state.bpte");
    json_decref(answer((const char *[]){"compile", RL_FIXTURES "/graphs/states.pt2", "--calibrate",
                                        RL_FIXTURES "/graphs/states.npz", "-o", path, "--bundle", "--json", NULL}));
    json_t *report = answer((const char *[]){"run", path, "--on", "m4", "--json", NULL});
    const json_t *found = json_object_get(report, "bundle");
    assert_true(integer(found, "cases") > 1);
    assert_int_equal(integer(found, "identical"), integer(found, "cases"));
    json_decref(report);
}

// ---- what does not pass

// Changes the first float that case 0 expects.
static const char *changed_bundle(float by)
{
    size_t size;
    unsigned char *bytes = rl_read_bytes(bundle, &size);
    struct rl_bundle opened;
    struct rl_fb_vector cases, values;
    struct rl_bundle_value value;
    float first;

    assert_true(rl_bundle_open(&opened, bytes, size));
    assert_true(rl_bundle_cases(&opened, "forward", &cases));
    assert_true(rl_bundle_values(&opened, &cases, 0, true, &values));
    assert_true(rl_bundle_value(&opened, &values, 0, &value));
    memcpy(&first, value.data, sizeof first);
    first += by;
    memcpy(bytes + (value.data - bytes), &first, sizeof first);
    const char *path = write_file("changed.bpte", bytes, size);
    free(bytes);
    return path;
}

static void another_output_fails(void **state)
{
    (void)state;
    const char *changed = changed_bundle(0.25f);
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"run", changed, "--json", NULL});
    json_t *report = json_loads(process.out, 0, NULL);
    const json_t *found = json_object_get(report, "bundle");

    assert_int_equal(process.status, 1);
    assert_int_equal(integer(found, "passed"), CASES - 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(found, "failed"), 0)), 0);
    assert_true(number(found, "largest_difference") > 0.2 && number(found, "largest_difference") < 0.3);
    json_decref(report);
    rl_process_free(&process);
    expect((const char *[]){"run", changed, "--atol", "0.3", NULL}, 0, "8 of 8 cases");
    expect((const char *[]){"run", changed, "--rtol", "1", NULL}, 0, "8 of 8 cases");
    expect((const char *[]){"run", changed, NULL}, 1, "not so: case 0");
    // Other samples are not its cases.
    expect((const char *[]){"run", changed, "--input", CALIBRATION, NULL}, 0, "samples on host");
    expect((const char *[]){"run", changed, "--rtol", "-1", NULL}, 2, "not negative");
}

static void damage_is_an_error(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = rl_read_bytes(bundle, &size);

    expect((const char *[]){"run", write_file("cut.bpte", bytes, size / 2), NULL}, 1, "the bundle is damaged");
    expect((const char *[]){"run", write_file("head.bpte", bytes, 8), NULL}, 1, "the bundle is damaged");
    free(bytes);
    expect((const char *[]){"compile", MODEL, "-o", rl_temporary_path("none.bpte"), NULL}, 2, "--bundle");
    expect((const char *[]){"run", RL_FIXTURES "/digits/digits.pt2", NULL}, 1, "digits.pt2");
}

// Whatever reads a program reads the one in a bundle.
static void other_verbs_read_it(void **state)
{
    (void)state;
    json_t *a = answer((const char *[]){"profile", bundle, "--on", "m4", "--json", NULL});
    json_t *b = answer((const char *[]){"profile", program, "--on", "m4", "--json", NULL});
    assert_int_equal(integer(a, "cycles"), integer(b, "cycles"));
    assert_int_equal(integer(a, "flash_bytes"), integer(b, "flash_bytes"));
    json_decref(a);
    json_decref(b);
    expect((const char *[]){"diff", bundle, program, NULL}, 0, "");
    expect((const char *[]){"inspect", bundle, NULL}, 0, "quantized_conv2d");
    expect((const char *[]){"check", MODEL, bundle, "--data", TEST_DATA, "--sqnr", "20", NULL}, 0, "passed");
}

static int setup(void **state)
{
    (void)state;
    snprintf(program, sizeof program, "%s", rl_temporary_path("digits.pte"));
    snprintf(bundle, sizeof bundle, "%s", rl_temporary_path("digits.bpte"));
    json_decref(answer((const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--target", "any", "-o", program,
                                        "--bundle", "--json", NULL}));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_is_the_one_beside_it),
        cmocka_unit_test(its_cases_pass),
        cmocka_unit_test(the_same_model_gives_the_same_bytes),
        cmocka_unit_test(cases_have_the_types_of_the_program),
        cmocka_unit_test(states_start_anew),
        cmocka_unit_test(another_output_fails),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(other_verbs_read_it),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
