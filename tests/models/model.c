// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "support/process.h"

static bool skipped_one;

void rl_skip_test(void)
{
    skipped_one = true;
    skip();
}

int rl_models_exit(int failed_tests)
{
    if (failed_tests != 0) {
        return 1;
    }
    return skipped_one ? 77 : 0;
}

bool rl_shared_model(const char *name, struct rl_model *model)
{
    const char *shared = getenv("RUSHLIGHT_SHARED");

    model->name = name;
    snprintf(model->pt2, sizeof model->pt2, "%s/models/%s/float.pt2", shared ? shared : "", name);
    snprintf(model->calibration, sizeof model->calibration, "%s/models/%s/calib.npz", shared ? shared : "", name);
    snprintf(model->data, sizeof model->data, "%s/models/%s/eval.npz", shared ? shared : "", name);
    if (!shared || access(model->pt2, R_OK) != 0) {
        print_message("%s is absent: skipped\n", model->pt2);
        return false;
    }
    return true;
}

struct rl_model rl_digits_model(void)
{
    return (struct rl_model){.name = "digits",
                             .pt2 = RL_FIXTURES "/digits/digits.pt2",
                             .calibration = RL_FIXTURES "/digits/calibration.npz",
                             .data = RL_FIXTURES "/digits/test.npz"};
}

json_t *rl_compile_model(const char *program, const struct rl_model *model, const char *pte, const char *quantize)
{
    return rl_process_json(program,
                           (const char *[]){"compile", model->pt2, "-o", pte, "--calibrate", model->calibration,
                                            "--target", "any", "--quantize", quantize, "--json", NULL});
}

const char *rl_first_samples(const struct rl_model *model, int samples)
{
    const char *path = rl_temporary_path("samples.npz");
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *arrays;
    int count;

    if (rl_npz_read(&context, &arena, model->data, &arrays, &count) != RL_OK) {
        fail_msg("%s", context.message);
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, "input") == 0 || strcmp(arrays[i].name, "image") == 0) {
            arrays[0] = arrays[i]; // what lies beside it are labels and results
            arrays[0].name = "input";
            count = 1;
        }
    }
    for (; kept < count && arrays[kept].sizes[0] >= samples; kept++) {
        arrays[kept].sizes[0] = samples;
    }
    if (kept < count) {
        fail_msg("%s has no %d samples", model->data, samples);
    }
    assert_int_equal(rl_npz_write(&context, path, arrays, count), RL_OK);
    rl_arena_free(&arena);
    return path;
}

const char *const rl_emulated_cores[] = {"cortex-m0",  "cortex-m3",  "cortex-m4", "cortex-m7",
                                         "cortex-m33", "cortex-m55", NULL};

bool rl_run_emulated(const char *what, const char *const *words)
{
    struct rl_process process = rl_process_run(rl_release_program(), words);
    const bool missing = strstr(process.err, "rushlight_runner.elf: No such file or directory") ||
                         strstr(process.err, "qemu-system-arm is not installed");

    if (process.status != 0 && !missing) {
        fail_msg("%s: %s", what, process.err);
    }
    if (process.status != 0) {
        print_message("%s: skipped: %s", what, process.err);
    }
    const bool ran = process.status == 0;
    rl_process_free(&process);
    return ran;
}

bool rl_check_cores(const struct rl_model *model, int samples)
{
    return rl_check_quantized_cores(model, "int8", samples);
}

bool rl_check_quantized_cores(const struct rl_model *model, const char *quantize, int samples)
{
    const char *pte = rl_temporary_path("cores.pte"), *input = rl_first_samples(model, samples);
    const char *host_path = rl_temporary_path("host.npz"), *core_path = rl_temporary_path("core.npz");
    size_t size, core_size;
    int emulated = 0;

    json_decref(rl_compile_model(rl_release_program(), model, pte, quantize));
    json_decref(rl_process_json(rl_release_program(),
                                (const char *[]){"run", pte, "--input", input, "--output", host_path, "--json", NULL}));
    unsigned char *expected = rl_read_bytes(host_path, &size);
    for (const char *const *core = rl_emulated_cores; *core; core++) {
        if (!rl_run_emulated(model->name, (const char *[]){"run", pte, "--input", input, "--output", core_path, "--on",
                                                           *core, NULL})) {
            continue;
        }
        unsigned char *found = rl_read_bytes(core_path, &core_size);
        if (core_size != size || memcmp(found, expected, size) != 0) {
            fail_msg("%s: the outputs of %d samples on %s differ from those on the host", model->name, samples, *core);
        }
        free(found);
        emulated++;
    }
    free(expected);
    return emulated > 0;
}

json_int_t rl_count(const json_t *counts, const char *op)
{
    return json_integer_value(json_object_get(counts, op));
}

static const struct rl_array *find_array(const struct rl_array *arrays, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, name) == 0) {
            return &arrays[i];
        }
    }
    fail_msg("no array '%s'", name);
    return NULL;
}

void rl_expect_array(const char *what, const struct rl_array *found, const struct rl_array *expected, double limit)
{
    int64_t bad;
    assert_int_equal(rl_array_numel(found), rl_array_numel(expected));
    assert_int_equal(found->dtype, expected->dtype);
    const size_t element = rl_scalar_size((int)found->dtype);
    for (int64_t i = 0; i < rl_array_numel(expected); i++) {
        double a, b;
        rl_convert_elements(found->dtype, (const char *)found->data + (size_t)i * element, RL_FLOAT64, &a, 1, &bad);
        rl_convert_elements(found->dtype, (const char *)expected->data + (size_t)i * element, RL_FLOAT64, &b, 1, &bad);
        if (!(a - b <= limit && b - a <= limit)) {
            fail_msg("%s: %s[%d] is %g instead of %g", what, expected->name, (int)i, a, b);
        }
    }
}

void rl_expect_outputs(const char *what, const char *path, const char *reference, double limit)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *expected, *found;
    int expected_count, found_count;
    assert_int_equal(rl_npz_read(&context, &arena, path, &found, &found_count), RL_OK);
    assert_int_equal(rl_npz_read(&context, &arena, reference, &expected, &expected_count), RL_OK);
    for (int i = 0; i < found_count; i++) {
        rl_expect_array(what, &found[i], find_array(expected, expected_count, found[i].name), limit);
    }
    rl_arena_free(&arena);
}
