// SPDX-License-Identifier: Apache-2.0
//
// Files that several versions of PyTorch wrote: the float program gives what PyTorch gave, and the int8 program has the
// bytes of the one made of the newest version's file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "model.h"
#include "support/process.h"

static const char newest[] = "2.15.0";

static const struct {
    const char *version, *model;
} files[] = {
    {"2.7.1", "cnn"},   {"2.7.1", "gru"},    {"2.7.1", "views"},      {"2.8.0", "cnn"},    {"2.8.0", "gru"},
    {"2.8.0", "views"}, {"2.8.0", "mixed"},  {"2.8.0", "attention"},  {"2.9.1", "gru"},    {"2.9.1", "views"},
    {"2.10.0", "lstm"}, {"2.10.0", "mixed"}, {"2.10.0", "attention"}, {"2.11.0", "lstm"},  {"2.15.0", "cnn"},
    {"2.15.0", "gru"},  {"2.15.0", "lstm"},  {"2.15.0", "views"},     {"2.15.0", "mixed"}, {"2.15.0", "attention"},
};

enum { FILES = sizeof files / sizeof *files };

// The program of a file, with its path.
static const char *compile(const char *version, const char *model, const char *quantize, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/versions/%s/%s.pt2", RL_FIXTURES, version, model);
    const char *pte = rl_temporary_path(name);
    json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"compile", path, "-o", pte, "--target", "any",
                                                                          "--quantize", quantize, "--json", NULL}));
    return pte;
}

static void float_programs_give_what_pytorch_gave(void **state)
{
    const double limit = 2e-6; // the longest sums are of 64 products
    (void)state;
    for (int i = 0; i < FILES; i++) {
        char inputs[512], outputs[512], what[64];
        snprintf(inputs, sizeof inputs, "%s/versions/%s.inputs.npz", RL_FIXTURES, files[i].model);
        snprintf(outputs, sizeof outputs, "%s/versions/%s.outputs.npz", RL_FIXTURES, files[i].model);
        snprintf(what, sizeof what, "%s of PyTorch %s", files[i].model, files[i].version);
        const char *pte = compile(files[i].version, files[i].model, "none", "float.pte");
        const char *result = rl_temporary_path("result.npz");
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", inputs, "--output",
                                                                              result, "--json", NULL}));
        struct rl_context context = {0};
        struct rl_arena arena = {0};
        struct rl_array *expected, *found;
        int expected_count, found_count;
        assert_int_equal(rl_npz_read(&context, &arena, outputs, &expected, &expected_count), RL_OK);
        assert_int_equal(rl_npz_read(&context, &arena, result, &found, &found_count), RL_OK);
        assert_int_equal(found_count, expected_count);
        for (int k = 0; k < expected_count; k++) {
            rl_expect_array(what, &found[k], &expected[k], limit);
        }
        rl_arena_free(&arena);
    }
}

static void expect_same_bytes(const char *what, const char *path, const char *reference)
{
    size_t size, reference_size;
    unsigned char *bytes = rl_read_bytes(path, &size);
    unsigned char *reference_bytes = rl_read_bytes(reference, &reference_size);
    assert_true(bytes && reference_bytes);
    if (size != reference_size || memcmp(bytes, reference_bytes, size) != 0) {
        fail_msg("%s: %zu bytes differ from the %zu expected", what, size, reference_size);
    }
    free(bytes);
    free(reference_bytes);
}

static void int8_programs_are_those_of_the_newest_version(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++) {
        char what[64];
        snprintf(what, sizeof what, "%s of PyTorch %s", files[i].model, files[i].version);
        const char *pte = compile(files[i].version, files[i].model, "int8", "int8.pte");
        expect_same_bytes(what, pte, compile(newest, files[i].model, "int8", "newest.pte"));
    }
}

static void cores_run_the_program_of_an_old_file(void **state)
{
    (void)state;
    const char *inputs = RL_FIXTURES "/versions/cnn.inputs.npz";
    const char *pte = compile("2.8.0", "cnn", "int8", "int8.pte");
    const char *host = rl_temporary_path("host.npz"), *output = rl_temporary_path("core.npz");
    bool ran = false;
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"run", pte, "--input", inputs, "--output", host, "--json", NULL}));
    for (const char *const *core = rl_emulated_cores; *core; core++) {
        if (rl_run_emulated("cnn of PyTorch 2.8.0",
                            (const char *[]){"run", pte, "--input", inputs, "--output", output, "--on", *core, NULL})) {
            expect_same_bytes(*core, output, host);
            ran = true;
        }
    }
    if (!ran) {
        rl_skip_test();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_programs_give_what_pytorch_gave),
        cmocka_unit_test(int8_programs_are_those_of_the_newest_version),
        cmocka_unit_test(cores_run_the_program_of_an_old_file),
    };

    return rl_models_exit(cmocka_run_group_tests_name("versions", tests, NULL, NULL));
}
