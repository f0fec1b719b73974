// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong on devices, on a device: each mistake must give its status and a message that says which it is, and
// leave a method that works again once it is corrected. The program is written here, out = relu(in) + in in two
// instructions, and lies in the board's pool.
#include "board.h"

#include "format/pte_writer.h"
#include "rushlight/core.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2, COLUMNS = 3, ELEMENTS = ROWS * COLUMNS, ARENA = 96, STATE = 16 };

static const int32_t sizes[] = {ROWS, COLUMNS};
static const float sample[ELEMENTS] = {-2, -1, 0, 1, 2, 3};

static struct rl_program program;
static struct rl_method method;
static struct rl_error error;
static _Alignas(RL_ALIGNMENT) uint8_t arena[ARENA + RL_ALIGNMENT];
static void *state[STATE];
static const uint8_t *file;
static size_t file_bytes;
static int failures;

static void expect(const char *mistake, enum rl_status status, enum rl_status expected, const struct rl_error *found,
                   const char *message)
{
    if (status == expected && found->status == expected && strcmp(found->message, message) == 0) {
        return;
    }
    printf("FAIL: %s: status %d, expected %d; message '%s', expected '%s'\n", mistake, (int)status, (int)expected,
           found->message, message);
    failures++;
}

static void expect_ok(const char *what, enum rl_status status)
{
    if (status == RL_OK) {
        return;
    }
    printf("FAIL: %s: %s\n", what, rl_status_text(status));
    failures++;
}

// Writes the program to the start of the pool. Its input and output are planned, or bound by the caller.
static const uint8_t *write_program(bool planned_ends)
{
    static const uint8_t order[] = {0, 1};
    const uint32_t ends = planned_ends ? 1 : 0;
    const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 2, sizes, order, 0, ends, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 2, sizes, order, 0, 1, 32}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 2, sizes, order, 0, ends, ends * 64}},
        {.kind = RL_PTE_INT, .as.integer = 1},
    };
    static const int32_t relu[] = {0, 1, 1}, add[] = {1, 0, 3, 2, 2}, in[] = {0}, out[] = {2};
    static const struct rl_pte_operator_description operators[] = {{"aten::relu", "out"}, {"aten::add", "out"}};
    static const struct rl_pte_instruction_description instructions[] = {{0, 3, relu}, {1, 5, add}};
    static const int64_t buffers[] = {ARENA};
    const struct rl_pte_method_description forward = {.name = "forward",
                                                      .value_count = 4,
                                                      .values = values,
                                                      .input_count = 1,
                                                      .inputs = in,
                                                      .output_count = 1,
                                                      .outputs = out,
                                                      .operator_count = 2,
                                                      .operators = operators,
                                                      .instruction_count = 2,
                                                      .instructions = instructions,
                                                      .buffer_count = 1,
                                                      .buffer_sizes = buffers};
    const struct rl_pte_description description = {.method_count = 1, .methods = &forward};
    const char *message = "";
    uint8_t *written = NULL;
    size_t room;
    uint8_t *pool = rl_board_pool(&room);
    if (rl_pte_write(&description, NULL, &written, &file_bytes, &message) != RL_OK) {
        printf("FAIL: the program cannot be written: %s\n", message);
        exit(1);
    }
    memcpy(pool, written, file_bytes);
    free(written);
    return pool;
}

static enum rl_status init_with(void *data, size_t bytes, void *state_data, size_t state_bytes)
{
    static struct rl_buffer buffer;
    buffer = (struct rl_buffer){data, bytes};
    return rl_method_init(&method, &program, 0, &rl_registry_all, &buffer, 1, state_data, state_bytes, &error);
}

static enum rl_status load(void)
{
    enum rl_status status = rl_program_open(&program, file, file_bytes, &error);
    if (status == RL_OK) {
        status = rl_program_verify(&program, &rl_registry_all, &error);
    }
    return status == RL_OK ? init_with(arena, ARENA, state, sizeof state) : status;
}

static void check_output(void)
{
    struct rl_tensor out;
    expect_ok("the output", rl_method_output(&method, 0, &out));
    for (int i = 0; i < ELEMENTS; i++) {
        const float expected = sample[i] > 0 ? 2 * sample[i] : sample[i];
        if (((const float *)out.data)[i] == expected) {
            continue;
        }
        printf("FAIL: element %d of the output\n", i);
        failures++;
    }
}

