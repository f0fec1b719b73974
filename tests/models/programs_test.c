// SPDX-License-Identifier: Apache-2.0
//
// Programs of ExecuTorch with branches, loops, numbers, state and tensors in another file give what PyTorch
// gave, on the host and on every emulated core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "model.h"
#include "support/process.h"

static const char *const programs[] = {"branch", "nested", "map", "scan", "item", "state", "external"};

enum { PROGRAMS = sizeof programs / sizeof *programs, WORDS = 12 };

struct recording {
    char pte[256], data[256], arrays[256];
    bool has_data;
};

static struct recording find_recording(const char *name)
{
    struct recording recording;
    snprintf(recording.pte, sizeof recording.pte, "%s/programs/%s.pte", RL_FIXTURES, name);
    snprintf(recording.data, sizeof recording.data, "%s/programs/%s.ptd", RL_FIXTURES, name);
    snprintf(recording.arrays, sizeof recording.arrays, "%s/programs/%s.npz", RL_FIXTURES, name);
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
        const struct rl_array *array =
            found_count == 1 ? found : find_array(found, found_count, expected[i].name);
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
        const struct recording recording = find_recording(programs[i]);
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
        const struct recording recording = find_recording(programs[i]);
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

static void a_missing_data_file_is_named(void **state)
{
    (void)state;
    const struct recording recording = find_recording("external");
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"run", recording.pte, NULL});
    assert_int_not_equal(process.status, 0);
    assert_non_null(strstr(process.err, "a tensor lies in another file (.ptd), which was not given"));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_gives_what_pytorch_gave),
        cmocka_unit_test(every_core_gives_what_pytorch_gave),
        cmocka_unit_test(a_missing_data_file_is_named),
    };

    return rl_models_exit(cmocka_run_group_tests_name("programs", tests, NULL, NULL));
}
