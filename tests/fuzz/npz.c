// SPDX-License-Identifier: Apache-2.0
//
// Reads an archive of arrays, or one array.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/data/npy.h"
#include "compiler/data/npz.h"
#include "fuzz/fuzz.h"

// All elements of an array that was read are there.
static void touch(const struct rl_array *array)
{
    volatile uint8_t sum = 0;
    const uint8_t *bytes = array->data;

    if (array->skipped) {
        return;
    }
    for (size_t i = 0; i < (size_t)rl_array_numel(array) * rl_scalar_size((int)array->dtype); i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *arrays, array;
    jmp_buf out_of_memory;
    int count;

    arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) == 0) {
        if (size >= 2 && memcmp(data, "PK", 2) == 0) {
            if (rl_npz_read(&context, &arena, rl_fuzz_file(data, size), &arrays, &count) == RL_OK) {
                for (int i = 0; i < count; i++) {
                    touch(&arrays[i]);
                }
            }
        } else if (rl_npy_parse(&context, &arena, "fuzz", "array", data, size, &array) == RL_OK) {
            touch(&array);
        }
    }
    rl_arena_free(&arena);
    return 0;
}
