// SPDX-License-Identifier: Apache-2.0
//
// usage: runtime_corruption_sweep PROGRAM.pte TRIALS. Started by corruption_test.sh. Blocks have the exact sizes, for
// the sanitizers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"
#include "support/corruption.h"

static void *allocate(size_t bytes)
{
    void *block = NULL;
    if (posix_memalign(&block, RL_ALIGNMENT, bytes > 0 ? bytes : 1) != 0) {
        abort();
    }
    memset(block, 0, bytes);
    return block;
}

static uint8_t *read_program(const char *path, size_t *bytes)
{
    FILE *stream = fopen(path, "rb");
    if (!stream || fseek(stream, 0, SEEK_END) != 0) {
        return NULL;
    }
    *bytes = (size_t)ftell(stream);
    rewind(stream);
    uint8_t *file = allocate(*bytes);
    const size_t read = fread(file, 1, *bytes, stream);
    fclose(stream);
    return read == *bytes ? file : NULL;
}

int main(int argc, char **argv)
{
    struct rl_program program;
    struct rl_requirements needs;
    struct rl_error error = {.message = "the file cannot be read"};
    size_t bytes = 0;
    uint8_t *file = argc == 3 ? read_program(argv[1], &bytes) : NULL;
    if (!file || rl_program_open(&program, file, bytes, &error) != RL_OK ||
        rl_program_verify(&program, &rl_registry_all, &error) != RL_OK ||
        rl_method_requirements(&program, 0, &needs, &error) != RL_OK) {
        printf("FAIL: %s\n", error.message);
        return 1;
    }
    struct corruption_memory memory = {
        .arena_bytes = needs.buffer_bytes[0], .state_bytes = needs.state_bytes, .reference_bytes = 4096};
    memory.arena = allocate(memory.arena_bytes);
    memory.state = allocate(memory.state_bytes);
    memory.reference = allocate(memory.reference_bytes);
    const int failures = corrupt_single_bytes(file, bytes, &memory, (uint32_t)strtoul(argv[2], NULL, 10));
    free(memory.arena);
    free(memory.state);
    free(memory.reference);
    free(file);
    return failures == 0 ? 0 : 1;
}
