// SPDX-License-Identifier: Apache-2.0
//
// The network bench: runs the program named on the command line twice, the second time between the counter's marks, and
// prints "network" and a checksum of its outputs. Inputs are reproducible numbers between -1 and 1.
#include "board.h"
#include "mark.h"
#include "semihosting.h"

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pool {
    uint8_t *next;
    size_t left;
};

// NULL if the pool is used up.
static void *allocate(struct pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX - RL_ALIGNMENT) {
        return NULL;
    }
    const size_t rounded = (bytes + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
    if (rounded > pool->left) {
        return NULL;
    }
    void *block = pool->next;
    pool->next += rounded;
    pool->left -= rounded;
    return block;
}

static const void *read_program(struct pool *pool, const char *path, size_t *bytes)
{
    const int32_t file = rl_semihosting_open(path, RL_SEMIHOSTING_READ);
    const int32_t length = file < 0 ? -1 : rl_semihosting_length(file);
    void *data = length > 0 ? allocate(pool, (size_t)length) : NULL;
    if (!data || rl_semihosting_read(file, data, (size_t)length) != 0) {
        return NULL;
    }
    rl_semihosting_close(file);
    *bytes = (size_t)length;
    return data;
}

static enum rl_status load(struct rl_program *program, struct rl_method *method, struct rl_buffer *buffers,
                           const char *path, struct rl_error *error)
{
    struct pool pool;
    struct rl_requirements needs;
    size_t bytes = 0;
    pool.next = rl_board_pool(&pool.left);
    const void *file = read_program(&pool, path, &bytes);
    enum rl_status status = rl_program_open(program, file, bytes, error);
    if (status == RL_OK) {
        status = rl_program_verify(program, &rl_registry_all, error);
    }
    if (status == RL_OK) {
        status = rl_method_requirements(program, 0, &needs, error);
    }
    if (status != RL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < needs.buffer_count; i++) {
        buffers[i] = (struct rl_buffer){allocate(&pool, needs.buffer_bytes[i]), needs.buffer_bytes[i]};
    }
    const size_t state_bytes = (size_t)needs.state_bytes + needs.kept_bytes;
    return rl_method_init(method, program, 0, &rl_registry_all, buffers, needs.buffer_count,
                          allocate(&pool, state_bytes), state_bytes, error);
}

static void fill_floats(const struct rl_tensor *tensor, uint32_t *state)
{
    for (uint32_t i = 0; i < tensor->bytes / sizeof(float); i++) {
        *state = *state * 1664525u + 1013904223u;
        const float value = (float)((int32_t)(*state >> 20) - 2048) / 2048;
        memcpy((uint8_t *)tensor->data + i * sizeof value, &value, sizeof value);
    }
}

static enum rl_status fill_inputs(struct rl_method *method)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < rl_method_input_count(method); i++) {
        struct rl_tensor tensor;
        const enum rl_status status = rl_method_input(method, i, &tensor);
        if (status != RL_OK) {
            return status;
        }
        if (!tensor.data || tensor.dtype != RL_FLOAT32) {
            return RL_ERROR_TYPE;
        }
        fill_floats(&tensor, &state);
    }
    return RL_OK;
}

static enum rl_status print_checksum(struct rl_method *method)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < rl_method_output_count(method); i++) {
        struct rl_tensor tensor;
        const enum rl_status status = rl_method_output(method, i, &tensor);
        if (status != RL_OK) {
            return status;
        }
        for (uint32_t k = 0; k < tensor.bytes; k++) {
            hash = (hash ^ ((const uint8_t *)tensor.data)[k]) * 16777619u;
        }
    }
    rl_board_print("network ");
    rl_board_print_hex(hash);
    rl_board_print("\n");
    return RL_OK;
}

int main(int argc, char **argv)
{
    static struct rl_program program;
    static struct rl_method method;
    static struct rl_buffer buffers[RL_MAX_BUFFERS];
    struct rl_error error = {.message = "inputs and outputs must be planned tensors of floats"};
    if (argc != 2) {
        return 2;
    }
    enum rl_status status = load(&program, &method, buffers, argv[1], &error);
    if (status == RL_OK) {
        status = fill_inputs(&method);
    }
    if (status == RL_OK) {
        status = rl_method_execute(&method);
    }
    if (status == RL_OK) {
        status = fill_inputs(&method);
    }
    if (status == RL_OK) {
        rl_mark_begin();
        status = rl_method_execute(&method);
        rl_mark_end();
        error = method.error;
    }
    if (status == RL_OK) {
        status = print_checksum(&method);
    }
    if (status == RL_OK) {
        return 0;
    }
    rl_board_print(error.message);
    rl_board_print("\n");
    return 1;
}
