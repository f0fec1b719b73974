// SPDX-License-Identifier: Apache-2.0
#include "runtime/made_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "runtime/program_file.h"

static const uint8_t order[] = {0};
static const int32_t four[] = {4};

struct rl_pte_value_description tensor(enum rl_scalar_type dtype, const int32_t *sizes, uint64_t offset)
{
    return (struct rl_pte_value_description){
        .kind = RL_PTE_TENSOR, .as.tensor = {dtype, sizes ? 1 : 0, sizes ? sizes : four, order, 0, 1, offset}};
}

struct rl_pte_value_description unplanned(enum rl_scalar_type dtype)
{
    struct rl_pte_value_description value = tensor(dtype, NULL, 0);
    value.as.tensor.memory_id = 0;
    return value;
}

struct rl_pte_value_description integer(int64_t number)
{
    return (struct rl_pte_value_description){.kind = RL_PTE_INT, .as.integer = number};
}

struct rl_pte_value_description boolean(bool truth)
{
    return (struct rl_pte_value_description){.kind = RL_PTE_BOOL, .as.boolean = truth};
}

void add_call(struct made *m, const char *name, const char *overload, const int32_t *arguments)
{
    int count = 0;
    for (; arguments[count] >= 0; count++) {
        m->arguments[m->call_count][count] = arguments[count];
    }
    m->argument_counts[m->call_count] = count;
    m->operators[++m->call_count] = (struct rl_pte_operator_description){name, overload};
}

// Nobody calls operator 0, an index that tables leave out.
void write_made(struct made *m)
{
    static const int32_t inputs[] = {0, 1, 2, 3};
    const int32_t outputs[] = {m->value_count - 1};
    struct rl_pte_instruction_description calls[MOST_CALLS];
    const int64_t arena[] = {256};
    m->operators[0] = m->operators[1];
    for (int i = 0; i < m->call_count; i++) {
        calls[i] = (struct rl_pte_instruction_description){i + 1, m->argument_counts[i], m->arguments[i]};
    }
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = m->value_count,
                                                     .values = m->values,
                                                     .input_count = m->input_count,
                                                     .inputs = inputs,
                                                     .output_count = 1,
                                                     .outputs = outputs,
                                                     .operator_count = 1 + m->call_count,
                                                     .operators = m->operators,
                                                     .instruction_count = m->call_count,
                                                     .instructions = calls,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = arena};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    m->file = write_description(&description, &m->size);
}

enum rl_status verify_made(struct made *m)
{
    struct rl_program program;
    assert_int_equal(rl_program_open(&program, m->file, m->size, &m->error), RL_OK);
    return rl_program_verify(&program, &rl_registry_all, &m->error);
}

// Runs with inputs of zeros.
static enum rl_status run(struct made *m, enum rl_status opened, struct runnable *r)
{
    enum rl_status status = opened;
    m->error = r->error;
    if (status == RL_OK) {
        memset(r->buffers[0].data, 0, r->buffers[0].bytes);
        status = rl_method_execute(&r->method);
        m->error = r->method.error;
    }
    runnable_free(r);
    return status;
}

enum rl_status run_made(struct made *m)
{
    struct runnable r;
    return run(m, runnable_open(&r, m->file, m->size, true), &r);
}

enum rl_status run_trusted(struct made *m)
{
    struct runnable r;
    return run(m, runnable_open_trusted(&r, m->file, m->size), &r);
}
