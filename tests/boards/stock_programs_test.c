// SPDX-License-Identifier: Apache-2.0
//
// Programs of the stock ExecuTorch flow on our runtime, on the emulated cores: the bytes that the stock
// runtime with CMSIS-NN gave on such boards. And each program on each core, also on those it was not made
// for: a result or a refusal, never a fault. The programs lie outside the repository.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4, PATH_BYTES = 512 };

// Where no output of a device was recorded, that of the lowered program in Python.
static const struct {
    const char *name;
    bool from_device;
} models[] = {{"mlp_sine", true},         {"digits_cnn", true}, {"ds_cnn", true},  {"resnet8", true},
              {"deep_autoencoder", true}, {"lstm_kws", false},  {"tt_ffn", false}, {"tt_scores", false}};
enum { MODELS = sizeof models / sizeof *models };

static const struct {
    const char *core, *program, *recorded;
} jobs[] = {{"cortex-m0", "m0plus.pte", "device_out_m4"}, {"cortex-m3", "m0plus.pte", "device_out_m4"},
            {"cortex-m4", "m4.pte", "device_out_m4"},     {"cortex-m7", "m4.pte", "device_out_m4"},
            {"cortex-m33", "m4.pte", "device_out_m4"},    {"cortex-m55", "m55.pte", "device_out_m55"}};
enum { JOBS = sizeof jobs / sizeof *jobs };

struct samples {
    uint8_t *data;
    size_t bytes; // of one
};

static void file_path(char path[PATH_BYTES], const char *model, const char *name)
{
    const char *shared = getenv("RUSHLIGHT_SHARED");
    snprintf(path, PATH_BYTES, "%s/stock/%s/%s", shared ? shared : "../shared", model, name);
}

// Appends the elements of a .npy file: they follow a header whose length stands in the bytes 8 and 9.
static void append_npy(struct samples *samples, int index, const char *model, const char *name)
{
    char path[PATH_BYTES];
    uint8_t preamble[10];
    file_path(path, model, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    assert_int_equal(fread(preamble, 1, sizeof preamble, file), sizeof preamble);
    const long start = (long)sizeof preamble + preamble[8] + 256L * preamble[9];
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long end = ftell(file);
    assert_true(end > start);
    const size_t bytes = (size_t)(end - start);
    assert_true(index == 0 || bytes == samples->bytes);
    samples->bytes = bytes;
    samples->data = realloc(samples->data, bytes * ((size_t)index + 1));
    assert_non_null(samples->data);
    assert_int_equal(fseek(file, start, SEEK_SET), 0);
    assert_int_equal(fread(samples->data + bytes * (size_t)index, 1, bytes, file), bytes);
    fclose(file);
}

static struct samples read_samples(const char *model, const char *prefix)
{
    struct samples samples = {0};
    for (int i = 0; i < SAMPLES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%d.npy", prefix, i);
        append_npy(&samples, i, model, name);
    }
    return samples;
}

static void expect_bytes(const char *model, const char *core, const char *program, const char *recorded)
{
    char path[PATH_BYTES], message[400] = "";
    struct samples inputs = read_samples(model, "in"), outputs = read_samples(model, recorded);
    file_path(path, model, program);
    const struct rl_emulation job = {.core = core,
                                     .program_path = path,
                                     .inputs = inputs.data,
                                     .input_bytes = inputs.bytes,
                                     .output_bytes = outputs.bytes,
                                     .samples = SAMPLES};
    struct rl_emulation_result result;
    if (rl_emulate(&job, &result, message, sizeof message) != RL_EMULATION_OK)
        fail_msg("%s", message);
    for (size_t i = 0; i < outputs.bytes * SAMPLES; i++)
        if (result.outputs[i] != outputs.data[i])
            fail_msg("%s on %s: byte %zu of sample %zu is %d, recorded was %d", path, core, i % outputs.bytes,
                     i / outputs.bytes, result.outputs[i], outputs.data[i]);
    for (int i = 0; i < SAMPLES; i++)
        assert_true(result.instructions[i] > 1000);
    rl_emulation_free(&result);
    free(inputs.data);
    free(outputs.data);
}

static void test_recorded_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        for (size_t job = 0; job < JOBS; job++)
            expect_bytes(models[i].name, jobs[job].core, jobs[job].program,
                         models[i].from_device ? jobs[job].recorded : "dialect_out");
}

// Whether `program` gave a result on `core`; refused programs must say why.
static bool runs(const char *model, const char *core, const char *program)
{
    char path[PATH_BYTES], message[400] = "";
    struct samples inputs = read_samples(model, "in"), outputs = read_samples(model, "device_out_m4");
    file_path(path, model, program);
    const struct rl_emulation job = {.core = core,
                                     .program_path = path,
                                     .inputs = inputs.data,
                                     .input_bytes = inputs.bytes,
                                     .output_bytes = outputs.bytes,
                                     .samples = 1};
    struct rl_emulation_result result;
    const enum rl_emulation_status status = rl_emulate(&job, &result, message, sizeof message);
    if (status != RL_EMULATION_OK && status != RL_EMULATION_REFUSED)
        fail_msg("%s: %s", path, message);
    if (status == RL_EMULATION_OK)
        assert_memory_equal(result.outputs, outputs.data, outputs.bytes);
    else
        assert_true(strlen(message) > strlen(path) + 40);
    rl_emulation_free(&result);
    free(inputs.data);
    free(outputs.data);
    return status == RL_EMULATION_OK;
}

static void test_programs_of_other_cores(void **state)
{
    (void)state;
    static const char *const programs[] = {"m0plus.pte", "m4.pte", "m55.pte"};
    for (size_t core = 0; rl_emulator_core(core); core++)
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
            printf("%s on %s:", programs[i], rl_emulator_core(core));
            printf(" mlp_sine %s,",
                   runs("mlp_sine", rl_emulator_core(core), programs[i]) ? "runs" : "refused");
            printf(" digits_cnn %s\n",
                   runs("digits_cnn", rl_emulator_core(core), programs[i]) ? "runs" : "refused");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_bytes),
        cmocka_unit_test(test_programs_of_other_cores),
    };
    char path[PATH_BYTES];
    file_path(path, models[0].name, "m4.pte");
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("no programs of the stock flow in ../shared/stock\n");
        return 77;
    }
    fclose(file);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
