// SPDX-License-Identifier: Apache-2.0
//
// A model as C beside the same model as a program of the runtime, on the host or a core: both get the same made-up
// inputs, run after run, and must give the same bytes. Links model.c, its kernels and the runtime. On a core it also
// checks that a run needs no more stack than the header says, and has marks around each run, first the runtime's, for
// the counter of instructions.
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#if defined(__ARM_ARCH_PROFILE)
#include "board.h"
#include "mark.h"
#else
static void rl_mark_begin(void)
{
}
static void rl_mark_end(void)
{
}
#endif

enum { RUNS = 4, MOST = 1 << 20 };

extern const uint8_t program_file[], program_end[];

#ifdef ARENA_OF_CALLER
static _Alignas(16) uint8_t own_arena[MODEL_ARENA_BYTES];
#define ARENA        own_arena
#define TENSOR(name) name(own_arena)
#else
#define ARENA
#define TENSOR(name) name
#endif

struct part {
    void *data;
    size_t bytes;
};

#define PART(side, SIDE, index)                                                                                        \
    {                                                                                                                  \
        (void *)(uintptr_t)TENSOR(model_##side##_##index),                                                             \
            MODEL_##SIDE##_##index##_COUNT * sizeof(MODEL_##SIDE##_##index##_TYPE)                                     \
    }

static void list_parts(struct part inputs[8], struct part outputs[12])
{
    const struct part in[] = {
#if MODEL_INPUT_COUNT > 0
        PART(input, INPUT, 0),
#endif
#if MODEL_INPUT_COUNT > 1
        PART(input, INPUT, 1),
#endif
#if MODEL_INPUT_COUNT > 2
        PART(input, INPUT, 2),
#endif
    };
    const struct part out[] = {
        PART(output, OUTPUT, 0),
#if MODEL_OUTPUT_COUNT > 1
        PART(output, OUTPUT, 1),
#endif
#if MODEL_OUTPUT_COUNT > 2
        PART(output, OUTPUT, 2),
#endif
#if MODEL_OUTPUT_COUNT > 3
        PART(output, OUTPUT, 3),
#endif
#if MODEL_OUTPUT_COUNT > 4
        PART(output, OUTPUT, 4),
#endif
#if MODEL_OUTPUT_COUNT > 5
        PART(output, OUTPUT, 5),
#endif
#if MODEL_OUTPUT_COUNT > 6
        PART(output, OUTPUT, 6),
#endif
#if MODEL_OUTPUT_COUNT > 7
        PART(output, OUTPUT, 7),
#endif
#if MODEL_OUTPUT_COUNT > 8
        PART(output, OUTPUT, 8),
#endif
#if MODEL_OUTPUT_COUNT > 9
        PART(output, OUTPUT, 9),
#endif
#if MODEL_OUTPUT_COUNT > 10
        PART(output, OUTPUT, 10),
#endif
#if MODEL_OUTPUT_COUNT > 11
        PART(output, OUTPUT, 11),
#endif
    };
    _Static_assert(MODEL_INPUT_COUNT <= 3 && MODEL_OUTPUT_COUNT <= 12, "list more");
    memcpy(inputs, in, sizeof in);
    memcpy(outputs, out, sizeof out);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Floats of -4 to 4, or any bytes; the type of an input is float or an integer.
static void make_input(uint8_t *to, size_t bytes, bool is_float, uint32_t *seed)
{
    for (size_t i = 0; is_float && i < bytes / 4; i++) {
        const float number = (float)(int32_t)next_random(seed) * (8.0f / (1 << 24)) - 4.0f;
        memcpy(to + 4 * i, &number, sizeof number);
    }
    for (size_t i = 0; !is_float && i < bytes; i++) {
        to[i] = (uint8_t)next_random(seed);
    }
}

static bool set_inputs(struct rl_method *method, const struct part *inputs, uint32_t *seed)
{
    for (uint32_t i = 0; i < MODEL_INPUT_COUNT; i++) {
        struct rl_tensor tensor;
        if (rl_method_input(method, i, &tensor) || tensor.bytes != inputs[i].bytes) {
            return false;
        }
        make_input(tensor.data, tensor.bytes, tensor.dtype == RL_FLOAT32, seed);
        memcpy(inputs[i].data, tensor.data, tensor.bytes);
    }
    return true;
}

static bool outputs_agree(struct rl_method *method, const struct part *outputs)
{
    for (uint32_t i = 0; i < MODEL_OUTPUT_COUNT; i++) {
        struct rl_tensor tensor;
        if (rl_method_output(method, i, &tensor) || tensor.bytes != outputs[i].bytes ||
            memcmp(tensor.data, outputs[i].data, tensor.bytes) != 0) {
            printf("output %u differs\n", (unsigned)i);
            return false;
        }
    }
    return true;
}

#if defined(__ARM_ARCH_PROFILE)
// The most bytes of stack below this function that a run of the model wrote to, found from paint.
static __attribute__((noinline)) size_t stack_of_run(void)
{
    enum { PAINTED = 16384 };
    volatile uint8_t *const here = __builtin_frame_address(0);
    volatile uint8_t *const end = here - PAINTED;
    for (volatile uint8_t *p = end; p < here - 64; p++) { // below this frame
        *p = 0xA5;
    }
    rl_mark_begin();
    model_run(ARENA);
    rl_mark_end();
    size_t clean = 0;
    while (clean < PAINTED && end[clean] == 0xA5) {
        clean++;
    }
    return PAINTED - clean;
}
#else
static size_t stack_of_run(void)
{
    model_run(ARENA);
    return 0;
}
#endif

static int compare(struct rl_method *method)
{
    struct part inputs[8], outputs[12];
    uint32_t seed = 1;
    list_parts(inputs, outputs);
    model_reset(ARENA);
    for (int run = 0; run < RUNS; run++) {
        if (run == RUNS - 1) { // a sequence that starts anew
            model_reset(ARENA);
            if (rl_method_reset(method)) {
                return 1;
            }
        }
        if (!set_inputs(method, inputs, &seed)) {
            return 1;
        }
        rl_mark_begin();
        const enum rl_status status = rl_method_execute(method);
        rl_mark_end();
        if (status) {
            printf("the runtime: %s\n", method->error.message);
            return 1;
        }
        const size_t stack = stack_of_run();
        if (run == 0) {
            printf("stack %u of %u\n", (unsigned)stack, (unsigned)MODEL_STACK_BYTES);
        }
        if (!outputs_agree(method, outputs)) {
            return 1;
        }
        if (stack > MODEL_STACK_BYTES) {
            printf("a run takes %u bytes of stack\n", (unsigned)stack);
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    static _Alignas(RL_ALIGNMENT) uint8_t memory[MODEL_ARENA_BYTES];
    static void *state[MOST / 64];
    static struct rl_program program;
    static struct rl_method method;
    const struct rl_buffer arena = {memory, sizeof memory};
    struct rl_error error = {.message = ""};
    if (rl_program_open(&program, program_file, (size_t)(program_end - program_file), &error) ||
        rl_program_verify(&program, &rl_registry_all, &error) ||
        rl_method_init(&method, &program, 0, &rl_registry_all, &arena, 1, state, sizeof state, &error)) {
        printf("the runtime: %s\n", error.message);
        return 1;
    }
    return compare(&method);
}
