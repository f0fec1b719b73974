// SPDX-License-Identifier: Apache-2.0
#include "runtime/operator_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t identity[RL_TENSOR_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};

static int32_t add_value(struct test_program *p, struct rl_pte_value_description value)
{
    assert_true(p->value_count < TEST_MAX_VALUES);
    p->values[p->value_count] = value;
    return p->value_count++;
}

static void add_argument(struct test_program *p, int32_t value)
{
    p->args[p->arg_count++] = value;
}

static size_t bytes_of(enum rl_scalar_type dtype, int rank, const int32_t *sizes)
{
    size_t bytes = rl_scalar_size(dtype);
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)sizes[i];
    }
    return bytes;
}

static int32_t add_planned(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                           const uint8_t *order)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_TENSOR};
    value.as.tensor = (struct rl_pte_tensor_description){.dtype = dtype,
                                                         .rank = rank,
                                                         .sizes = sizes,
                                                         .dim_order = order ? order : identity,
                                                         .memory_id = 1,
                                                         .memory_offset = (uint64_t)p->arena_bytes};
    p->arena_bytes += (int64_t)((bytes_of(dtype, rank, sizes) + 15) / 16 * 16);
    return add_value(p, value);
}

void program_input(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                   const uint8_t *order, const void *data)
{
    int32_t value = add_planned(p, dtype, rank, sizes, order);
    p->input_data[p->input_count] = data;
    p->inputs[p->input_count++] = value;
    add_argument(p, value);
}

void program_constant(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                      const void *data)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_TENSOR};
    p->constants[p->constant_count++] = (struct rl_pte_constant_description){data, bytes_of(dtype, rank, sizes)};
    value.as.tensor = (struct rl_pte_tensor_description){
        .dtype = dtype, .rank = rank, .sizes = sizes, .dim_order = identity, .constant = (uint32_t)p->constant_count};
    add_argument(p, add_value(p, value));
}

void program_int(struct test_program *p, int64_t integer)
{
    add_argument(p, add_value(p, (struct rl_pte_value_description){.kind = RL_PTE_INT, .as.integer = integer}));
}

void program_double(struct test_program *p, double number)
{
    add_argument(p, add_value(p, (struct rl_pte_value_description){.kind = RL_PTE_DOUBLE, .as.number = number}));
}

void program_bool(struct test_program *p, bool boolean)
{
    add_argument(p, add_value(p, (struct rl_pte_value_description){.kind = RL_PTE_BOOL, .as.boolean = boolean}));
}

void program_string(struct test_program *p, const char *string)
{
    add_argument(p, add_value(p, (struct rl_pte_value_description){.kind = RL_PTE_STRING, .as.string = string}));
}

void program_none(struct test_program *p)
{
    add_argument(p, add_value(p, (struct rl_pte_value_description){.kind = RL_PTE_NULL}));
}

void program_ints(struct test_program *p, int count, const int32_t *integers)
{
    int32_t *indices = p->lists[p->list_count++];
    for (int i = 0; i < count; i++) {
        indices[i] = add_value(p, (struct rl_pte_value_description){.kind = RL_PTE_INT, .as.integer = integers[i]});
    }
    struct rl_pte_value_description list = {.kind = RL_PTE_INT_LIST, .count = count, .as.indices = indices};
    add_argument(p, add_value(p, list));
}

void program_scratch(struct test_program *p, int32_t bytes)
{
    int32_t *size = p->lists[p->list_count++];
    size[0] = bytes;
    add_argument(p, add_planned(p, RL_UINT8, 1, size, NULL));
}

void program_output(struct test_program *p, enum rl_scalar_type dtype, int rank, const int32_t *sizes,
                    const uint8_t *order)
{
    int32_t value = add_planned(p, dtype, rank, sizes, order);
    p->outputs[p->output_count++] = value;
    add_argument(p, value);
}

static void add_list(struct test_program *p, int count, const int32_t *indices)
{
    struct rl_pte_value_description list = {.kind = RL_PTE_TENSOR_LIST, .count = count, .as.indices = indices};
    add_argument(p, add_value(p, list));
}

void program_input_list(struct test_program *p, enum rl_scalar_type dtype, int count, const int *ranks,
                        const int32_t *const *sizes, const uint8_t *order, const void *const *data)
{
    const int32_t *first = &p->inputs[p->input_count];
    for (int i = 0; i < count; i++) {
        p->input_data[p->input_count] = data[i];
        p->inputs[p->input_count++] = add_planned(p, dtype, ranks[i], sizes[i], order);
    }
    add_list(p, count, first);
}

