// SPDX-License-Identifier: Apache-2.0
//
// Float models that the quantizer `best` computes on integers alone: parts composed of operators that each have a
// kernel, and whole networks made of such parts.
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
        name, RL_FIXTURES "/" name ".pt2", RL_FIXTURES "/" name ".npz", RL_FIXTURES "/" name ".npz"                    \
    }

static const struct rl_model models[] = {
    MODEL("composed/attention"),  MODEL("composed/masks"),      MODEL("composed/arithmetic"),
    MODEL("composed/layers"),     MODEL("composed/norms"),      MODEL("composed/spectra"),
    MODEL("composed/windows"),    MODEL("composed/transforms"), MODEL("composed/volumes"),
    MODEL("composed/words"),      MODEL("composed/excluded"),   MODEL("composed/places"),
    MODEL("composed/rectifiers"), MODEL("zoo/graph_attention"), MODEL("zoo/llama"),
    MODEL("zoo/skeleton"),        MODEL("zoo/stream_wakeword"), MODEL("zoo/swin"),
    MODEL("zoo/wide_and_deep"),
};
static const size_t model_count = sizeof models / sizeof models[0];

enum { LEAST_DECIBELS = 24, LEAST_OF_SPECTRA = 38 }; // the latter need int16, with which they lose little

// The nodes that quantize float inputs; those that take integers, such as the indices of words, need none.
static json_int_t count_float_inputs(const json_t *report)
{
    json_int_t count = 0;
    size_t i;
    const json_t *input;
    json_array_foreach(json_object_get(report, "inputs"), i, input)
    {
        count += strcmp(json_string_value(json_object_get(input, "dtype")), "float32") == 0;
    }
    return count;
}

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
    assert_int_equal(rl_count(ops, "cortex_m::quantize_per_tensor"), count_float_inputs(report));
    json_decref(report);
    report = rl_process_json(rl_program_under_test(),
                             (const char *[]){"evaluate", model->pt2, pte, "--data", model->data, "--json", NULL});
    size_t i;
    const json_t *output;
    json_array_foreach(json_object_get(report, "outputs"), i, output)
    {
        const double decibels = json_number_value(json_object_get(output, "sqnr_db"));
        if (decibels < (strcmp(model->name, "composed/spectra") == 0 ? LEAST_OF_SPECTRA : LEAST_DECIBELS)) {
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

// However they are spelled, magnitudes are one operator, and so are the functions behind them. Two of seven are equal,
// because the logarithm of a square is that of its root.
static void spectra_are_int16(void **state)
{
    static const struct {
        const char *op;
        int count;
    } expected[] = {{"rushlight::quantized_conv2d_s16", 10},
                    {"rushlight::quantized_magnitude", 6},
                    {"rushlight::quantized_activation_s16", 7},
                    {"cortex_m::quantized_activation", 0}};
    const struct rl_model model = MODEL("composed/spectra");
    (void)state;
    json_t *report = rl_compile_model(rl_program_under_test(), &model, rl_temporary_path("spectra.pte"), "int8");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(rl_count(json_object_get(report, "ops"), expected[i].op), expected[i].count);
    }
    json_decref(report);
}

static void transforms_are_pytorchs(void **state)
{
    const struct rl_model model = MODEL("composed/transforms");
    const char *pte = rl_temporary_path("transforms.pte"), *output = rl_temporary_path("transforms.npz");
    (void)state;
    json_decref(rl_compile_model(rl_program_under_test(), &model, pte, "none"));
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", model.data, "--output",
                                                                          output, "--json", NULL}));
    rl_expect_outputs(model.name, output, model.data, 2e-5);
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
        cmocka_unit_test(spectra_are_int16),
        cmocka_unit_test(transforms_are_pytorchs),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("composed", tests, NULL, NULL));
}