static void test_program(void)
{
    const char *const unaligned = "the program is not aligned to 16 bytes";
    expect("an unaligned program", rl_program_open(&program, file + 8, file_bytes - 8, &error), RL_ERROR_MEMORY, &error,
           unaligned);
    expect("no program", rl_program_open(&program, NULL, 0, &error), RL_ERROR_ARGUMENT, &error, "no program given");
    expect("erased flash", rl_program_open(&program, arena, ARENA, &error), RL_ERROR_FORMAT, &error,
           "not an ExecuTorch program (identifier ET12 expected)");
    expect("half a program", rl_program_open(&program, file, file_bytes / 2, &error), RL_ERROR_FORMAT, &error,
           "the file is shorter than its header says");
    for (size_t cut = 0; cut < file_bytes; cut++) {
        if (rl_program_open(&program, file, cut, &error) == RL_OK || error.message[0] == '\0') {
            printf("FAIL: %u bytes of the program are taken for it\n", (unsigned)cut);
            failures++;
        }
    }
    expect_ok("the whole program", rl_program_open(&program, file, file_bytes, &error));
    expect_ok("its checksum", rl_program_check(&program, &error));
    uint8_t *const aged = (uint8_t *)(uintptr_t)file + file_bytes - 1;
    *aged ^= 1;
    expect("aged flash", rl_program_check(&program, &error), RL_ERROR_FORMAT, &error,
           "the program is not as it was written: its checksum differs");
    *aged ^= 1;
    expect("an unverified program", init_with(arena, ARENA, state, sizeof state), RL_ERROR_ARGUMENT, &error,
           "the program is neither verified nor trusted");
}

static void test_registry(void)
{
    static const struct rl_kernel *const kernels[] = {&rl_kernel_aten_relu};
    static const struct rl_registry small = {.kernels = kernels, .count = 1};
    const char *const missing = "an operator that the program calls is not registered";
    expect("a missing operator", rl_program_verify(&program, &small, &error), RL_ERROR_MISSING_OPERATOR, &error,
           missing);
    if (error.instruction != 1 || !error.operator_name || strcmp(error.operator_name, "aten::add") != 0) {
        printf("FAIL: the missing operator is not named\n");
        failures++;
    }
    static struct rl_buffer buffer = {arena, ARENA};
    rl_program_trust(&program, &small);
    expect("a missing operator in a trusted program",
           rl_method_init(&method, &program, 0, &small, &buffer, 1, state, sizeof state, &error),
           RL_ERROR_MISSING_OPERATOR, &error, missing);
    bool done;
    expect_ok("a method that was refused has nothing to run", rl_method_step(&method, 1, &done));
}

static void test_memory(void)
{
    expect_ok("verification", rl_program_verify(&program, &rl_registry_all, &error));
    expect("a small arena", init_with(arena, ARENA - 1, state, sizeof state), RL_ERROR_MEMORY, &error,
           "a planned buffer is smaller than rl_method_requirements says");
    expect("an unaligned arena", init_with(arena + 4, ARENA, state, sizeof state), RL_ERROR_MEMORY, &error,
           "a planned buffer is not aligned to 16 bytes");
    expect("no arena", init_with(NULL, ARENA, state, sizeof state), RL_ERROR_MEMORY, &error,
           "a planned buffer is not aligned to 16 bytes");
    expect("a small state", init_with(arena, ARENA, state, sizeof(void *)), RL_ERROR_MEMORY, &error,
           "the state is smaller than rl_method_requirements says");
    expect("an unaligned state", init_with(arena, ARENA, (uint8_t *)state + 1, sizeof state - 1), RL_ERROR_MEMORY,
           &error, "the state is not aligned to a pointer");
    expect("no buffers", rl_method_init(&method, &program, 0, &rl_registry_all, NULL, 0, state, sizeof state, &error),
           RL_ERROR_MEMORY, &error, "fewer planned buffers than the method needs");
}