void program_output_list(struct test_program *p, enum rl_scalar_type dtype, int count, const int *ranks,
                         const int32_t *const *sizes, const uint8_t *order)
{
    const int32_t *first = &p->outputs[p->output_count];
    for (int i = 0; i < count; i++) {
        p->outputs[p->output_count++] = add_planned(p, dtype, ranks[i], sizes[i], order);
    }
    add_list(p, count, first);
    p->outputs_are_list = true;
}

uint8_t *write_description(const struct rl_pte_description *description, size_t *size)
{
    const char *message;
    uint8_t *written;
    assert_int_equal(rl_pte_write(description, NULL, &written, size, &message), RL_OK);
    uint8_t *file = aligned_alloc(RL_ALIGNMENT, (*size + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT);
    memcpy(file, written, *size);
    free(written);
    return file;
}

void program_write(struct test_program *p, const char *name, const char *overload)
{
    int32_t returned = p->outputs_are_list ? p->args[p->arg_count - 1] : p->outputs[0];
    if (p->output_count > 1 && !p->outputs_are_list) {
        struct rl_pte_value_description list = {
            .kind = RL_PTE_TENSOR_LIST, .count = p->output_count, .as.indices = p->outputs};
        returned = add_value(p, list);
    }
    if (strcmp(overload, "default") != 0) { // primitive operators name their output once
        add_argument(p, returned);
    }
    const struct rl_pte_operator_description op = {name, overload};
    const struct rl_pte_instruction_description instruction = {0, p->arg_count, p->args};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = p->value_count,
                                                     .values = p->values,
                                                     .input_count = p->input_count,
                                                     .inputs = p->inputs,
                                                     .output_count = p->output_count,
                                                     .outputs = p->outputs,
                                                     .operator_count = 1,
                                                     .operators = &op,
                                                     .instruction_count = 1,
                                                     .instructions = &instruction,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = &p->arena_bytes};
    const struct rl_pte_description description = {1, &method, p->constant_count, p->constants, 0, NULL, NULL};
    p->file = write_description(&description, &p->file_bytes);
}

enum rl_status program_run(struct test_program *p, const char *name, const char *overload)
{
    struct rl_requirements needs;
    struct rl_tensor tensor;
    program_write(p, name, overload);
    enum rl_status status = rl_program_open(&p->program, p->file, p->file_bytes, &p->error);
    if (status == RL_OK) {
        status = rl_program_verify(&p->program, &rl_registry_all, &p->error);
    }
    if (status == RL_OK) {
        status = rl_method_requirements(&p->program, 0, &needs, &p->error);
    }
    if (status != RL_OK) {
        return status;
    }
    p->arena = aligned_alloc(RL_ALIGNMENT, needs.buffer_bytes[0] + 16u);
    memset(p->arena, 0xa5, needs.buffer_bytes[0]);
    p->buffer = (struct rl_buffer){p->arena, needs.buffer_bytes[0]};
    const size_t state_bytes = (size_t)needs.state_bytes + needs.kept_bytes;
    p->state = malloc(state_bytes + 1);
    status =
        rl_method_init(&p->method, &p->program, 0, &rl_registry_all, &p->buffer, 1, p->state, state_bytes, &p->error);
    // The second time with what operators kept from the first one, and without its results.
    for (int run = 0; run < 2; run++) {
        if (status == RL_OK && run > 0) {
            memset(p->arena, 0x5a, needs.buffer_bytes[0]);
        }
        for (int i = 0; status == RL_OK && i < p->input_count; i++) {
            status = rl_method_input(&p->method, (uint32_t)i, &tensor);
            if (status == RL_OK) {
                status = rl_tensor_from_logical(&tensor, p->input_data[i], tensor.bytes);
            }
        }
        if (status == RL_OK) {
            status = rl_method_execute(&p->method);
        }
    }
    if (status != RL_OK) {
        p->error = p->method.error;
    }
    return status;
}

void program_result(struct test_program *p, uint32_t index, void *elements, size_t bytes)
{
    struct rl_tensor tensor;
    assert_int_equal(rl_method_output(&p->method, index, &tensor), RL_OK);
    assert_int_equal(rl_tensor_to_logical(&tensor, elements, bytes), RL_OK);
}

void program_free(struct test_program *p)
{
    free(p->file);
    free(p->arena);
    free(p->state);
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

float test_random_float(uint32_t *state)
{
    return (float)next(state) / 8388608.0f - 1.0f;
}

int32_t test_random_int(uint32_t *state, int32_t lowest, int32_t highest)
{
    return lowest + (int32_t)(next(state) % (uint32_t)(highest - lowest + 1));
}
