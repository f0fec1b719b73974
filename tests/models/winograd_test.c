// SPDX-License-Identifier: Apache-2.0
//
// What --winograd promises: the same bytes on the host and on every core, fewer cycles on cores with DSP instructions,
// and an error elsewhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

#define MODEL       RL_FIXTURES "/digits/digits.pt2"
#define CALIBRATION RL_FIXTURES "/digits/calibration.npz"

enum { CONVOLUTIONS = 2 }; // of digits with 3x3 filters, a stride of 1 and eight channels

static json_t *compile(const char *pte, const char *target, const char *option, const char *other)
{
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"compile", MODEL, "-o", pte, "--calibrate", CALIBRATION, "--json",
                                            "--target", target, option, other, NULL});
}

static void run(const char *pte, const char *output)
{
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", CALIBRATION,
                                                                          "--output", output, "--json", NULL}));
}

static json_int_t of(const json_t *report, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(report, "winograd"), key));
}

static void the_bytes_stay_the_same(void **state)
{
    static const char *const targets[] = {"cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55+dsp"};
    static const char *const layouts[] = {NULL, "--explicit-layout"};
    const char *plain = rl_temporary_path("plain.pte"), *fast = rl_temporary_path("fast.pte");
    const char *expected = rl_temporary_path("plain.npz"), *found = rl_temporary_path("fast.npz");
    (void)state;
    for (size_t i = 0; i < 2 * sizeof targets / sizeof targets[0]; i++) {
        const char *layout = layouts[i % 2];
        json_t *before = compile(plain, targets[i / 2], layout ? layout : "--no-names", NULL);
        json_t *after = compile(fast, targets[i / 2], "--winograd", layout);
        assert_true(json_is_null(json_object_get(before, "winograd")));
        assert_int_equal(of(after, "convolutions"), CONVOLUTIONS);
        assert_int_equal(9 * of(after, "weight_bytes"), 32 * of(after, "weight_bytes_before"));
        assert_true(json_equal(json_object_get(before, "ops"), json_object_get(after, "ops")));
        run(plain, expected);
        run(fast, found);
        rl_expect_outputs(targets[i / 2], found, expected, 0);
        json_decref(before);
        json_decref(after);
    }
}

static void every_core_gives_them(void **state)
{
    const char *pte = rl_temporary_path("cores.pte"), *host = rl_temporary_path("host.npz");
    const char *found = rl_temporary_path("core.npz");
    (void)state;
    for (int i = 0; rl_emulated_cores[i]; i++) {
        const char *core = rl_emulated_cores[i];
        const bool is_dsp =
            strcmp(core, "cortex-m4") == 0 || strcmp(core, "cortex-m7") == 0 || strcmp(core, "cortex-m33") == 0;
        if (!is_dsp) {
            continue; // programs with transformed weights are not for them
        }
        json_decref(compile(pte, core, "--winograd", NULL));
        run(pte, host);
        if (!rl_run_emulated("winograd", (const char *[]){"run", pte, "--input", CALIBRATION, "--output", found, "--on",
                                                          core, NULL})) {
            rl_skip_test();
            return;
        }
        rl_expect_outputs(core, found, host, 0);
    }
}

// Modelled cycles and multiply-adds of an inference, by the profile.
static bool profile(const char *pte, json_int_t *cycles, json_int_t *macs)
{
    const char *const words[] = {"profile", pte, "--on", "cortex-m4", "--json", NULL};
    if (!rl_run_emulated("winograd", words)) {
        return false;
    }
    json_t *report = rl_process_json(rl_program_under_test(), words);
    *cycles = json_integer_value(json_object_get(report, "cycles"));
    *macs = json_integer_value(json_object_get(report, "macs"));
    json_decref(report);
    return true;
}

static void it_takes_fewer_cycles(void **state)
{
    const char *plain = rl_temporary_path("slow.pte"), *fast = rl_temporary_path("quick.pte");
    json_int_t cycles[2], macs[2];
    (void)state;
    json_decref(compile(plain, "cortex-m4", NULL, NULL));
    json_decref(compile(fast, "cortex-m4", "--winograd", NULL));
    if (!profile(plain, &cycles[0], &macs[0]) || !profile(fast, &cycles[1], &macs[1])) {
        rl_skip_test();
        return;
    }
    print_message("%lld cycles, with --winograd %lld\n", (long long)cycles[0], (long long)cycles[1]);
    assert_true(cycles[1] < cycles[0]);
    assert_int_equal(macs[0], macs[1]); // those of the layer, however it is computed
}

static void evaluation_finds_each_layer(void **state)
{
    const char *pte = rl_temporary_path("evaluated.pte");
    (void)state;
    json_decref(compile(pte, "cortex-m4", "--winograd", NULL));
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", MODEL, pte, "--data", CALIBRATION, "--json", NULL});
    const json_t *layers = json_object_get(report, "layers");
    size_t index;
    const json_t *layer;
    int found = 0;
    json_array_foreach(layers, index, layer)
    {
        const char *op = json_string_value(json_object_get(layer, "op"));
        found += op && strcmp(op, "rushlight::quantized_conv2d_winograd") == 0;
    }
    assert_int_equal(found, CONVOLUTIONS);
    json_decref(report);
}

static void other_programs_cannot_have_it(void **state)
{
    static const char *const options[][4] = {{"--target", "cortex-m55", NULL},
                                             {"--target", "cortex-m0", NULL},
                                             {"--target", "any", NULL},
                                             {"--target", "cortex-m4", "--for", "executorch"}};
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *const *o = options[i];
        struct rl_process process = rl_process_run(rl_program_under_test(),
                                                   (const char *[]){"compile", MODEL, "-o", rl_temporary_path("no.pte"),
                                                                    "--winograd", o[0], o[1], o[2], o[3], NULL});
        assert_int_not_equal(process.status, 0);
        assert_non_null(strstr(process.err, "--winograd"));
        assert_non_null(strstr(process.err, "cortex-m4"));
        rl_process_free(&process);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_stay_the_same),       cmocka_unit_test(every_core_gives_them),
        cmocka_unit_test(it_takes_fewer_cycles),         cmocka_unit_test(evaluation_finds_each_layer),
        cmocka_unit_test(other_programs_cannot_have_it),
    };
    return rl_models_exit(cmocka_run_group_tests_name("winograd", tests, NULL, NULL));
}
