// SPDX-License-Identifier: Apache-2.0
//
// Wrong usage: exit code 2, nothing on stdout, and a sentence that names what was found and what is accepted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/process.h"

#define MODEL RL_FIXTURES "/digits/digits.pt2"

struct wrong {
    const char *words[10];
    const char *expected[5]; // all of them in the message
};

static const struct wrong wrongs[] = {
    {{NULL}, {"usage", "compile", "inspect"}},
    {{"compiel", "x"}, {"compiel'", "(did you mean 'compile'?)"}},
    {{"compile", MODEL}, {"-o"}},
    {{"compile", "-o", "x.pte"}, {"MODEL.pt2"}},
    {{"compile", MODEL, "-o"}, {"-o", "value"}},
    {{"compile", MODEL, MODEL, "-o", "x.pte"}, {"operand"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantise", "int8"},
     {"option '--quantise' is not known (did you mean '--quantize'?)", "--target"}},
    {{"compile", MODEL, "-o", "x.pte", "--treads=2"}, {"'--treads'", "(did you mean '--threads'?)"}},
    {{"compile", MODEL, "-o", "x.pte", "--quan", "int8"}, {"(did you mean '--quantize' or '--quantizer'?)"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantize", "int7"}, {"int7", "int8, none"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantize", "a16w8", "--quantizer", "stock"}, {"a16w8", "--quantizer stock"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantize", "a16w8", "--io", "int8"}, {"a16w8", "--io int8", "--io float"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantize", "a16w8", "--for", "executorch"},
     {"a16w8", "--for executorch", "ExecuTorch does not have"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantize", "a8w4"}, {"a8w4", "not supported yet"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantizer", "worst"}, {"'worst' is not known;", "best, stock"}},
    {{"compile", MODEL, "-o", "x.pte", "--quantizer", "bets"}, {"(did you mean 'best'?)", "best, stock"}},
    {{"compile", MODEL, "-o", "x.pte", "--io", "flaot"}, {"(did you mean 'float'?)", "float, int8"}},
    {{"compile", MODEL, "-o", "x.pte", "--io", "int4"}, {"int4", "float, int8"}},
    {{"compile", MODEL, "-o", "x", "--emit", "d"}, {"'d' is not known", "pte, c"}},
    {{"compile", MODEL, "-o", "x", "--emit", "c", "--arena", "mine"}, {"static, caller"}},
    {{"compile", MODEL, "-o", "x.pte", "--with-kernels"}, {"--with-kernels goes with --emit c"}},
    {{"firmware", MODEL, "-o", "x"}, {"--target CORE or --board BOARD"}},
    {{"firmware", MODEL, "-o", "x", "--board", "nano-33-bel"}, {"(did you mean 'nano-33-ble'"}},
    {{"compile", MODEL, "-o", "x.pte", "--for", "tflite"}, {"tflite", "rushlight, executorch"}},
    {{"compile", MODEL, "-o", "x.pte", "--explicit-layout", "--quantize", "none"},
     {"--explicit-layout", "--quantize none", "_nhwc"}},
    {{"compile", MODEL, "-o", "x.pte", "--target", "cortex-a53"}, {"cortex-a53", "cortex-m0", "cortex-m85", "any"}},
    {{"compile", MODEL, "-o", "x.pte", "--target", "cortex-m4+mve"}, {"mve", "cortex-m4", "scalar, dsp"}},
    {{"compile", MODEL, "-o", "x.pte", "--max-arena", "lots"}, {"--max-arena", "lots"}},
    {{"compile", MODEL, "-o", "x.pte", "--max-arena", "-5"}, {"--max-arena", "-5"}},
    {{"compile", MODEL, "-o", "x.pte", "-o", "y.pte"}, {"twice"}},
    {{"compile", MODEL, "-o", "x.pte", "--dump-after", "magic"}, {"magic", "canonicalize", "assign_layout"}},
    {{"compile", MODEL, "-o", "x.pte", "--dump-after", "lower_cnov"}, {"(did you mean 'lower_conv'?)"}},
    {{"compile", MODEL, "-o", "x.pte", "--target", "cortex-m4f"}, {"(did you mean 'cortex-m4'?)"}},
    {{"compile", MODEL, "-o", "x.pte", "--target", "m0pls+dsp"}, {"(did you mean 'm0plus'?)"}},
    {{"compile", MODEL, "-o", "x.pte", "--target", "m55+dps"}, {"(did you mean 'dsp'?)", "scalar, dsp, mve"}},
    {{"compile", MODEL, "-o", "x.pte", "--for", "executroch"}, {"(did you mean 'executorch'?)"}},
    {{"report", "x.pte"}, {"-o OUT.html is missing"}},
    {{"report", "x.pte", "-o", "x.html", "--flash", "64K"}, {"--board or --core is missing"}},
    {{"report", "x.pte", "-o", "x.html", "--model", MODEL}, {"--data", "want each other"}},
    {{"boards", "--core", "cortex-m44"}, {"(did you mean 'cortex-m4'?)"}},
    {{"run"}, {"MODEL.pte"}},
    {{"run", "x.pte", "--on", "hots"}, {"(did you mean 'host'?)"}},
    {{"run", "x.pte", "--on", "cortex-m99"}, {"cortex-m99", "host", "cortex-m55"}},
    {{"evaluate", MODEL, "x.pte"}, {"--data"}},
    {{"evaluate", MODEL}, {"MODEL.pte"}},
    {{"targets", "extra"}, {"operand"}},
    {{"inspect"}, {"FILE"}},
};

static void wrong_usage_is_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct rl_process process = rl_process_run(rl_program_under_test(), wrongs[i].words);
        if (process.status != 2 || process.out[0] != '\0') {
            fail_msg("case %zu: expected exit code 2 and an empty stdout, found %d and '%s'", i, process.status,
                     process.out);
        }
        for (int k = 0; k < 5 && wrongs[i].expected[k]; k++) {
            if (!strstr(process.err, wrongs[i].expected[k])) {
                fail_msg("case %zu: expected '%s' in the message, found '%s'", i, wrongs[i].expected[k], process.err);
            }
        }
        rl_process_free(&process);
    }
}

