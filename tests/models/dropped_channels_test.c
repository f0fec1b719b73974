// SPDX-License-Identifier: Apache-2.0
//
// A network in which channels were killed gives the same bytes with and without them, on the host and on every core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

#define MODEL RL_FIXTURES "/quantize/killed.pt2"
#define DATA  RL_FIXTURES "/quantize/killed.npz"

enum { COMPARED_LAYERS = 11 };

static json_t *compile(const char *pte, const char *option, const char *value, const char *other)
{
    return rl_process_json(rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", pte, "--calibrate", DATA,
                                                                     "--json", option, value, other, NULL});
}

static void run(const char *pte, const char *output)
{
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"run", pte, "--input", DATA, "--output", output, "--json", NULL}));
}

static json_int_t dropped(const json_t *report, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(report, "dropped_channels"), key));
}

// The number of calls that a report lists.
static json_int_t calls(const json_t *report)
{
    json_t *count;
    const char *name;
    json_int_t sum = 0;
    json_object_foreach(json_object_get(report, "ops"), name, count)
    {
        sum += json_integer_value(count);
    }
    return sum;
}

static void programs_without_them_give_the_same_bytes(void **state)
{
    static const char *const options[][2] = {{"--target", "any"},       {"--target", "cortex-m55"},
                                             {"--target", "cortex-m4"}, {"--for", "executorch"},
                                             {"--io", "int8"},          {"--accuracy", "fast"}};
    const char *all = rl_temporary_path("all.pte"), *some = rl_temporary_path("some.pte");
    const char *first = rl_temporary_path("all.npz"), *second = rl_temporary_path("some.npz");
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        json_t *before = compile(all, options[i][0], options[i][1], "--keep-channels");
        json_t *after = compile(some, options[i][0], options[i][1], NULL);
        print_message("%s %s: %lld channels\n", options[i][0], options[i][1], (long long)dropped(after, "channels"));
        assert_true(json_is_null(json_object_get(before, "dropped_channels")));
        assert_true(dropped(after, "channels") >= 40);
        assert_true(2 * dropped(after, "macs") < dropped(after, "macs_before"));
        assert_true(dropped(after, "weight_bytes") < dropped(after, "weight_bytes_before") * 2 / 3);
        assert_int_equal(calls(before), calls(after)); // which of them are prepacked may differ
        assert_true(json_integer_value(json_object_get(after, "program_bytes")) <
                    json_integer_value(json_object_get(before, "program_bytes")));
        run(all, first);
        run(some, second);
        rl_expect_outputs("dropped channels", second, first, 0);
        json_decref(before);
        json_decref(after);
    }
}

static void the_stock_quantizer_keeps_them(void **state)
{
    json_t *report = compile(rl_temporary_path("stock.pte"), "--quantizer", "stock", NULL);
    (void)state;
    assert_true(json_is_null(json_object_get(report, "dropped_channels")));
    json_decref(report);
}

static void networks_without_them_do_not_report_any(void **state)
{
    const struct rl_model digits = rl_digits_model();
    json_t *report = rl_compile_model(rl_program_under_test(), &digits, rl_temporary_path("digits.pte"), "int8");
    (void)state;
    assert_true(json_is_null(json_object_get(report, "dropped_channels")));
    json_decref(report);
}

// The layers are those of the model, also where some of their channels are gone.
static void evaluation_finds_each_layer(void **state)
{
    static const char *const options[] = {NULL, "--keep-channels"};
    const char *pte = rl_temporary_path("evaluated.pte");
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        json_decref(compile(pte, "--target", "cortex-m4", options[i]));
        json_t *report =
            rl_process_json(rl_program_under_test(), (const char *[]){"evaluate", MODEL, pte, "--data", DATA, "--json",
                                                                      "--culprits", "2", NULL});
        const json_t *layers = json_object_get(report, "layers");
        size_t index;
        const json_t *layer;
        assert_int_equal(json_array_size(layers), COMPARED_LAYERS);
        json_array_foreach(layers, index, layer)
        {
            const json_t *sqnr = json_object_get(layer, "sqnr_db");
            print_message("%s %.1f dB\n", json_string_value(json_object_get(layer, "name")), json_number_value(sqnr));
            assert_true(json_number_value(sqnr) > 25);
        }
        json_decref(report);
    }
}

static void every_core_gives_the_same(void **state)
{
    const char *pte = rl_temporary_path("core.pte"), *all = rl_temporary_path("all.pte");
    const char *host = rl_temporary_path("host.npz"), *found = rl_temporary_path("core.npz");
    (void)state;
    json_decref(compile(all, "--target", "any", "--keep-channels"));
    run(all, host);
    for (int i = 0; rl_emulated_cores[i]; i++) {
        json_decref(compile(pte, "--target", rl_emulated_cores[i], NULL));
        if (!rl_run_emulated("dropped channels", (const char *[]){"run", pte, "--input", DATA, "--output", found,
                                                                  "--on", rl_emulated_cores[i], NULL})) {
            rl_skip_test();
            return;
        }
        rl_expect_outputs(rl_emulated_cores[i], found, host, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_without_them_give_the_same_bytes),
        cmocka_unit_test(the_stock_quantizer_keeps_them),
        cmocka_unit_test(networks_without_them_do_not_report_any),
        cmocka_unit_test(evaluation_finds_each_layer),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("dropped_channels", tests, NULL, NULL));
}
