// SPDX-License-Identifier: Apache-2.0
//
// `rushlight profile` where it cannot tell everything, or nothing: it says so, and never shows a part as the whole.
#define _XOPEN_SOURCE 700
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

#include "cli/digits.h"
#include "support/process.h"

#define STOCK RL_FIXTURES "/stock/digits_cnn/m4.pte"

// Runs profile with these words, and expects a status, and a text on the output or, if it fails, with the errors.
static void expect(int status, const char *text, const char *const *options)
{
    const char *words[16] = {"profile"};
    for (int i = 0; options[i]; i++) {
        words[1 + i] = options[i];
    }
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    const char *printed = status == 0 ? process.out : process.err;
    if (process.status != status || !strstr(printed, text)) {
        fail_msg("expected status %d and '%s', found %d and '%s'", status, text, process.status, printed);
    }
    if (status == 2) {
        assert_string_equal(process.out, "");
    }
    rl_process_free(&process);
}

#define EXPECT(status, text, ...) expect(status, text, (const char *[]){__VA_ARGS__, NULL})

static void cores_that_are_not_emulated(void **state)
{
    (void)state;
    EXPECT(2, "this core is not emulated, so nothing can be measured on it; the same kernels run on cortex-m55", STOCK,
           "--on", "cortex-m85");
    EXPECT(2, "the same kernels run on cortex-m0, cortex-m3", STOCK, "--on", "M0+");
    EXPECT(2, "'cortex-m44' is not known (did you mean", STOCK, "--on", "cortex-m44");
    EXPECT(2, "--on CORE is missing", STOCK);
    EXPECT(2, "there is no board 'nano-33-bel' (did you mean 'nano-33-ble'?)", STOCK, "--board", "nano-33-bel");
    EXPECT(2, "--board ek-ra8m1: cortex-m85 is not emulated, so nothing can be measured on it", STOCK, "--board",
           "ek-ra8m1");
}

static void options_that_contradict(void **state)
{
    (void)state;
    EXPECT(2, "expected a frequency such as 80MHz, found '80'", STOCK, "--on", "m4", "--clock", "80");
    EXPECT(2, "expected a frequency such as 80MHz, found '-1MHz'", STOCK, "--on", "m4", "--clock", "-1MHz");
    EXPECT(2, "expected a frequency such as 80MHz, found 'nanMHz'", STOCK, "--on", "m4", "--clock", "nanMHz");
    EXPECT(2, "--wait-states: expected at most 100 cycles, found 101", STOCK, "--on", "m4", "--wait-states", "101");
    EXPECT(2, "--clock is for emulated cores", STOCK, "--on", "host", "--clock", "80MHz");
    EXPECT(2, "--wait-states is for emulated cores", STOCK, "--on", "host", "--wait-states", "1");
    EXPECT(2, "--json and --csv are two forms", STOCK, "--on", "m4", "--json", "--csv");
    EXPECT(2, "several programs need --all-cores", STOCK, STOCK, "--on", "m4");
    EXPECT(2, "--on is not for a board, whose core is cortex-m4", STOCK, "--on", "m4", "--board", "nano-33-ble");
    EXPECT(2, "--all-cores is not for a board", STOCK, "--all-cores", "--board", "nano-33-ble");
    EXPECT(2, "--all-cores and --on exclude each other", STOCK, "--all-cores", "--on", "m4");
    EXPECT(2, "--all-cores and --compare exclude each other", STOCK, "--all-cores", "--compare", STOCK);
    EXPECT(2, "--csv lists the operators of one program", STOCK, "--on", "m4", "--compare", STOCK, "--csv");
    EXPECT(2, "expected 1 to 16 operands", "--on", "m4");
}

static void files_that_are_no_programs(void **state)
{
    (void)state;
    EXPECT(1, "no-such.pte", "no-such.pte", "--on", "m4");
    EXPECT(1, "digits.pt2", MODEL, "--on", "m4");
    EXPECT(1, "digits.pt2", STOCK, "--on", "m4", "--compare", MODEL);
}

// Programs without names, ours and those of others: all figures but layers.
static void programs_without_names(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("unnamed.pte");
    json_decref(compile(path, "--no-names", NULL));
    const char *const programs[] = {path, STOCK};

    for (int i = 0; i < 2; i++) {
        EXPECT(0, "not known: layers: the program does not name them", programs[i], "--on", "m4");
        EXPECT(0, "kinds of operators: cycles", programs[i], "--on", "m4");
        const char *words[] = {"profile", programs[i], "--on", "m4", "--json", NULL};
        json_t *report = rl_process_json(rl_program_under_test(), words);
        assert_int_equal(json_array_size(json_object_get(report, "layers")), 0);
        assert_int_equal(json_array_size(json_object_get(report, "unknown")), 1);
        assert_true(integer(report, "macs") > 70000);
        assert_true(integer(report, "cycles") > 100000);
        json_decref(report);
    }
}

