// SPDX-License-Identifier: Apache-2.0
//
// Made-up inputs for a run of a model, and what one line says of its results: operators_runtime.c prints them for the
// runtime, operators_model.c for the same models as C.
#ifndef RL_TESTS_MADE_INPUTS_H
#define RL_TESTS_MADE_INPUTS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 4 };

// Integers of 32 and 64 bits are 0 or 1 in the first two runs, so that they are indices of most tensors, and 0 to 3 in
// the third. In the last run they are anything, and operators may refuse them. `type` is the type of elements in C.
static inline void make_input(void *data, size_t bytes, const char *type, int run, uint32_t *seed)
{
    const int is_float = strcmp(type, "float") == 0, is_double = strcmp(type, "double") == 0;
    const int is_bool = strcmp(type, "bool") == 0 || strcmp(type, "_Bool") == 0; // <stdbool.h> has a macro
    const int is_index = strcmp(type, "int32_t") == 0 || strcmp(type, "int64_t") == 0;
    const size_t size = strstr(type, "64") || is_double ? 8 : 4;
    for (size_t i = 0; i < bytes; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        uint8_t byte = (uint8_t)(*seed >> 24);
        if (is_bool || (is_index && run < 3)) {
            byte = is_bool || i % size == 0 ? byte % (run < 2 || is_bool ? 2 : 4) : 0;
        }
        ((uint8_t *)data)[i] = byte;
    }
    for (size_t i = 0; (is_float || is_double) && i + size <= bytes; i += size) {
        *seed = *seed * 1664525u + 1013904223u;
        const float number = (float)(int32_t)*seed * (1.0f / (1 << 29));
        const double wide = number;
        memcpy((uint8_t *)data + i, is_float ? (const void *)&number : (const void *)&wide, size);
    }
}

static inline void print_output(const char *name, int run, int output, const void *data, size_t bytes)
{
    uint32_t checksum = 2166136261u; // FNV-1a
    for (size_t i = 0; i < bytes; i++) {
        checksum = (checksum ^ ((const uint8_t *)data)[i]) * 16777619u;
    }
    printf("%s run %d output %d: %u bytes %08x\n", name, run, output, (unsigned)bytes, (unsigned)checksum);
}

#endif
