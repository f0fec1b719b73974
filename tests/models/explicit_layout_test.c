// SPDX-License-Identifier: Apache-2.0
//
// Programs with an explicit layout give the bytes of those with the implicit one, on the host and on every core, and
// leave no image to the operators that they replace.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

struct expected {
    const char *model, *data;
    const char *option, *value; // one more of `compile`, and its value; may be NULL
    json_int_t layers, transposes;
};

#define STOCK    RL_FIXTURES "/stock/"
#define REPORTS  RL_FIXTURES "/reports/"
#define PATTERNS RL_FIXTURES "/quantize/"

static const struct expected models[] = {
    {RL_FIXTURES "/digits/digits.pt2", RL_FIXTURES "/digits/calibration.npz", "--io", "int8", 7, 0},
    {STOCK "explicit/float.pt2", STOCK "explicit/calib.npz", "--quantizer", "best", 7, 1},
    {STOCK "explicit/float.pt2", STOCK "explicit/calib.npz", "--quantizer", "stock", 7, 1},
    {STOCK "explicit/quant.pt2", STOCK "explicit/calib.npz", "--for", "executorch", 7, 1},
    {STOCK "explicit_1d/float.pt2", STOCK "explicit_1d/calib.npz", "--quantizer", "stock", 2, 2},
    {STOCK "gated/float.pt2", STOCK "gated/calib.npz", "--for", "executorch", 15, 0}, // one value per channel
    {PATTERNS "patterns.pt2", PATTERNS "patterns.npz", "--for", "executorch", 13, 3}, // some stays in floating point
    {REPORTS "steps.pt2", REPORTS "steps.calib.npz", "--for", "executorch", 2, 2},    // sequences
};

static void compile(const struct expected *expected, const char *pte, const char *other, json_t **report)
{
    *report =
        rl_process_json(rl_program_under_test(),
                        (const char *[]){"compile", expected->model, "-o", pte, "--calibrate", expected->data,
                                         "--target", "any", "--json", expected->option, expected->value, other, NULL});
}

// The layers of convolutions and pools that the program has in either form.
static json_int_t count_layers(const json_t *ops, const char *ending)
{
    static const char *const layers[] = {"conv2d", "depthwise_conv2d", "transpose_conv2d", "avg_pool2d", "max_pool2d"};
    json_int_t count = 0;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "cortex_m::quantized_%s%s", layers[i], ending);
        count += rl_count(ops, name);
        snprintf(name, sizeof name, "rushlight::quantized_%s%s", layers[i], ending);
        count += rl_count(ops, name);
    }
    return count;
}

static void run(const char *pte, const char *data, const char *output, const char *core)
{
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", data, "--output", output,
                                                                  "--json", core ? "--on" : NULL, core, NULL}));
}

static void an_explicit_layout_changes_no_byte(void **state)
{
    const char *implicit = rl_temporary_path("implicit.pte"), *explicit = rl_temporary_path("explicit.pte");
    const char *first = rl_temporary_path("implicit.npz"), *second = rl_temporary_path("explicit.npz");
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        json_t *plain, *report;
        print_message("%s %s\n", models[i].model, models[i].value);
        compile(&models[i], implicit, NULL, &plain);
        compile(&models[i], explicit, "--explicit-layout", &report);
        const json_t *ops = json_object_get(report, "ops");
        assert_int_equal(count_layers(ops, "_nhwc"), models[i].layers);
        assert_int_equal(count_layers(ops, ""), 0);
        assert_int_equal(rl_count(ops, "cortex_m::transpose"), models[i].transposes);
        assert_int_equal(rl_count(ops, "dim_order_ops::_clone_dim_order"), 0);
        const bool chooses_otherwise = strcmp(models[i].value, "stock") == 0;
        if (!chooses_otherwise) { // the stock quantizer takes more for an explicit layout
            assert_int_equal(count_layers(json_object_get(plain, "ops"), ""), models[i].layers);
            assert_true(json_equal(json_object_get(plain, "fp32_groups"), json_object_get(report, "fp32_groups")));
            assert_true(json_equal(json_object_get(plain, "arena_bytes"), json_object_get(report, "arena_bytes")));
            run(implicit, models[i].data, first, NULL);
            run(explicit, models[i].data, second, NULL);
            rl_expect_outputs("explicit layout", second, first, 0);
        }
        json_decref(plain);
        json_decref(report);
    }
}

static void every_core_gives_the_same(void **state)
{
    const char *pte = rl_temporary_path("explicit.pte");
    const char *host = rl_temporary_path("host.npz"), *found = rl_temporary_path("core.npz");
    const char *data = models[1].data;
    json_t *report;
    (void)state;
    compile(&models[1], pte, "--explicit-layout", &report);
    json_decref(report);
    run(pte, data, host, NULL);
    for (int i = 0; rl_emulated_cores[i]; i++) {
        if (!rl_run_emulated("explicit layout", (const char *[]){"run", pte, "--input", data, "--output", found, "--on",
                                                                 rl_emulated_cores[i], NULL})) {
            rl_skip_test();
            return;
        }
        rl_expect_outputs(rl_emulated_cores[i], found, host, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_explicit_layout_changes_no_byte),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("explicit_layout", tests, NULL, NULL));
}
