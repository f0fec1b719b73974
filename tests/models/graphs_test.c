// SPDX-License-Identifier: Apache-2.0
//
// Graphs that other quantizers of PT2E made compute on integers, with the results of their own quantize and dequantize
// nodes, on the host and on every core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

#define GRAPHS RL_FIXTURES "/graphs/"

static struct rl_model graph_of(const char *name)
{
    struct rl_model model = {.name = name};
    snprintf(model.pt2, sizeof model.pt2, GRAPHS "%s.pt2", name);
    snprintf(model.data, sizeof model.data, GRAPHS "%s.npz", name);
    if (access(model.data, R_OK) != 0) {
        snprintf(model.data, sizeof model.data, "%s",
                 strcmp(name, "qat_digits") == 0 ? RL_FIXTURES "/digits/test.npz" : GRAPHS "graphs.npz");
    }
    snprintf(model.calibration, sizeof model.calibration, "%s", model.data);
    return model;
}

static json_t *evaluate(const struct rl_model *model, const char *pte)
{
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"evaluate", model->pt2, pte, "--data", model->data, "--json", NULL});
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static double steps_of(const json_t *report)
{
    return number(json_array_get(json_object_get(report, "outputs"), 0), "largest_difference_steps");
}

struct expected {
    const char *name;
    size_t floats;                            // nodes that compute in floating point
    json_int_t convolutions, linears, copies; // copies: concatenations for weights with a zero point
    size_t layers;
};

static void expect_graph(const struct expected *expected)
{
    const struct rl_model model = graph_of(expected->name);
    const char *pte = rl_temporary_path("graph.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    const json_t *ops = json_object_get(report, "ops");
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), expected->floats);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_conv2d"), expected->convolutions);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_linear"), expected->linears);
    assert_int_equal(rl_count(ops, "aten::cat"), expected->copies);
    json_decref(report);

    report = evaluate(&model, pte);
    const json_t *layers = json_object_get(report, "layers");
    size_t i;
    const json_t *layer;
    assert_true(steps_of(report) < 1.001);
    assert_int_equal(json_array_size(layers), expected->layers);
    json_array_foreach(layers, i, layer)
    {
        assert_true(number(layer, "sqnr_db") > 40);
    }
    json_decref(report);
}

static void graphs_equal_their_own_nodes(void **state)
{
    (void)state;
    // Without a zero point the depthwise layer has an operator of its own.
    static const struct expected graphs[] = {
        {"channels", 0, 4, 0, 0, 8},
        {"tensors", 0, 2, 2, 0, 8},
        {"shifted", 0, 3, 2, 4, 8},
        {"shifted_channels", 0, 5, 0, 6, 8},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        expect_graph(&graphs[i]);
    }
}

static void unsigned_activations_are_taken(void **state)
{
    (void)state;
    const struct rl_model model = graph_of("unsigned");
    const char *pte = rl_temporary_path("unsigned.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    const json_t *ops = json_object_get(report, "ops");
    assert_int_equal(rl_count(ops, "cortex_m::quantized_conv2d"), 2); // one of them a linear layer
    assert_int_equal(rl_count(ops, "cortex_m::quantized_depthwise_conv2d"), 1);
    json_decref(report);
    report = evaluate(&model, pte);
    assert_true(number(report, "sqnr_db") > 60);
    json_decref(report);
}

static void quantization_aware_training_keeps_its_accuracy(void **state)
{
    (void)state;
    const struct rl_model model = graph_of("qat_digits");
    const char *pte = rl_temporary_path("qat.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    json_decref(report);
    report = evaluate(&model, pte);
    assert_true(number(report, "top1_float") > 0.99);
    assert_true(number(report, "top1_quantized") > 0.99);
    assert_true(number(report, "agreement") > 0.999);
    assert_true(steps_of(report) < 2.001); // each of eleven layers may round one step apart
    json_decref(report);
}

static void reasons_name_what_the_quantizer_left_out(void **state)
{
    (void)state;
    json_t *report =
        rl_process_json(rl_program_under_test(), (const char *[]){"inspect", GRAPHS "left_out.pt2", "--json", NULL});
    size_t i;
    const json_t *node;
    int convolutions = 0;
    assert_null(json_object_get(report, "compile_error"));
    json_array_foreach(json_object_get(report, "fp32_nodes"), i, node)
    {
        const char *reason = json_string_value(json_object_get(node, "reason"));
        const bool is_convolution = strcmp(json_string_value(json_object_get(node, "op")), "aten::convolution") == 0;
        assert_non_null(strstr(reason, "the quantizer of this graph left it out"));
        assert_true(!is_convolution || strstr(reason, "channels-last"));
        convolutions += is_convolution;
    }
    assert_int_equal(convolutions, 4);
    json_decref(report);
}

// conv1d and hardsigmoid have one grid, and are one operator: each value is at most one step away, which layers tell.
static void hardsigmoid_is_part_of_the_convolution(void **state)
{
    (void)state;
    const struct rl_model model = graph_of("waves");
    const char *pte = rl_temporary_path("waves.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    const json_t *ops = json_object_get(report, "ops"), *layer;
    size_t i;
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_conv2d"), 3); // one of them the linear layer
    assert_int_equal(rl_count(ops, "cortex_m::quantized_activation"), 0);
    json_decref(report);
    report = evaluate(&model, pte);
    assert_true(steps_of(report) < 2.001);
    assert_int_equal(json_array_size(json_object_get(report, "layers")), 3);
    json_array_foreach(json_object_get(report, "layers"), i, layer)
    {
        assert_true(number(layer, "sqnr_db") > 40);
    }
    json_decref(report);
}

// A buffer that is quantized where it is read and written is int8, and gives what PyTorch gave over 16 calls.
static void states_of_quantized_graphs_are_integers(void **state)
{
    (void)state;
    const struct rl_model model = graph_of("states");
    const char *pte = rl_temporary_path("states.pte"), *output = rl_temporary_path("states.npz");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    const json_t *ops = json_object_get(report, "ops");
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    assert_int_equal(rl_count(ops, "cortex_m::quantize_per_tensor"), 1);
    assert_int_equal(rl_count(ops, "cortex_m::dequantize_per_tensor"), 1);
    assert_int_equal(rl_count(ops, "aten::copy_"), 1);
    json_decref(report);
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", model.data, "--output",
                                                                          output, "--json", NULL}));
    rl_expect_outputs("states", output, model.data, 1.001 / 128);
}

