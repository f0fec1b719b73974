// SPDX-License-Identifier: Apache-2.0
//
// Float models that the quantizer `best` computes on integers alone, from operators that each have a kernel.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

#define MODEL(name)                                                                                                    \
    {                                                                                                                  \
        name, RL_FIXTURES "/composed/" name ".pt2", RL_FIXTURES "/composed/" name ".npz",                              \
            RL_FIXTURES "/composed/" name ".npz"                                                                       \
    }

static const struct rl_model models[] = {MODEL("attention"), MODEL("arithmetic"), MODEL("layers")};
static const size_t model_count = sizeof models / sizeof models[0];

enum { LEAST_DECIBELS = 24 };

static void expect_integers(const struct rl_model *model)
{
    const char *pte = rl_temporary_path("composed.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), model, pte, "int8");
    const json_t *left = json_object_get(report, "fp32_nodes");
    if (json_array_size(left) > 0) {
        fail_msg("%s: %zu nodes stay in floating point, the first is %s", model->name, json_array_size(left),
                 json_string_value(json_object_get(json_array_get(left, 0), "node")));
    }
    const json_t *ops = json_object_get(report, "ops");
    assert_int_equal(json_integer_value(json_object_get(ops, "cortex_m::quantize_per_tensor")), 1); // of the input
    json_decref(report);
    report = rl_process_json(rl_program_under_test(),
                             (const char *[]){"evaluate", model->pt2, pte, "--data", model->data, "--json", NULL});
    size_t i;
    const json_t *output;
    json_array_foreach(json_object_get(report, "outputs"), i, output)
    {
        const double decibels = json_number_value(json_object_get(output, "sqnr_db"));
        if (decibels < LEAST_DECIBELS) {
            fail_msg("%s: output %zu has %g dB", model->name, i, decibels);
        }
    }
    json_decref(report);
}

static void all_is_integer_and_close_to_the_float_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < model_count; i++) {
        expect_integers(&models[i]);
    }
}

static void every_core_gives_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < model_count; i++) {
        if (!rl_check_cores(&models[i], 1)) {
            rl_skip_test();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_integer_and_close_to_the_float_model),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("composed", tests, NULL, NULL));
}
