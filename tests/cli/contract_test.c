// SPDX-License-Identifier: Apache-2.0
//
// Keys and words that scripts of others rely on: they may become more, but none may go, or mean something else.
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

static const char *program;

// One object on standard output, and nothing else there; the exit status may be 1 where that is an answer.
static json_t *object_of(const char *const *words)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    json_t *object = json_loads(process.out, 0, NULL);
    if (!object || process.status > 1) {
        fail_msg("%s: status %d, '%s', '%s'", words[0], process.status, process.out, process.err);
    }
    rl_process_free(&process);
    return object;
}

static void expect_keys(const json_t *object, const char *what, const char *const *keys)
{
    assert_true(json_is_object(object));
    for (; *keys; keys++) {
        if (!json_object_get(object, *keys)) {
            fail_msg("%s has no '%s'", what, *keys);
        }
    }
}

static void verbs_print_their_keys(void **state)
{
    (void)state;
    const char *other = rl_temporary_path("other.pte");
    const struct {
        const char *words[16], *keys[16];
    } verbs[] = {
        {{"compile", MODEL, "-o", other, "--calibrate", CALIBRATION, "--json"},
         {"arena_bytes", "lower_bound_bytes", "constant_bytes", "program_bytes", "ops", "fp32_nodes", "seconds"}},
        {{"run", program, "--json"}, {"outputs", "core", "instructions"}},
        {{"evaluate", MODEL, program, "--data", TEST_DATA, "--json"},
         {"samples", "top1_float", "top1_quantized", "agreement", "sqnr_db", "layers"}},
        {{"check", MODEL, program, "--data", TEST_DATA, "--sqnr", "20", "--json"}, {"passed"}},
        {{"inspect", program, "--json"}, {"ops", "tensors", "memory_map", "fp32_nodes"}},
        {{"inspect", MODEL, "--json"}, {"nodes", "ops", "tensors", "memory_map", "fp32_nodes"}},
        {{"profile", program, "--on", "cortex-m4", "--json"},
         {"core", "instructions", "cycles", "cycles_error_percent", "ops", "flash_bytes", "ram_bytes", "stack_bytes"}},
        {{"fit", program, "--board", "nano-33-ble", "--deadline", "50ms", "--json"},
         {"fits", "flash_bytes", "ram_bytes", "milliseconds", "milliseconds_error_percent", "limits", "hints"}},
        {{"diff", program, program, "--json"}, {"equal"}},
        {{"boards", "--json"}, {"boards"}},
        {{"targets", "--json"}, {"targets"}},
        {{"doctor", "--json"}, {"cores", "tools"}},
    };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        json_t *object = object_of(verbs[i].words);
        expect_keys(object, verbs[i].words[0], verbs[i].keys);
        json_decref(object);
    }
}

static void profile_tells_the_whole_need(void **state)
{
    (void)state;
    static const char *const of_operator[] = {"index", "operator", "layer", "macs", "instructions", "cycles", NULL};
    json_t *report = object_of((const char *[]){"profile", program, "--on", "cortex-m4", "--json", NULL});
    const json_t *ops = json_object_get(report, "ops"), *entry;
    size_t index;

    assert_true(json_array_size(ops) > 0);
    json_array_foreach(ops, index, entry)
    {
        expect_keys(entry, "an operator", of_operator);
    }
    assert_int_equal(integer(report, "flash_bytes"), integer(report, "program_bytes") + integer(report, "code_bytes"));
    assert_int_equal(integer(report, "ram_bytes"), integer(report, "arena_bytes") + integer(report, "state_bytes") +
                                                       integer(report, "stack_bytes") +
                                                       integer(report, "variable_bytes"));
    // Code that verifies, runs and reads this program is neither nothing nor all that there is.
    assert_true(integer(report, "code_bytes") > 8 * 1024 && integer(report, "code_bytes") < 128 * 1024);
    assert_true(integer(report, "trusted_code_bytes") < integer(report, "code_bytes"));
    json_decref(report);
}

// What cannot be told is null, with a sentence, and not a number that looks like one.
static void what_profile_cannot_tell_is_null(void **state)
{
    (void)state;
    const char *folder = getenv("RUSHLIGHT_FIRMWARE");
    static const char *const nulls[] = {"flash_bytes", "ram_bytes", "code_bytes"};
    json_t *host = object_of((const char *[]){"profile", program, "--on", "host", "--json", NULL});
    json_t *waiting =
        object_of((const char *[]){"profile", program, "--on", "m4", "--wait-states", "3", "--json", NULL});

    assert_non_null(folder);
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        assert_true(json_is_null(json_object_get(host, nulls[i])));
    }
    assert_true(json_is_null(json_object_get(waiting, "cycles_error_percent")));
    json_decref(host);
    json_decref(waiting);
}

static void fit_has_its_totals_beside_their_limits(void **state)
{
    (void)state;
    json_t *report = object_of((const char *[]){"fit", program, "--core", "m4", "--flash", "100000", "--ram", "20000",
                                                "--clock", "64MHz", "--deadline", "50ms", "--json", NULL});
    json_t *profile = object_of((const char *[]){"profile", program, "--on", "m4", "--json", NULL});
    const json_t *limits = json_object_get(report, "limits");

    assert_int_equal(integer(report, "flash_bytes"), integer(profile, "flash_bytes"));
    assert_int_equal(integer(report, "ram_bytes"), integer(profile, "ram_bytes"));
    assert_true(number(report, "milliseconds") == (double)integer(profile, "cycles") / 64e3);
    assert_true(number(report, "milliseconds_error_percent") == number(profile, "cycles_error_percent"));
    assert_int_equal(integer(limits, "flash_bytes"), 100000);
    assert_int_equal(integer(limits, "ram_bytes"), 20000);
    assert_true(number(limits, "milliseconds") == 50);
    json_decref(profile);
    json_decref(report);
}

// Both names of the default effort.
static void words_of_options_are_accepted(void **state)
{
    (void)state;
    static const char *const efforts[] = {"best", "full", "fast"};
    json_int_t bytes[3];

    for (size_t i = 0; i < 3; i++) {
        json_t *report =
            object_of((const char *[]){"compile", MODEL, "-o", rl_temporary_path("effort.pte"), "--calibrate",
                                       CALIBRATION, "--accuracy", efforts[i], "--json", NULL});
        bytes[i] = integer(report, "program_bytes");
        json_decref(report);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_true(bytes[2] > 0);
}

static int setup(void **state)
{
    (void)state;
    static char path[256];
    snprintf(path, sizeof path, "%s", rl_temporary_path("digits.pte"));
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--target", "cortex-m4",
                                                 "-o", path, "--json", NULL}));
    program = path;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verbs_print_their_keys),           cmocka_unit_test(profile_tells_the_whole_need),
        cmocka_unit_test(what_profile_cannot_tell_is_null), cmocka_unit_test(fit_has_its_totals_beside_their_limits),
        cmocka_unit_test(words_of_options_are_accepted),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
