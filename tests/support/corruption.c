// SPDX-License-Identifier: Apache-2.0
#include "support/corruption.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// As a careful firmware starts: open, check, verify.
static enum rl_status start(struct rl_program *program, const uint8_t *file, size_t bytes, struct rl_error *error)
{
    enum rl_status status = rl_program_open(program, file, bytes, error);
    if (status == RL_OK) {
        status = rl_program_check(program, error);
    }
    return status == RL_OK ? rl_program_verify(program, &rl_registry_all, error) : status;
}

// Runs a started program on a fixed input; its first output is compared with `reference`, or kept there.
static enum rl_status run(const struct rl_program *program, const struct corruption_memory *memory, bool keep,
                          bool *same)
{
    const struct rl_buffer arena = {memory->arena, memory->arena_bytes};
    struct rl_method method;
    struct rl_tensor tensor;
    enum rl_status status =
        rl_method_init(&method, program, 0, &rl_registry_all, &arena, 1, memory->state, memory->state_bytes, NULL);
    if (status == RL_OK) {
        status = rl_method_input(&method, 0, &tensor);
    }
    if (status != RL_OK) {
        return status;
    }
    memset(tensor.data, 0x3e, tensor.bytes); // as a float: 0.186
    status = rl_method_execute(&method);
    if (status == RL_OK) {
        status = rl_method_output(&method, 0, &tensor);
    }
    if (status != RL_OK || tensor.bytes > memory->reference_bytes) {
        return status != RL_OK ? status : RL_ERROR_MEMORY;
    }
    if (keep) {
        memcpy(memory->reference, tensor.data, tensor.bytes);
    }
    *same = memcmp(memory->reference, tensor.data, tensor.bytes) == 0;
    return RL_OK;
}

int corrupt_single_bytes(uint8_t *file, size_t bytes, const struct corruption_memory *memory, uint32_t trials)
{
    struct rl_program program;
    struct rl_error error;
    uint32_t random = 2463534242, noticed = 0;
    int failures = 0;
    bool same;
    enum rl_status status = start(&program, file, bytes, &error);
    if (status == RL_OK) {
        status = run(&program, memory, true, &same);
    }
    if (status != RL_OK) {
        printf("FAIL: the whole program: %s\n", rl_status_text(status));
        return 1;
    }
    for (uint32_t i = 0; i < trials; i++) {
        const size_t where = next_random(&random) % bytes;
        const uint8_t change = (uint8_t)(1 + next_random(&random) % 255);
        file[where] ^= change;
        same = false;
        status = start(&program, file, bytes, &error);
        noticed += status != RL_OK;
        if (status == RL_OK && (run(&program, memory, false, &same) != RL_OK || !same)) {
            printf("FAIL: byte %u changed by %u: not noticed\n", (unsigned)where, change);
            failures++;
        }
        // What the checksum kept away must not harm the verifier, either.
        if (rl_program_open(&program, file, bytes, NULL) == RL_OK) {
            rl_program_verify(&program, &rl_registry_all, NULL);
        }
        file[where] ^= change;
    }
    printf("%u corruptions of %u bytes: %u noticed, %d wrong\n", (unsigned)trials, (unsigned)bytes, (unsigned)noticed,
           failures);
    return failures;
}
