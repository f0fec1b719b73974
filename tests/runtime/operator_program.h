// SPDX-License-Identifier: Apache-2.0
//
// A program of one operator, described argument by argument, written to a .pte and run by the runtime.
#ifndef RL_TESTS_RUNTIME_OPERATOR_PROGRAM_H
#define RL_TESTS_RUNTIME_OPERATOR_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "format/pte_writer.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

enum { TEST_MAX_VALUES = 128, TEST_MAX_TENSORS = 16 };

struct test_program {
    struct rl_pte_value_description values[TEST_MAX_VALUES];
    int value_count;
    int32_t args[TEST_MAX_VALUES];
    int arg_count;
    int32_t inputs[TEST_MAX_TENSORS];
    const void *input_data[TEST_MAX_TENSORS]; // in logical order
    int input_count;
    int32_t outputs[TEST_MAX_TENSORS];
    int output_count;
    bool outputs_are_list; // the operator returns Tensor[]
    struct rl_pte_constant_description constants[TEST_MAX_TENSORS];
    int constant_count;
    int32_t lists[TEST_MAX_TENSORS][RL_LIST_MAX];
    int list_count;
    int64_t arena_bytes;
    // Filled in by program_run; freed by program_free.
    uint8_t *file;
    size_t file_bytes;
    uint8_t *arena;
    void *state;
    struct rl_program program;
    struct rl_buffer buffer;
    struct rl_method method;
    struct rl_error error;
};

// Each adds one argument. `order` NULL: the last dimension is innermost. Shapes and data must outlive the program.
void program_input(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                   const uint8_t *order, const void *data);
void program_constant(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                      const void *data);
void program_int(struct test_program *p, int64_t integer);
void program_double(struct test_program *p, double number);
void program_bool(struct test_program *p, bool boolean);
void program_string(struct test_program *p, const char *string);
void program_none(struct test_program *p);
void program_ints(struct test_program *p, int count, const int32_t *integers);
// A list of tensors that are inputs of the program, each in logical order without gaps.
void program_input_list(struct test_program *p, enum rl_scalar_type dtype, int count, const int *ranks,
                        const int32_t *const *sizes, const uint8_t *order, const void *const *data);
void program_output_list(struct test_program *p, enum rl_scalar_type dtype, int count, const int *ranks,
                         const int32_t *const *sizes, const uint8_t *order);
void program_scratch(struct test_program *p, int32_t bytes);
void program_output(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                    const uint8_t *order);

// A program as the runtime wants it: in a block of its own, aligned. To be freed.
uint8_t *write_description(const struct rl_pte_description *description, size_t *size);

// Writes the file with the returned value added (the output, or a list of them).
void program_write(struct test_program *p, const char *name, const char *overload);

// Writes, verifies, prepares and executes. The status of the first step that fails.
enum rl_status program_run(struct test_program *p, const char *name, const char *overload);

// Copies output `index` in logical order.
void program_result(struct test_program *p, uint32_t index, void *elements, size_t bytes);

void program_free(struct test_program *p);

// A repeatable sequence of numbers: uniform in -1..1, and integers in lowest..highest.
float test_random_float(uint32_t *state);
int32_t test_random_int(uint32_t *state, int32_t lowest, int32_t highest);

#endif
