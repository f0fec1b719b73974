// SPDX-License-Identifier: Apache-2.0
//
// Models of dynamic sizes, compiled for sizes other than those of their export: they give what PyTorch gave.
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

enum { MAX_WORDS = 20 };

static const struct {
    const char *name;
    const char *shapes[3]; // ended by NULL
} models[] = {{"image", {"x=1,3,24,40"}},
              {"sequence", {"ids=2,7"}}, // the mask has the same sizes
              {"sequence", {"mask=2,7", "ids=2,7"}},
              {"pair", {"y=13"}}};

enum { MODELS = sizeof models / sizeof *models };

static const char *fixture(const char *name, const char *end)
{
    static char path[2][512];
    static int turn;
    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/pt2/%s_sizes.%s", RL_FIXTURES, name, end);
    return path[turn];
}

static struct rl_process compile(const char *name, const char *const *shapes, const char *quantize, const char *pte)
{
    const char *words[MAX_WORDS] = {"compile",   fixture(name, "pt2"), "-o",     pte,           "--target",
                                    "cortex-m4", "--quantize",         quantize, "--calibrate", fixture(name, "npz")};
    for (int used = 10; *shapes; shapes++) {
        words[used++] = "--shape";
        words[used++] = *shapes;
    }
    return rl_process_run(rl_program_under_test(), words);
}

static void expect_compiled(int index, const char *quantize, const char *pte)
{
    struct rl_process process = compile(models[index].name, models[index].shapes, quantize, pte);
    if (process.status != 0) {
        fail_msg("%s: %s", models[index].name, process.err);
    }
    rl_process_free(&process);
}

static void programs_give_what_pytorch_gave(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("sizes.pte"), *output = rl_temporary_path("sizes.npz");
    bool ran = false;
    for (int i = 0; i < MODELS; i++) {
        const char *data = fixture(models[i].name, "npz");
        for (int k = 0; k < 2; k++) {
            const double limit = k == 0 ? 2e-6 : 0.06;
            expect_compiled(i, k == 0 ? "none" : "int8", pte);
            json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", data,
                                                                                  "--output", output, "--json", NULL}));
            rl_expect_outputs(models[i].name, output, data, limit);
            if (rl_run_emulated(models[i].name, (const char *[]){"run", pte, "--input", data, "--output", output,
                                                                 "--on", "cortex-m4", NULL})) {
                rl_expect_outputs(models[i].name, output, data, limit);
                ran = true;
            }
        }
    }
    if (!ran) {
        rl_skip_test();
    }
}

static void evaluate_takes_the_sizes_of_the_program(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("sizes.pte");
    expect_compiled(0, "int8", pte);
    json_t *report =
        rl_process_json(rl_program_under_test(), (const char *[]){"evaluate", fixture("image", "pt2"), pte, "--data",
                                                                  fixture("image", "npz"), "--json", NULL});
    assert_true(json_number_value(json_object_get(report, "sqnr_db")) > 25.0);
    json_decref(report);
}

static void inspect_takes_shapes(void **state)
{
    (void)state;
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", fixture("pair", "pt2"),
                                                                               "--shape", "x=3,8", "--json", NULL});
    const json_t *second = json_array_get(json_object_get(report, "inputs"), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(second, "shape"), 0)), 9);
    assert_null(json_object_get(report, "compile_error"));
    json_decref(report);
}

// The samples in the model have the sizes with which it was exported. Cut or repeated they serve for any others.
static void samples_in_the_model_serve_for_other_sizes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"image", "x=1,3,24,40"}, {"image", "x=4,3,32,32"}, {"sequence", "ids=3,4"}, {"pair", "x=3,12"}};
    const char *pte = rl_temporary_path("sizes.pte");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *model = fixture(cases[i][0], "pt2");
        json_t *report = rl_process_json(rl_program_under_test(),
                                         (const char *[]){"inspect", model, "--shape", cases[i][1], "--json", NULL});
        if (json_object_get(report, "compile_error")) {
            fail_msg("%s: %s", cases[i][1], json_string_value(json_object_get(report, "compile_error")));
        }
        assert_true(json_integer_value(json_object_get(report, "arena_bytes")) > 0);
        json_decref(report);
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", pte, "--shape",
                                                                              cases[i][1], "--json", NULL}));
    }
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        const char *shapes[3];
        int status;
        const char *message;
    } cases[] = {
        {"image", {NULL}, 1, "tensor 'x': has the dynamic size 's"},
        {"image", {"x=1,3,28,40"}, 1, "input 'x': expected a multiple of 8 in dimension 2, found 28"},
        {"image", {"x=1,3,136,40"}, 1, "expected a size from 16 to 128, as exported, in dimension 2, found 136"},
        {"image", {"x=1,4,24,40"}, 1, "expected the fixed size 3 (export with dynamic_shapes) in dimension 1, found 4"},
        {"image", {"x=1,3,24"}, 1, "input 'x': expected 4 sizes, found 3"},
        {"image", {"y=1,3,24,40"}, 1, "a shape for 'y', which is not an input; accepted: 'x'"},
        {"image", {"x=1,3,,40"}, 2, "expected NAME=SIZE,SIZE,..."},
        {"image", {"x=1,3,24,-40"}, 2, "expected NAME=SIZE,SIZE,..."},
        {"image", {"1,3,24,40"}, 2, "expected NAME=SIZE,SIZE,..."},
        {"image", {"x=1,3,24,40", "x=1,3,24,40"}, 2, "--shape is given twice for 'x'"},
        {"sequence", {"ids=2,7", "mask=2,8"}, 1, "input 'mask': expected 7, which follows from another size, in"},
        {"sequence", {"isd=2,7"}, 1, "a shape for 'isd', which is not an input (did you mean 'ids'?); accepted: "},
        {"sequence", {"ids=2,33"}, 1, "expected a size from 0 to 32, as exported, in dimension 1, found 33"},
        {"pair", {"y=12"}, 1, "input 'y': expected a multiple of 2 plus 1 in dimension 0, found 12"},
        {"pair", {"y=5"}, 1, "expected a size from 7 to 21, as exported, in dimension 0, found 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rl_process process = compile(cases[i].model, cases[i].shapes, "int8", rl_temporary_path("refused.pte"));
        if (process.status != cases[i].status || !strstr(process.err, cases[i].message)) {
            fail_msg("expected '%s', found status %d and: %s", cases[i].message, process.status, process.err);
        }
        rl_process_free(&process);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_give_what_pytorch_gave),
        cmocka_unit_test(evaluate_takes_the_sizes_of_the_program),
        cmocka_unit_test(inspect_takes_shapes),
        cmocka_unit_test(samples_in_the_model_serve_for_other_sizes),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
    };

    return rl_models_exit(cmocka_run_group_tests_name("sizes", tests, NULL, NULL));
}
