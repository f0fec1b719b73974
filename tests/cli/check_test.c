// SPDX-License-Identifier: Apache-2.0
//
// `check`: its exit status tells whether what was demanded holds, on the host and on every emulated core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

#define GATES       RL_FIXTURES "/reports/gates.pt2"
#define GATES_CALIB RL_FIXTURES "/reports/gates.calib.npz"
#define GATES_EVAL  RL_FIXTURES "/reports/gates.eval.npz"
#define STOCK       RL_FIXTURES "/stock/digits_cnn/"

static const char *program;

static int compile_gates(void **state)
{
    (void)state;
    program = rl_temporary_path("checked.pte");
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", GATES, "-o", program, "--calibrate",
                                                                  GATES_CALIB, "--target", "any", "--json", NULL}));
    return 0;
}

static struct rl_process check(const char *option, const char *value)
{
    return rl_process_run(rl_program_under_test(), (const char *[]){"check", GATES, program, "--data", GATES_EVAL,
                                                                    "--json", option, value, NULL});
}

static void the_exit_status_tells(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value;
        int status;
    } cases[] = {
        {"--ops", "cortex_m::quantized_conv2d=3", 0},
        {"--ops", "cortex_m::quantized_conv2d=4", 1},
        {"--ops", "cortex_m::quantized_activation=3", 0},
        {"--ops", "aten::convolution=0", 0},
        {"--ops", "aten::convolution=1", 1},
        {"--steps", "8", 0},
        {"--steps", "0.05", 1},
        {"--sqnr", "40", 0},
        {"--sqnr", "70", 1},
        {"--top1", "0.8", 0},
        {"--top1", "1.01", 1},
        {"--agreement", "0.9", 0},
        {"--agreement", "1.01", 1},
        {"--no-float", NULL, 0},
        {"--steps", "few", 2},
        {"--sqnr", "", 2},
        {"--ops", "cortex_m::quantized_conv2d", 2},
        {"--ops", "=2", 2},
        {"--ops", "cortex_m::quantized_conv2d=3x", 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rl_process process = check(cases[i].option, cases[i].value);
        if (process.status != cases[i].status) {
            fail_msg("%s %s: exit status %d, '%s'", cases[i].option, cases[i].value ? cases[i].value : "",
                     process.status, process.err);
        }
        json_t *report = json_loads(process.out, 0, NULL);
        assert_int_equal(!report, cases[i].status == 2);
        if (report) {
            assert_int_equal(json_is_true(json_object_get(report, "passed")), cases[i].status == 0);
            assert_int_equal(json_array_size(json_object_get(report, "checks")), 1);
        }
        json_decref(report);
        rl_process_free(&process);
    }
}

// An operator that the program does not call may be misspelt.
static void misspelt_operators_are_told(void **state)
{
    (void)state;
    struct rl_process process = check("--ops", "cortex_m::quantised_conv2d=3");

    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.err, "has no call of 'cortex_m::quantised_conv2d' (did you mean "
                                        "'cortex_m::quantized_conv2d'?)"));
    rl_process_free(&process);
    process = check("--ops", "aten::convolution=0");
    assert_null(strstr(process.err, "warning"));
    rl_process_free(&process);
}

// A signal has no top-1, and a float program has calls in floating point: neither passes silently.
static void what_cannot_be_found_fails(void **state)
{
    (void)state;
    const char *other = rl_temporary_path("other.pte");

    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"compile", GATES, "-o", other, "--quantize", "none", "--json", NULL}));
    struct rl_process process = rl_process_run(
        rl_program_under_test(), (const char *[]){"check", GATES, other, "--data", GATES_EVAL, "--no-float", NULL});
    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.out, "FAILED  calls in floating point"));
    rl_process_free(&process);
    process = rl_process_run(rl_program_under_test(), (const char *[]){"check", GATES, program, "--data", GATES_CALIB,
                                                                       "--top1", "0.1", NULL}); // without labels
    assert_int_equal(process.status, 1);
    rl_process_free(&process);
}

// A program of the stock flow against the graph that PT2E quantized, as ExecuTorch's tester compares them.
static void a_quantized_graph_is_the_reference(void **state)
{
    (void)state;
    struct rl_process process = rl_process_run(rl_program_under_test(),
                                               (const char *[]){"check", STOCK "quant.pt2", STOCK "m4.pte", "--data",
                                                                STOCK "calib.npz", "--steps", "1", "--no-float", NULL});
    if (process.status != 0) {
        fail_msg("exit status %d: %s%s", process.status, process.out, process.err);
    }
    rl_process_free(&process);
}

static void every_core_is_checked(void **state)
{
    (void)state;
    static const char *const cores[] = {"cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"};

    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        for (int wrong = 0; wrong < 2; wrong++) {
            struct rl_process process = rl_process_run(
                rl_program_under_test(), (const char *[]){"check", GATES, program, "--data", GATES_EVAL, "--on",
                                                          cores[i], "--steps", wrong ? "0.05" : "8", NULL});
            if (strstr(process.err, "rushlight_runner.elf: No such file or directory") ||
                strstr(process.err, "qemu-system-arm is not installed")) {
                print_message("%s is left out: %s", cores[i], process.err);
            } else {
                assert_int_equal(process.status, wrong);
                assert_non_null(strstr(process.out, cores[i]));
            }
            rl_process_free(&process);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_status_tells),      cmocka_unit_test(misspelt_operators_are_told),
        cmocka_unit_test(what_cannot_be_found_fails), cmocka_unit_test(a_quantized_graph_is_the_reference),
        cmocka_unit_test(every_core_is_checked),
    };
    return cmocka_run_group_tests(tests, compile_gates, NULL);
}