static void help_names_every_verb_and_option(void **state)
{
    (void)state;
    struct rl_process all = rl_process_run(rl_program_under_test(), (const char *[]){"--help", NULL});
    struct rl_process one = rl_process_run(rl_program_under_test(), (const char *[]){"compile", "--help", NULL});
    const char *const verbs[] = {"compile", "run", "evaluate", "inspect", "targets"};
    const char *const options[] = {"--calibrate", "--target", "--quantize",       "--quantizer",
                                   "--io",        "--for",    "--emit",           "--max-arena",
                                   "--json",      "--output", "--explicit-layout"};

    assert_int_equal(all.status, 0);
    assert_int_equal(one.status, 0);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        assert_non_null(strstr(all.out, verbs[i]));
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        assert_non_null(strstr(one.out, options[i]));
    }
    rl_process_free(&all);
    rl_process_free(&one);
}

static void targets_are_those_of_the_contract(void **state)
{
    (void)state;
    static const char *const names[] = {"cortex-m0",  "cortex-m0plus", "cortex-m3",  "cortex-m4",
                                        "cortex-m7",  "cortex-m23",    "cortex-m33", "cortex-m35p",
                                        "cortex-m52", "cortex-m55",    "cortex-m85", "any"};
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"targets", "--json", NULL});
    json_t *targets = json_object_get(report, "targets");

    assert_int_equal(json_array_size(targets), sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_string_equal(json_string_value(json_object_get(json_array_get(targets, i), "name")), names[i]);
    }
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_is_explained),
        cmocka_unit_test(help_names_every_verb_and_option),
        cmocka_unit_test(targets_are_those_of_the_contract),
    };
    return cmocka_run_group_tests_name("usage", tests, NULL, NULL);
}
