// SPDX-License-Identifier: Apache-2.0
//
// Models with state give what PyTorch gave over a sequence of calls, in floating point and as integers, on the host and
// on a core. Each sequence starts with the first state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "model.h"
#include "support/process.h"

static const char *const models[] = {"stream", "stream_functional", "recurrent", "recurrent_functional",
                                     "delay",  "delay_functional"};

enum { MODELS = sizeof models / sizeof models[0] };

struct fixture {
    char model[512], data[512];
};

static struct fixture find(const char *name)
{
    struct fixture fixture;
    snprintf(fixture.model, sizeof fixture.model, "%s/state/%s.pt2", RL_FIXTURES, name);
    snprintf(fixture.data, sizeof fixture.data, "%s/state/%.*s.npz", RL_FIXTURES, (int)strcspn(name, "_"), name);
    return fixture;
}

// The report of the compilation, which the caller releases.
static json_t *compile(const struct fixture *fixture, const char *pte, const char *quantize, const char *quantizer)
{
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"compile", fixture->model, "-o", pte, "--target", "any", "--quantize",
                                            quantize, "--quantizer", quantizer, "--calibrate", fixture->data, "--json",
                                            NULL});
}

static void run(const struct fixture *fixture, const char *pte, const char *output, const char *sequence)
{
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", fixture->data, "--output",
                                                                  output, "--sequence", sequence, "--json", NULL}));
}

static void floats_are_pytorchs(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("state.pte"), *output = rl_temporary_path("state.npz");
    for (int i = 0; i < MODELS; i++) {
        const struct fixture fixture = find(models[i]);
        json_t *report = compile(&fixture, pte, "none", "best");
        assert_true(rl_count(json_object_get(report, "ops"), "aten::copy_") >= 1);
        json_decref(report);
        run(&fixture, pte, output, "0");
        rl_expect_outputs(models[i], output, fixture.data, 2e-6);
    }
}

static void integers_are_close(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("state.pte"), *output = rl_temporary_path("state.npz");
    static const char *const quantizers[] = {"best", "stock"};
    for (int i = 0; i < 2 * MODELS; i++) {
        const struct fixture fixture = find(models[i / 2]);
        json_decref(compile(&fixture, pte, "int8", quantizers[i % 2]));
        run(&fixture, pte, output, "0");
        rl_expect_outputs(models[i / 2], output, fixture.data, 0.06);
    }
}

// Only the input of the program is quantized, and only its output dequantized.
static void states_are_integers(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("state.pte");
    static const char *const names[] = {"stream", "recurrent"};
    for (int i = 0; i < 2; i++) {
        const struct fixture fixture = find(names[i]);
        json_t *report = compile(&fixture, pte, "int8", "best");
        const json_t *ops = json_object_get(report, "ops");
        assert_int_equal(rl_count(ops, "cortex_m::quantize_per_tensor"), 1);
        assert_int_equal(rl_count(ops, "cortex_m::dequantize_per_tensor"), 1);
        assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
        json_decref(report);
    }
}

// Runs of one sequence differ from those of sequences of three calls from the fourth call on.
static void sequences_start_anew(void **state)
{
    (void)state;
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *whole, *parts;
    int count;
    const struct fixture fixture = find("delay");
    const char *pte = rl_temporary_path("state.pte"), *output = rl_temporary_path("state.npz");
    json_decref(compile(&fixture, pte, "none", "best"));
    run(&fixture, pte, output, "0");
    assert_int_equal(rl_npz_read(&context, &arena, output, &whole, &count), RL_OK);
    run(&fixture, pte, output, "3");
    assert_int_equal(rl_npz_read(&context, &arena, output, &parts, &count), RL_OK);
    const int64_t *counted = whole[2].data, *counted_anew = parts[2].data;
    assert_int_equal(counted[0], counted_anew[0]);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(counted[i], counted[0] + i);
        assert_int_equal(counted_anew[i], counted[0] + i % 3);
    }
    rl_arena_free(&arena);
}

static void cores_keep_state_as_the_host_does(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("state.pte");
    const char *host = rl_temporary_path("state.npz"), *core = rl_temporary_path("state_core.npz");
    static const char *const sequences[] = {"0", "3"};
    for (int i = 0; i < 2 * MODELS; i++) {
        const struct fixture fixture = find(models[i / 2]);
        json_decref(compile(&fixture, pte, i % 4 < 2 ? "none" : "int8", "best"));
        run(&fixture, pte, host, sequences[i % 2]);
        if (!rl_run_emulated("state", (const char *[]){"run", pte, "--input", fixture.data, "--output", core, "--on",
                                                       "cortex-m4", "--sequence", sequences[i % 2], NULL})) {
            rl_skip_test();
            return;
        }
        rl_expect_outputs(models[i / 2], core, host, 0);
    }
}

static json_t *evaluate(const struct fixture *fixture, const char *pte, const char *sequence)
{
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"evaluate", fixture->model, pte, "--data", fixture->data, "--sequence",
                                            sequence, "--json", NULL});
}

// The float program is its model, whether its sequences are long or short.
static void evaluation_compares_sequences(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("state.pte");
    static const char *const sequences[] = {"0", "1", "5"};
    for (int i = 0; i < 3 * MODELS; i++) {
        const struct fixture fixture = find(models[i / 3]);
        json_decref(compile(&fixture, pte, "none", "best"));
        json_t *report = evaluate(&fixture, pte, sequences[i % 3]);
        const json_t *output = json_array_get(json_object_get(report, "outputs"), 0);
        assert_true(json_real_value(json_object_get(output, "sqnr_db")) > 120);
        json_decref(report);
    }
}

static void quantized_sequences_are_evaluated(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("state.pte");
    const struct fixture fixture = find("stream");
    json_decref(compile(&fixture, pte, "int8", "best"));
    json_t *report = evaluate(&fixture, pte, "0");
    const json_t *output = json_array_get(json_object_get(report, "outputs"), 0);
    assert_true(json_real_value(json_object_get(output, "sqnr_db")) > 35);
    json_decref(report);
}

static void wrong_sequences_are_told(void **state)
{
    (void)state;
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"run", "x.pte", "--sequence", "few", NULL});
    assert_int_equal(process.status, 2);
    assert_non_null(strstr(process.err, "--sequence: expected a number of samples such as 10, found 'few'"));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_pytorchs),
        cmocka_unit_test(integers_are_close),
        cmocka_unit_test(states_are_integers),
        cmocka_unit_test(sequences_start_anew),
        cmocka_unit_test(cores_keep_state_as_the_host_does),
        cmocka_unit_test(evaluation_compares_sequences),
        cmocka_unit_test(quantized_sequences_are_evaluated),
        cmocka_unit_test(wrong_sequences_are_told),
    };

    return rl_models_exit(cmocka_run_group_tests_name("state", tests, NULL, NULL));
}
