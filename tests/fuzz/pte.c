// SPDX-License-Identifier: Apache-2.0
//
// A program is opened, verified, prepared with memory of exactly the size it requires, and run: whatever the
// file says, nothing else may be touched.
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "rushlight/runtime.h"

enum {
    MOST_BYTES = 16 << 10, // of a buffer or a tensor of the caller: it bounds the time that a kernel takes
    MOST_TENSORS = 16,     // of the caller
    MOST_INSTRUCTIONS = 300,
};

struct memory {
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    uint32_t buffer_count;
    void *state;
    void *tensors[MOST_TENSORS];
    uint32_t tensor_count;
};

static void *take(size_t bytes)
{
    void *block = NULL;
    if (posix_memalign(&block, RL_ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
        abort();
    memset(block, 0, bytes);
    return block;
}

static void free_memory(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->buffer_count; i++)
        free(memory->buffers[i].data);
    for (uint32_t i = 0; i < memory->tensor_count; i++)
        free(memory->tensors[i]);
    free(memory->state);
}

static enum rl_status prepare(struct rl_method *method, const struct rl_program *program, uint32_t index,
                              struct memory *memory)
{
    struct rl_requirements needs;
    enum rl_status status = rl_method_requirements(program, index, &needs, NULL);
    if (status != RL_OK)
        return status;
    for (uint32_t i = 0; i < needs.buffer_count; i++) {
        if (needs.buffer_bytes[i] > MOST_BYTES)
            return RL_ERROR_MEMORY;
        memory->buffers[i] = (struct rl_buffer){take(needs.buffer_bytes[i]), needs.buffer_bytes[i]};
        memory->buffer_count++;
    }
    const size_t kept_bytes = needs.kept_bytes < MOST_BYTES ? needs.kept_bytes : MOST_BYTES;
    memory->state = take(needs.state_bytes + kept_bytes);
    return rl_method_init(method, program, index, &rl_registry_all, memory->buffers, memory->buffer_count,
                          memory->state, needs.state_bytes + kept_bytes, NULL);
}

typedef enum rl_status get_tensor(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);
typedef enum rl_status bind_tensor(struct rl_method *method, uint32_t index, void *data, size_t bytes);

static void bind_all(struct rl_method *method, uint32_t count, get_tensor *get, bind_tensor *bind,
                     struct memory *memory)
{
    struct rl_tensor tensor;
    for (uint32_t i = 0; i < count && memory->tensor_count < MOST_TENSORS; i++) {
        if (get(method, i, &tensor) != RL_OK || tensor.data || tensor.bytes > MOST_BYTES)
            continue;
        void *data = take(tensor.bytes);
        memory->tensors[memory->tensor_count++] = data;
        bind(method, i, data, tensor.bytes);
    }
}

static void run(const struct rl_program *program, uint32_t index)
{
    struct rl_method method;
    struct rl_tensor tensor;
    struct memory memory = {.buffer_count = 0};
    bool done;
    if (prepare(&method, program, index, &memory) == RL_OK) {
        bind_all(&method, rl_method_input_count(&method), rl_method_input, rl_method_bind_input, &memory);
        bind_all(&method, rl_method_output_count(&method), rl_method_output, rl_method_bind_output, &memory);
        rl_method_step(&method, MOST_INSTRUCTIONS, &done);
        rl_method_step(&method, MOST_INSTRUCTIONS, &done); // if that was all: with what operators kept
        for (uint32_t i = 0; i < rl_method_output_count(&method); i++) {
            if (rl_method_output(&method, i, &tensor) != RL_OK || !tensor.data || tensor.bytes > MOST_BYTES)
                continue;
            uint8_t *copy = take(tensor.bytes);
            rl_tensor_to_logical(&tensor, copy, tensor.bytes);
            free(copy);
        }
    }
    free_memory(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rl_program program;
    uint8_t *file = take(size);
    memcpy(file, data, size);
    if (rl_program_open(&program, file, size, NULL) == RL_OK) {
        rl_program_check(&program, NULL);
        if (rl_program_verify(&program, &rl_registry_all, NULL) == RL_OK) {
            for (uint32_t i = 0; i < rl_program_method_count(&program) && i < 4; i++)
                run(&program, i);
        }
    }
    free(file);
    return 0;
}