// A copy of the stock program that calls an operator of another name.
static const char *with_unknown_operator(void)
{
    const char *path = rl_temporary_path("unknown.pte"), *name = "quantized_linear";
    size_t size, changed = 0;
    unsigned char *bytes = rl_read_bytes(STOCK, &size);

    assert_non_null(bytes);
    for (size_t i = 0; i + strlen(name) <= size; i++) {
        if (memcmp(bytes + i, name, strlen(name)) == 0) {
            bytes[i + strlen(name) - 1] = 'x';
            changed++;
        }
    }
    assert_true(changed > 0);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    return path;
}

static void operators_that_are_not_known(void **state)
{
    (void)state;
    const char *path = with_unknown_operator();
    EXPECT(1, "nothing can be measured, because the runtime does not have cortex_m::quantized_lineax", path, "--on",
           "m4");
    EXPECT(1, "'rushlight inspect' shows what the file tells", path, "--on", "host");
}

// A table with a hole says so, and fails.
static void a_table_that_is_not_whole(void **state)
{
    (void)state;
    const char *unknown = with_unknown_operator();
    const char *words[] = {"profile", STOCK, unknown, "--all-cores", NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);

    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.out, "not measured on cortex-m4: "));
    assert_non_null(strstr(process.out, "cortex_m::quantized_lineax"));
    rl_process_free(&process);
}

// A table of one program has all cores, with the figures of each alone.
static void a_whole_table(void **state)
{
    (void)state;
    const char *table_words[] = {"profile", STOCK, "--all-cores", "--json", NULL};
    const char *words[] = {"profile", STOCK, "--on", "m7", "--json", NULL};
    json_t *table = rl_process_json(rl_program_under_test(), table_words);
    json_t *alone = rl_process_json(rl_program_under_test(), words);
    const json_t *results = json_object_get(table, "results"), *entry;
    size_t index;

    assert_true(json_is_true(json_object_get(table, "whole")));
    assert_int_equal(json_array_size(results), json_array_size(json_object_get(table, "cores")));
    json_array_foreach(results, index, entry)
    {
        assert_true(integer(entry, "cycles") > 0);
        if (strcmp(json_string_value(json_object_get(entry, "core")), "cortex-m7") == 0) {
            assert_int_equal(integer(entry, "cycles"), integer(alone, "cycles"));
        }
    }
    json_decref(table);
    json_decref(alone);
}

// Without what the emulator needs, the message says which command makes it.
static void firmware_that_is_missing(void **state)
{
    (void)state;
    char *before = strdup(getenv("RUSHLIGHT_FIRMWARE"));
    setenv("RUSHLIGHT_FIRMWARE", "/nowhere", 1);
    EXPECT(1, "scripts/build --core m4 builds it (or set RUSHLIGHT_FIRMWARE)", STOCK, "--on", "m4");
    setenv("RUSHLIGHT_FIRMWARE", before, 1);
    free(before);
}

// Times have the error that is known, and none is made up where none is.
static void times_have_their_error(void **state)
{
    (void)state;
    EXPECT(0, " ms at 64 MHz, give or take 10 %\n", STOCK, "--on", "m4", "--clock", "64MHz");
    EXPECT(0, " ms at 48 MHz\n", STOCK, "--on", "m0", "--clock", "48MHz");
    EXPECT(0, " ms at 64 MHz\n", STOCK, "--on", "m4", "--clock", "64MHz", "--wait-states", "2");
}

// What is said of each model stands in bench/MODEL.md.
static void errors_are_those_of_the_model(void **state)
{
    (void)state;
    static const char *const cores[] = {"m0", "m3", "m4", "m7", "m33", "m55"};
    size_t size;
    unsigned char *bytes = rl_read_bytes(RL_CYCLE_MODEL, &size);
    assert_non_null(bytes);
    char *page = strndup((const char *)bytes, size);

    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const char *words[] = {"profile", STOCK, "--on", cores[i], "--json", NULL};
        json_t *report = rl_process_json(rl_program_under_test(), words);
        const char *error = json_string_value(json_object_get(json_object_get(report, "cycle_model"), "error"));
        if (!error || !strstr(page, error)) {
            fail_msg("bench/MODEL.md does not say of the %s: %s", cores[i], error ? error : "(nothing)");
        }
        json_decref(report);
    }
    free(page);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_that_are_not_emulated),
        cmocka_unit_test(options_that_contradict),
        cmocka_unit_test(files_that_are_no_programs),
        cmocka_unit_test(programs_without_names),
        cmocka_unit_test(operators_that_are_not_known),
        cmocka_unit_test(a_table_that_is_not_whole),
        cmocka_unit_test(a_whole_table),
        cmocka_unit_test(firmware_that_is_missing),
        cmocka_unit_test(times_have_their_error),
        cmocka_unit_test(errors_are_those_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