// Average pools with a grid of their own before and after each: all are at most one step away, those whose windows are
// not whole as a pool and a table.
static void average_pools_change_the_grid(void **state)
{
    (void)state;
    const struct rl_model model = graph_of("pools");
    const char *pte = rl_temporary_path("pools.pte");
    json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
    const json_t *ops = json_object_get(report, "ops"), *output;
    size_t i;
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    assert_int_equal(rl_count(ops, "rushlight::quantized_avg_pool2d"), 4);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_avg_pool2d"), 2);
    assert_int_equal(rl_count(ops, "cortex_m::quantized_activation"), 2);
    json_decref(report);
    report = evaluate(&model, pte);
    assert_int_equal(json_array_size(json_object_get(report, "outputs")), 6);
    json_array_foreach(json_object_get(report, "outputs"), i, output)
    {
        assert_true(number(output, "largest_difference_steps") < 1.001);
    }
    json_decref(report);
}

// Maxima, sorts, conditions and comparisons between nodes of one grid: no float is computed, and the results are those
// of PyTorch, which computes with floats between the nodes.
static void choices_are_made_among_integers(void **state)
{
    (void)state;
    static const char *const names[] = {"choices", "choices_wide"};
    const char *pte = rl_temporary_path("choices.pte"), *output = rl_temporary_path("choices.npz");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct rl_model model = graph_of(names[i]);
        json_t *report = rl_compile_model(rl_program_under_test(), &model, pte, "int8");
        const json_t *ops = json_object_get(report, "ops");
        assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
        assert_int_equal(rl_count(ops, "cortex_m::quantize_per_tensor"), 2);    // the inputs
        assert_int_equal(rl_count(ops, "cortex_m::dequantize_per_tensor"), 25); // the outputs
        json_decref(report);
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", model.data,
                                                                              "--output", output, "--json", NULL}));
        rl_expect_outputs(names[i], output, model.data, 0);
    }
}

static void several_inputs_give_the_same_on_every_core(void **state)
{
    (void)state;
    static const char *const names[] = {"choices", "choices_wide", "pools"};
    const char *pte = rl_temporary_path("several.pte"), *output = rl_temporary_path("core.npz");
    const char *host = rl_temporary_path("host.npz");
    bool emulated = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct rl_model model = graph_of(names[i]);
        json_decref(rl_compile_model(rl_program_under_test(), &model, pte, "int8"));
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", model.data,
                                                                              "--output", host, "--json", NULL}));
        for (const char *const *core = rl_emulated_cores; *core; core++) {
            if (rl_run_emulated(names[i], (const char *[]){"run", pte, "--input", model.data, "--output", output,
                                                           "--on", *core, NULL})) {
                rl_expect_outputs(names[i], output, host, 0);
                emulated = true;
            }
        }
    }
    if (!emulated) {
        rl_skip_test();
    }
}

static void every_core_gives_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"channels", "shifted", "shifted_channels", "qat_digits", "waves", "states"};
    bool emulated = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct rl_model model = graph_of(names[i]);
        emulated = rl_check_cores(&model, 2) && emulated;
    }
    if (!emulated) {
        rl_skip_test();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_equal_their_own_nodes),
        cmocka_unit_test(unsigned_activations_are_taken),
        cmocka_unit_test(quantization_aware_training_keeps_its_accuracy),
        cmocka_unit_test(reasons_name_what_the_quantizer_left_out),
        cmocka_unit_test(average_pools_change_the_grid),
        cmocka_unit_test(hardsigmoid_is_part_of_the_convolution),
        cmocka_unit_test(states_of_quantized_graphs_are_integers),
        cmocka_unit_test(choices_are_made_among_integers),
        cmocka_unit_test(several_inputs_give_the_same_on_every_core),
        cmocka_unit_test(every_core_gives_the_same),
    };
    return rl_models_exit(cmocka_run_group_tests_name("graphs", tests, NULL, NULL));
}
