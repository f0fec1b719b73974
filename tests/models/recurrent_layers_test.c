// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers of each form become integer operators, one for each direction of each layer, that are close to what
// PyTorch computes. Their states last from run to run, and every core computes what the host does.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

// The model, its operator, how often it is called, and the least SQNR of an output in decibels.
static const struct form {
    const char *name, *op;
    int calls;
    double least;
} forms[] = {
    {"lstm", "rushlight::quantized_lstm", 1, 34},
    {"lstm_batch_first", "rushlight::quantized_lstm", 1, 34},
    {"lstm_stacked", "rushlight::quantized_lstm", 4, 31},
    {"lstm_kept", "rushlight::quantized_lstm", 2, 37},
    {"lstm_cell", "rushlight::quantized_lstm", 3, 36},
    {"gru", "rushlight::quantized_gru", 1, 39},
    {"gru_stacked", "rushlight::quantized_gru", 4, 39},
    {"gru_kept", "rushlight::quantized_gru", 1, 39},
    {"gru_cell", "rushlight::quantized_gru", 3, 31},
    {"rnn", "rushlight::quantized_rnn_tanh", 2, 37},
    {"rnn_cell", "rushlight::quantized_rnn_tanh", 3, 35},
    {"rnn_relu", "rushlight::quantized_rnn_relu", 2, 36},
    {"rnn_relu_cell", "rushlight::quantized_rnn_relu", 3, 35},
    {"lstm_last_cell", "rushlight::quantized_lstm", 1, 37},
};

enum { FORMS = sizeof forms / sizeof forms[0] };

struct fixture {
    char model[512], calibration[512], data[512];
};

static struct fixture find(const char *name)
{
    struct fixture fixture;
    snprintf(fixture.model, sizeof fixture.model, "%s/recurrent/%s.pt2", RL_FIXTURES, name);
    snprintf(fixture.calibration, sizeof fixture.calibration, "%s/recurrent/%s.calib.npz", RL_FIXTURES, name);
    snprintf(fixture.data, sizeof fixture.data, "%s/recurrent/%s.npz", RL_FIXTURES, name);
    return fixture;
}

static json_t *compile(const struct fixture *fixture, const char *pte, const char *option, const char *word)
{
    const char *const words[] = {"compile",     fixture->model,       "-o",     pte,    "--target", "any",
                                 "--calibrate", fixture->calibration, "--json", option, word,       NULL};
    return rl_process_json(rl_program_under_test(), words);
}

static void layers_are_integer_operators(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("recurrent.pte");
    for (int i = 0; i < FORMS; i++) {
        const struct fixture fixture = find(forms[i].name);
        json_t *report = compile(&fixture, pte, NULL, NULL);
        const json_int_t calls = rl_count(json_object_get(report, "ops"), forms[i].op);
        const size_t floats = json_array_size(json_object_get(report, "fp32_nodes"));
        if (calls != forms[i].calls || floats > 0) {
            fail_msg("%s: %d calls of %s, %d nodes in floating point", forms[i].name, (int)calls, forms[i].op,
                     (int)floats);
        }
        json_decref(report);
    }
}

static void outputs_are_close_to_pytorchs(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("recurrent.pte");
    for (int i = 0; i < FORMS; i++) {
        const struct fixture fixture = find(forms[i].name);
        json_decref(compile(&fixture, pte, NULL, NULL));
        json_t *report =
            rl_process_json(rl_program_under_test(),
                            (const char *[]){"evaluate", fixture.model, pte, "--data", fixture.data, "--json", NULL});
        const json_t *outputs = json_object_get(report, "outputs"), *output;
        size_t index;
        assert_true(json_array_size(outputs) > 0);
        json_array_foreach(outputs, index, output)
        {
            const double sqnr = json_real_value(json_object_get(output, "sqnr_db"));
            if (!(sqnr >= forms[i].least)) {
                fail_msg("%s: output %d has %g dB", forms[i].name, (int)index, sqnr);
            }
        }
        json_decref(report);
    }
}

// The float program is PyTorch's, so that the comparison above is one with PyTorch.
static void floats_are_pytorchs(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("recurrent.pte"), *output = rl_temporary_path("recurrent.npz");
    for (int i = 0; i < FORMS; i++) {
        const struct fixture fixture = find(forms[i].name);
        json_decref(compile(&fixture, pte, "--quantize", "none"));
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", fixture.data,
                                                                              "--output", output, "--json", NULL}));
        rl_expect_outputs(forms[i].name, output, fixture.data, 2e-5);
    }
}

// States are integers of the same type as the operator takes them, and are only copied.
static void kept_states_are_integers(void **state)
{
    (void)state;
    const struct fixture fixture = find("lstm_kept");
    json_t *report = compile(&fixture, rl_temporary_path("recurrent.pte"), NULL, NULL);
    const json_t *ops = json_object_get(report, "ops");
    assert_int_equal(rl_count(ops, "cortex_m::quantize_per_tensor"), 1);
    assert_int_equal(rl_count(ops, "cortex_m::dequantize_per_tensor"), 1);
    assert_int_equal(rl_count(ops, "aten::copy_"), 2);
    json_decref(report);
}

// Neither the stock quantizer nor ExecuTorch has the operators.
static void others_keep_floats(void **state)
{
    (void)state;
    static const char *const options[][2] = {{"--quantizer", "stock"}, {"--for", "executorch"}};
    for (int i = 0; i < 2 * FORMS; i++) {
        const struct form *form = &forms[i / 2];
        const struct fixture fixture = find(form->name);
        json_t *report = compile(&fixture, rl_temporary_path("recurrent.pte"), options[i % 2][0], options[i % 2][1]);
        assert_int_equal(rl_count(json_object_get(report, "ops"), form->op), 0);
        assert_true(json_array_size(json_object_get(report, "fp32_nodes")) > 0);
        json_decref(report);
    }
}

static void cores_compute_what_the_host_does(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("recurrent.pte");
    const char *host = rl_temporary_path("recurrent.npz"), *core = rl_temporary_path("recurrent_core.npz");
    for (int i = 0; i < FORMS; i++) {
        const struct fixture fixture = find(forms[i].name);
        json_decref(compile(&fixture, pte, NULL, NULL));
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", fixture.data,
                                                                              "--output", host, "--json", NULL}));
        for (int k = 0; rl_emulated_cores[k]; k++) {
            if (!rl_run_emulated("recurrent", (const char *[]){"run", pte, "--input", fixture.data, "--output", core,
                                                               "--on", rl_emulated_cores[k], NULL})) {
                rl_skip_test();
                return;
            }
            rl_expect_outputs(forms[i].name, core, host, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_integer_operators), cmocka_unit_test(outputs_are_close_to_pytorchs),
        cmocka_unit_test(floats_are_pytorchs),          cmocka_unit_test(kept_states_are_integers),
        cmocka_unit_test(others_keep_floats),           cmocka_unit_test(cores_compute_what_the_host_does),
    };

    return rl_models_exit(cmocka_run_group_tests_name("recurrent", tests, NULL, NULL));
}
