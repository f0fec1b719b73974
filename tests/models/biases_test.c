// SPDX-License-Identifier: Apache-2.0
//
// A model whose biases outweigh their weights keeps its accuracy in int8, on every core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

static const struct rl_model model = {"heavy_biases", RL_FIXTURES "/quantize/heavy_biases.pt2",
                                      RL_FIXTURES "/quantize/heavy_biases.npz",
                                      RL_FIXTURES "/quantize/heavy_biases.npz"};

static double decibels(const json_t *report)
{
    return json_number_value(json_object_get(report, "sqnr_db"));
}

static void every_layer_is_close_to_the_float_model(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("heavy.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    json_decref(report);
    report = rl_process_json(rl_program_under_test(),
                             (const char *[]){"evaluate", model.pt2, pte, "--data", model.data, "--json", NULL});
    const json_t *layers = json_object_get(report, "layers");
    size_t i;
    const json_t *layer;
    assert_true(decibels(report) > 40);
    assert_true(json_array_size(layers) >= 7);
    json_array_foreach(layers, i, layer)
    {
        assert_true(decibels(layer) > 40);
    }
    json_decref(report);
}

static void every_core_gives_the_same(void **state)
{
    (void)state;
    if (!rl_check_cores(&model, 2)) {
        rl_skip_test();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_is_close_to_the_float_model),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("biases", tests, NULL, NULL));
}