static void test_inputs(void)
{
    static const int32_t turned[] = {COLUMNS, ROWS};
    const struct rl_error *found = &method.error;
    expect_ok("a correct start", load());
    expect("an input of another size", rl_method_set_input(&method, 0, sample, sizeof sample - 4), RL_ERROR_TYPE, found,
           "the input has another number of bytes than its tensor");
    expect("an input that does not exist", rl_method_set_input(&method, 1, sample, sizeof sample), RL_ERROR_ARGUMENT,
           found, "the method has no such input or output");
    expect("an input of another type", rl_method_set_input_tensor(&method, 0, RL_INT32, 2, sizes, sample),
           RL_ERROR_TYPE, found, "the input has another element type than its tensor");
    expect("an input of another rank", rl_method_set_input_tensor(&method, 0, RL_FLOAT32, 1, sizes, sample),
           RL_ERROR_TYPE, found, "the input has another number of dimensions than its tensor");
    expect("an input of another shape", rl_method_set_input_tensor(&method, 0, RL_FLOAT32, 2, turned, sample),
           RL_ERROR_TYPE, found, "the input has other sizes than its tensor");
    expect_ok("the right input", rl_method_set_input_tensor(&method, 0, RL_FLOAT32, 2, sizes, sample));
    expect_ok("execution", rl_method_execute(&method));
    check_output();
}

static void test_methods(void)
{
    struct rl_requirements needs;
    struct rl_buffer buffer = {arena, ARENA};
    expect("a method that does not exist", rl_method_requirements(&program, 1, &needs, &error), RL_ERROR_ARGUMENT,
           &error, "the program has no such method");
    expect("its preparation",
           rl_method_init(&method, &program, 1, &rl_registry_all, &buffer, 1, state, sizeof state, &error),
           RL_ERROR_ARGUMENT, &error, "the program has no such method");
}

// A program that leaves input and output to the caller.
static void test_bound(void)
{
    static float in[ELEMENTS + 1], out[ELEMENTS + 1];
    const struct rl_error *found = &method.error;
    const char *const not_bound = "a tensor has no memory: it is neither planned nor bound by the caller";
    file = write_program(false);
    expect_ok("a program with bound ends", load());
    expect("an input before it is bound", rl_method_set_input(&method, 0, sample, sizeof sample), RL_ERROR_MEMORY,
           found, "the input has no memory: bind it first");
    expect("nothing bound", rl_method_execute(&method), RL_ERROR_MEMORY, found, not_bound);
    expect("too short a memory", rl_method_bind_input(&method, 0, in, sizeof sample - 4), RL_ERROR_TYPE, found,
           "the memory has another number of bytes than the tensor");
    expect("an unaligned memory", rl_method_bind_input(&method, 0, (uint8_t *)in + 1, sizeof sample), RL_ERROR_MEMORY,
           found, "the memory is not aligned to the tensor's elements");
    expect("an output that does not exist", rl_method_bind_output(&method, 1, out, sizeof sample), RL_ERROR_ARGUMENT,
           found, "the method has no such input or output");
    expect_ok("the input's memory", rl_method_bind_input(&method, 0, in, sizeof sample));
    expect("no memory for the output", rl_method_execute(&method), RL_ERROR_MEMORY, found, not_bound);
    expect_ok("the output's memory", rl_method_bind_output(&method, 0, out, sizeof sample));
    expect_ok("the input", rl_method_set_input(&method, 0, sample, sizeof sample));
    expect_ok("execution", rl_method_execute(&method));
    check_output();
}

// One operator each time that the scheduler comes by, and something else in between.
static void test_steps(void)
{
    bool done = false;
    int turns = 0;
    expect_ok("the input", rl_method_set_input(&method, 0, sample, sizeof sample));
    for (; !done && turns < 10; turns++) {
        expect_ok("a step", rl_method_step(&method, 1, &done));
    }
    if (turns != 2) {
        printf("FAIL: two operators took %d steps\n", turns);
        failures++;
    }
    check_output();
}

int main(void)
{
    const char *const refusal = rl_core_refusal();
    if (refusal) {
        printf("FAIL: this core is refused: %s\n", refusal);
        failures++;
    }
    file = write_program(true);
    test_program();
    test_registry();
    test_memory();
    test_inputs();
    test_steps();
    test_methods();
    test_bound();
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
