// SPDX-License-Identifier: Apache-2.0
//
// Loads and runs a program with a registry of only the operators that keyword spotting needs, as a small firmware does.
// Between the first pair of marks lies loading, between the second the first inference, in which operators read their
// arguments, between the third another one, with what they kept. Inputs are zeros. With a number as second argument the
// memory beside the plan is not for operators to keep things in: so many bytes are for the blocks of kernels. Started
// by cost_test.sh, which knows the bounds.
#include "board.h"
#include "mark.h"
#include "semihosting.h"

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#include <stddef.h>
#include <stdint.h>

static const struct rl_kernel *const kernels[] = {
    &rl_kernel_cm_quantize_per_tensor,
    &rl_kernel_cm_dequantize_per_tensor,
    &rl_kernel_cm_quantized_conv2d,
    &rl_kernel_cm_quantized_depthwise_conv2d,
    &rl_kernel_cm_quantized_avg_pool2d,
    &rl_kernel_rl_quantized_avg_pool2d,
    &rl_kernel_cm_quantized_linear,
    &rl_kernel_rl_quantized_linear_s16,
    &rl_kernel_cm_quantized_add,
    &rl_kernel_cm_softmax,
    &rl_kernel_rl_quantized_softmax_s16,
    &rl_kernel_cm_pad,
    &rl_kernel_rl_quantized_conv2d_prepacked,
    &rl_kernel_rl_quantized_depthwise_conv2d_single,
    &rl_kernel_rl_quantized_linear_prepacked,
    &rl_kernel_rl_quantized_linear_s16_prepacked,
};
static const struct rl_registry registry = {.kernels = kernels, .count = sizeof kernels / sizeof kernels[0]};

enum { STATE_BYTES = 1792 };

static struct rl_program program;
static struct rl_method method;
static _Alignas(RL_ALIGNMENT) uint8_t state[STATE_BYTES];
static size_t state_bytes = STATE_BYTES;
static struct rl_buffer arena;

// The program comes first in the board's pool; the rest is there for the arena.
static __attribute__((noinline)) const void *read_program(const char *path, size_t *bytes)
{
    size_t room;
    uint8_t *data = rl_board_pool(&room);
    const int32_t file = rl_semihosting_open(path, RL_SEMIHOSTING_READ);
    const int32_t length = file < 0 ? -1 : rl_semihosting_length(file);
    if (length <= 0 || (size_t)length > room || rl_semihosting_read(file, data, (size_t)length) != 0) {
        return NULL;
    }
    rl_semihosting_close(file);
    *bytes = (size_t)length;
    const size_t rounded = (*bytes + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
    if (rounded <= room) {
        arena = (struct rl_buffer){data + rounded, room - rounded};
    }
    return data;
}

// Not inlined, as the others: only execution is to count for the stack.
static __attribute__((noinline)) enum rl_status load(const void *file, size_t bytes, struct rl_error *error)
{
    enum rl_status status = rl_program_open(&program, file, bytes, error);
    if (status != RL_OK) {
        return status;
    }
    rl_program_trust(&program, &registry);
    return rl_method_init(&method, &program, 0, &registry, &arena, 1, state, state_bytes, error);
}

static size_t number(const char *digits)
{
    size_t value = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        value = 10 * value + (size_t)(*digits - '0');
    }
    return value;
}

// Gives the arena what the program needs, and either the state or the arena more than that.
static __attribute__((noinline)) enum rl_status divide_memory(size_t spare, struct rl_error *error)
{
    struct rl_requirements needs;
    enum rl_status status = rl_method_requirements(&program, 0, &needs, error);
    if (status != RL_OK) {
        return status;
    }
    if (spare > 0) {
        state_bytes = needs.state_bytes;
    }
    const size_t given = (needs.buffer_bytes[0] + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT + spare;
    arena.bytes = given < arena.bytes ? given : arena.bytes;
    return RL_OK;
}

// RAM beside the planned arena, at least and with all that operators kept, and the deepest stack: for cost_test.sh.
static __attribute__((noinline)) void print_memory(void)
{
    struct rl_requirements needs;
    if (rl_method_requirements(&program, 0, &needs, NULL) != RL_OK) {
        return;
    }
    rl_board_print("ram ");
    rl_board_print_number((uint32_t)(sizeof program + sizeof method + needs.state_bytes));
    rl_board_print(" kept ");
    rl_board_print_number(
        (uint32_t)(sizeof program + sizeof method + state_bytes - method.room.bytes + method.spare.bytes));
    rl_board_print(" stack ");
    rl_board_print_number((uint32_t)rl_board_stack_peak());
    rl_board_print("\n");
}

int main(int argc, char **argv)
{
    static struct rl_error error;
    size_t bytes = 0;
    const void *file = argc >= 2 ? read_program(argv[1], &bytes) : NULL;
    enum rl_status status = rl_program_open(&program, file, bytes, &error);
    if (status == RL_OK) {
        status = rl_program_verify(&program, &registry, &error);
    }
    if (status == RL_OK) {
        status = divide_memory(argc == 3 ? number(argv[2]) : 0, &error);
    }
    if (status == RL_OK) {
        rl_mark_begin();
        status = load(file, bytes, &error);
        rl_mark_end();
    }
    for (int i = 0; i < 2 && status == RL_OK; i++) {
        rl_mark_begin();
        status = rl_method_execute(&method);
        rl_mark_end();
        error = method.error;
    }
    if (status == RL_OK) {
        print_memory();
    }
    if (status != RL_OK) {
        rl_board_print(error.message);
        rl_board_print("\n");
    }
    return status == RL_OK ? 0 : 1;
}
