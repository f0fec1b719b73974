// SPDX-License-Identifier: Apache-2.0
//
// Programs of ExecuTorch with branches, loops, numbers, state and tensors in another file give what PyTorch gave, on
// the host and on every emulated core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "compiler/support/file.h"
#include "model.h"
#include "support/process.h"

static const struct {
    const char *name, *method; // the latter NULL where the program has one
} programs[] = {
    {"branch", NULL},  {"nested", NULL},        {"map", NULL},          {"scan", NULL},
    {"item", NULL},    {"state", NULL},         {"external", NULL},     {"unplanned", NULL},
    {"numbers", NULL}, {"computed", NULL},      {"asked", NULL},        {"converted", NULL},
    {"viewed", NULL},  {"viewed_branch", NULL}, {"methods", "combine"}, {"methods", "encode"},
};

enum { PROGRAMS = sizeof programs / sizeof *programs, WORDS = 12 };

struct recording {
    char pte[256], data[256], arrays[256];
    const char *method;
    bool has_data;
};

static struct recording find_recording(const char *name, const char *method)
{
    struct recording recording = {.method = method};
    snprintf(recording.pte, sizeof recording.pte, "%s/programs/%s.pte", RL_FIXTURES, name);
    snprintf(recording.data, sizeof recording.data, "%s/programs/%s.ptd", RL_FIXTURES, name);
    snprintf(recording.arrays, sizeof recording.arrays, "%s/programs/%s%s%s.npz", RL_FIXTURES, name, method ? "." : "",
             method ? method : "");
    recording.has_data = access(recording.data, R_OK) == 0;
    return recording;
}

// The command that runs a program on `core`.
static void make_words(const struct recording *recording, const char *output, const char *core,
                       const char *words[WORDS])
{
    const char *const all[WORDS] = {"run",  recording->pte, "--input", recording->arrays, "--output", output,
                                    "--on", core,           NULL};
    memcpy(words, all, sizeof all);
    if (recording->has_data) {
        words[8] = "--program-data";
        words[9] = recording->data;
    }
    if (recording->method) {
        words[8] = "--method";
        words[9] = recording->method;
    }
}

static const struct rl_array *find_array(const struct rl_array *arrays, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, name) == 0) {
            return &arrays[i];
        }
    }
    return NULL;
}

// Every recorded output is in `path`, byte for byte.
static void expect_outputs(const struct recording *recording, const char *path, const char *core)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *expected, *found;
    int expected_count, found_count, outputs = 0;

    assert_int_equal(rl_npz_read(&context, &arena, recording->arrays, &expected, &expected_count), RL_OK);
    assert_int_equal(rl_npz_read(&context, &arena, path, &found, &found_count), RL_OK);
    for (int i = 0; i < expected_count; i++) {
        if (strncmp(expected[i].name, "output_", 7) != 0) {
            continue;
        }
        const struct rl_array *array = found_count == 1 ? found : find_array(found, found_count, expected[i].name);
        assert_non_null(array);
        const size_t bytes = (size_t)rl_array_numel(&expected[i]) * rl_scalar_size((int)expected[i].dtype);
        assert_int_equal(array->dtype, expected[i].dtype);
        assert_int_equal(rl_array_numel(array), rl_array_numel(&expected[i]));
        if (memcmp(array->data, expected[i].data, bytes) != 0) {
            fail_msg("%s on %s: %s is not as recorded", recording->pte, core, expected[i].name);
        }
        outputs++;
    }
    assert_int_equal(outputs, found_count);
    rl_arena_free(&arena);
}

static void the_host_gives_what_pytorch_gave(void **state)
{
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        const struct recording recording = find_recording(programs[i].name, programs[i].method);
        const char *output = rl_temporary_path("programs.npz"), *words[WORDS];
        make_words(&recording, output, "host", words);
        struct rl_process process = rl_process_run(rl_program_under_test(), words);
        if (process.status != 0) {
            print_error("%s: %s", recording.pte, process.err);
        }
        assert_int_equal(process.status, 0);
        rl_process_free(&process);
        expect_outputs(&recording, output, "host");
    }
}

static void every_core_gives_what_pytorch_gave(void **state)
{
    (void)state;
    bool ran = false;
    for (int i = 0; i < PROGRAMS; i++) {
        const struct recording recording = find_recording(programs[i].name, programs[i].method);
        for (const char *const *core = rl_emulated_cores; *core; core++) {
            const char *output = rl_temporary_path("programs.npz"), *words[WORDS];
            make_words(&recording, output, *core, words);
            if (rl_run_emulated(recording.pte, words)) {
                expect_outputs(&recording, output, *core);
                ran = true;
            }
        }
    }
    if (!ran) {
        rl_skip_test();
    }
}

