// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARENA = 16 << 20 }; // of a program in a test; a damaged file may ask for more

const char *const stock_models[] = {"mlp_sine", "digits_cnn", "ds_cnn",     "lstm_kws", "tt_ffn",     "tt_scores",
                                    "gated",    "functions",  "quotient16", "explicit", "explicit_1d"};
const int stock_model_count = sizeof stock_models / sizeof stock_models[0];

uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = NULL;
    if (posix_memalign(&bytes, RL_ALIGNMENT, *size) != 0 || fread(bytes, 1, *size, file) != *size) {
        abort();
    }
    fclose(file);
    return bytes;
}

uint8_t *read_npy(const char *path, size_t *size)
{
    size_t file_size;
    uint8_t *file = read_file(path, &file_size);
    if (!file) {
        return NULL;
    }
    size_t header = 10u + file[8] + 256u * file[9];
    *size = file_size - header;
    memmove(file, file + header, *size);
    return file;
}

// Prepares the first method of an open program.
static enum rl_status prepare(struct runnable *runnable, bool verify)
{
    struct rl_requirements needs;
    struct rl_error *error = &runnable->error;
    enum rl_status status = RL_OK;
    if (verify) {
        status = rl_program_verify(&runnable->program, &rl_registry_all, error);
    }
    if (status == RL_OK) {
        status = rl_method_requirements(&runnable->program, 0, &needs, error);
    }
    if (status != RL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < needs.buffer_count; i++) {
        if (needs.buffer_bytes[i] > MOST_ARENA) {
            return RL_ERROR_MEMORY;
        }
        if (posix_memalign(&runnable->buffers[i].data, RL_ALIGNMENT, needs.buffer_bytes[i]) != 0) {
            abort();
        }
        runnable->buffers[i].bytes = needs.buffer_bytes[i];
        runnable->buffer_count++;
        memset(runnable->buffers[i].data, 0, needs.buffer_bytes[i]);
    }
    if (needs.state_bytes > MOST_ARENA || needs.kept_bytes > MOST_ARENA) {
        return RL_ERROR_MEMORY;
    }
    runnable->state_bytes = needs.state_bytes + needs.kept_bytes;
    runnable->state = malloc(runnable->state_bytes);
    return rl_method_init(&runnable->method, &runnable->program, 0, &rl_registry_all, runnable->buffers,
                          runnable->buffer_count, runnable->state, runnable->state_bytes, error);
}

enum rl_status runnable_open(struct runnable *runnable, const uint8_t *file, size_t size, bool verify)
{
    memset(runnable, 0, sizeof *runnable);
    enum rl_status status = rl_program_open(&runnable->program, file, size, &runnable->error);
    return status == RL_OK ? prepare(runnable, verify) : status;
}

enum rl_status runnable_open_trusted(struct runnable *runnable, const uint8_t *file, size_t size)
{
    memset(runnable, 0, sizeof *runnable);
    enum rl_status status = rl_program_open(&runnable->program, file, size, &runnable->error);
    rl_program_trust(&runnable->program, &rl_registry_all);
    return status == RL_OK ? prepare(runnable, false) : status;
}

enum rl_status runnable_open_with(struct runnable *runnable, const uint8_t *file, size_t size, const uint8_t *data,
                                  size_t data_size)
{
    memset(runnable, 0, sizeof *runnable);
    enum rl_status status = rl_program_open(&runnable->program, file, size, &runnable->error);
    if (status == RL_OK) {
        status = rl_program_attach(&runnable->program, data, data_size, &runnable->error);
    }
    return status == RL_OK ? prepare(runnable, true) : status;
}

void runnable_free(struct runnable *runnable)
{
    for (uint32_t i = 0; i < runnable->buffer_count; i++) {
        free(runnable->buffers[i].data);
    }
    free(runnable->state);
}
