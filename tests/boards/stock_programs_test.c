// SPDX-License-Identifier: Apache-2.0
//
// Every program of the stock ExecuTorch flow, whichever core it was made for, on every emulated core: the bytes that
// the stock runtime with CMSIS-NN gave on a board that the program was made for. The host's part is
// tests/runtime/stock_test.c. The larger programs lie outside the repository, in the folder that is the only argument:
// without it the ones in tests/fixtures/stock run.
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
struct model {
    const char *name;
    bool from_device;
};
static const struct model own_models[] = {{"mlp_sine", true},  {"digits_cnn", true},   {"ds_cnn", true},
                                          {"lstm_kws", false}, {"tt_ffn", false},      {"tt_scores", false},
                                          {"gated", false},    {"functions", false},   {"quotient16", false},
                                          {"explicit", false}, {"explicit_1d", false}, {NULL}};
static const struct model larger_models[] = {{"resnet8", true}, {"deep_autoencoder", true}, {NULL}};
static const struct model *models = own_models;
static const char *folder = RL_FIXTURES "/stock";

static const struct {
    const char *name, *recorded;
} programs[] = {{"m55.pte", "device_out_m55"}, {"m4.pte", "device_out_m4"}, {"m0plus.pte", "device_out_m4"}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

struct samples {
    uint8_t *data;
    size_t bytes; // of one
};

static void file_path(char path[PATH_BYTES], const char *model, const char *name)
{
    snprintf(path, PATH_BYTES, "%s/%s/%s", folder, model, name);
}

// Appends the elements of a .npy file: they follow a header whose length stands in the bytes 8 and 9.
static void append_npy(struct samples *samples, int index, const char *model, const char *name)
{
    char path[PATH_BYTES];
    uint8_t preamble[10];
    file_path(path, model, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be opened", path);
    }
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

// Whether `program` gives the recorded bytes on `core`; says what else happened.
static bool gives_bytes(const char *program, const char *core, const struct samples *inputs,
                        const struct samples *outputs)
{
    char message[400] = "";
    const struct rl_emulation job = {.core = core,
                                     .program_path = program,
                                     .inputs = inputs->data,
                                     .input_bytes = inputs->bytes,
                                     .output_bytes = outputs->bytes,
                                     .samples = SAMPLES};
    struct rl_emulation_result result;
    if (rl_emulate(&job, &result, message, sizeof message) != RL_EMULATION_OK) {
        print_error("%s on %s: %s\n", program, core, message);
        return false;
    }
    size_t i = 0;
    while (i < outputs->bytes * SAMPLES && result.outputs[i] == outputs->data[i]) {
        i++;
    }
    const bool equal = i == outputs->bytes * SAMPLES;
    if (!equal) {
        print_error("%s on %s: byte %zu of sample %zu is %d, recorded was %d\n", program, core, i % outputs->bytes,
                    i / outputs->bytes, result.outputs[i], outputs->data[i]);
    }
    for (int sample = 0; sample < SAMPLES; sample++) {
        assert_true(result.instructions[sample] > 1000);
    }
    rl_emulation_free(&result);
    return equal;
}

static void test_every_program_on_every_core(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; models[i].name; i++) {
        struct samples inputs = read_samples(models[i].name, "in");
        for (size_t k = 0; k < PROGRAMS; k++) {
            const char *recorded = models[i].from_device ? programs[k].recorded : "dialect_out";
            struct samples outputs = read_samples(models[i].name, recorded);
            char path[PATH_BYTES];
            file_path(path, models[i].name, programs[k].name);
            for (size_t core = 0; rl_emulator_core(core); core++) {
                wrong += !gives_bytes(path, rl_emulator_core(core), &inputs, &outputs);
            }
            free(outputs.data);
        }
        free(inputs.data);
    }
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_program_on_every_core),
    };
    if (argc > 1) {
        models = larger_models;
        folder = argv[1];
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