static void a_core_tells_the_memory_that_a_run_took(void **state)
{
    (void)state;
    const struct recording recording = find_recording("map", NULL);
    const char *words[] = {"run", recording.pte, "--on", "cortex-m4", "--json", NULL};
    if (!rl_run_emulated(recording.pte, words)) {
        rl_skip_test();
        return;
    }
    json_t *report = rl_process_json(rl_program_under_test(), words);
    json_t *inspected =
        rl_process_json(rl_program_under_test(), (const char *[]){"inspect", recording.pte, "--json", NULL});
    assert_true(json_equal(json_object_get(report, "arena_bytes"), json_object_get(inspected, "arena_bytes")));
    assert_true(json_integer_value(json_object_get(report, "state_bytes")) > 0);
    assert_true(json_integer_value(json_object_get(report, "stack_bytes")) > 0);
    json_decref(inspected);
    json_decref(report);
}

static void a_missing_data_file_is_named(void **state)
{
    (void)state;
    const struct recording recording = find_recording("external", NULL);
    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){"run", recording.pte, NULL});
    assert_int_not_equal(process.status, 0);
    assert_non_null(strstr(process.err, "a tensor lies in another file (.ptd), which was not given"));
    rl_process_free(&process);
}

static void expect_failure(const char *const words[], const char *sentence)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    assert_int_equal(process.status, 1);
    if (!strstr(process.err, sentence)) {
        fail_msg("expected '%s', found '%s'", sentence, process.err);
    }
    rl_process_free(&process);
}

static void a_method_that_is_not_there_is_refused_with_those_that_are(void **state)
{
    (void)state;
    const struct recording recording = find_recording("methods", NULL);
    for (int i = 0; i < 2; i++) {
        expect_failure((const char *[]){i ? "run" : "inspect", recording.pte, "--method", "decode", NULL},
                       "there is no method 'decode' (did you mean 'encode'?); accepted: combine, encode");
    }
}

static void inspect_shows_the_methods_and_the_one_asked_for(void **state)
{
    (void)state;
    const struct recording recording = find_recording("methods", NULL);
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"inspect", recording.pte, "--method", "encode", "--json", NULL});
    const json_t *methods = json_object_get(report, "methods");
    assert_int_equal(json_array_size(methods), 2);
    assert_string_equal(json_string_value(json_array_get(methods, 0)), "combine");
    assert_string_equal(json_string_value(json_object_get(report, "method")), "encode");
    assert_int_equal(json_array_size(json_object_get(report, "inputs")), 1);
    assert_int_equal(json_array_size(json_object_get(report, "missing_operators")), 0);
    json_decref(report);
}

static void inspect_shows_what_is_not_a_call(void **state)
{
    (void)state;
    const struct recording recording = find_recording("branch", NULL);
    json_t *report =
        rl_process_json(rl_program_under_test(), (const char *[]){"inspect", recording.pte, "--json", NULL});
    const json_t *first = json_array_get(json_object_get(report, "instructions"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "op")), "jump_false");
    json_decref(report);
}

// Copies a program with the names of two operators spelled as none is.
static void write_unknown_operators(const char *from, const char *to)
{
    static const char *const names[][2] = {{"aten::relu", "aten::rexu"}, {"aten::neg", "aten::nxg"}};
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    void *file;
    size_t size;

    assert_int_equal(rl_file_read(&context, &arena, from, &file, &size), RL_OK);
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(names[i][0]);
        char *text = file, *end = text + size - length;
        while (text < end && memcmp(text, names[i][0], length) != 0) {
            text++;
        }
        assert_true(text < end);
        memcpy(text, names[i][1], length);
    }
    assert_int_equal(rl_file_write(&context, to, file, size), RL_OK);
    rl_arena_free(&arena);
}

static void every_operator_that_the_runtime_lacks_is_named(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("unknown.pte");
    write_unknown_operators(find_recording("branch", NULL).pte, path);
    expect_failure((const char *[]){"run", path, NULL}, "aten::rexu.out, aten::nxg.out");
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", path, "--json", NULL});
    const json_t *missing = json_object_get(report, "missing_operators");
    assert_int_equal(json_array_size(missing), 2);
    assert_string_equal(json_string_value(json_array_get(missing, 1)), "aten::nxg.out");
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_gives_what_pytorch_gave),
        cmocka_unit_test(every_core_gives_what_pytorch_gave),
        cmocka_unit_test(a_core_tells_the_memory_that_a_run_took),
        cmocka_unit_test(a_missing_data_file_is_named),
        cmocka_unit_test(a_method_that_is_not_there_is_refused_with_those_that_are),
        cmocka_unit_test(inspect_shows_the_methods_and_the_one_asked_for),
        cmocka_unit_test(inspect_shows_what_is_not_a_call),
        cmocka_unit_test(every_operator_that_the_runtime_lacks_is_named),
    };

    return rl_models_exit(cmocka_run_group_tests_name("programs", tests, NULL, NULL));
}
