// SPDX-License-Identifier: Apache-2.0
//
// Outputs do not depend on what the memory held before: neither before rl_method_init nor, but for state, from the
// execution before. Every recorded program of tests/fixtures, and programs that read what they have not written.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/change_program.h"
#include "runtime/operator_program.h"
#include "runtime/program_file.h"

enum { MOST_ENDS = 64, MOST_OUTPUT = 1 << 20, FILLS = 4 };

// A method with all its memory.
struct prepared {
    struct rl_method method;
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    void *state, *ends[2 * MOST_ENDS];
};

static void fill(uint8_t *bytes, size_t count, int how)
{
    static const uint8_t constant[] = {0x00, 0xff, 0x3f};
    uint32_t random = 12345;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = how < 3 ? constant[how] : (uint8_t)(random >> 24);
    }
}

// Gives inputs and outputs that are not planned memory of their own.
static void bind_ends(struct prepared *p)
{
    struct rl_tensor tensor;
    bool changes;
    for (uint32_t i = 0; i < rl_method_input_count(&p->method) && i < MOST_ENDS; i++) {
        if (rl_method_input_bound(&p->method, i, &tensor, &changes) == RL_OK) {
            p->ends[i] = calloc(1, tensor.bytes + 1u);
            rl_method_bind_input(&p->method, i, p->ends[i], tensor.bytes);
        }
    }
    for (uint32_t i = 0; i < rl_method_output_count(&p->method) && i < MOST_ENDS; i++) {
        if (rl_method_output_bound(&p->method, i, &tensor, &changes) == RL_OK) {
            p->ends[MOST_ENDS + i] = calloc(1, tensor.bytes + 1u);
            rl_method_bind_output(&p->method, i, p->ends[MOST_ENDS + i], tensor.bytes);
        }
    }
}

static enum rl_status prepare(struct prepared *p, const struct rl_program *program, uint32_t index, int how)
{
    struct rl_requirements needs;
    memset(p, 0, sizeof *p);
    enum rl_status status = rl_method_requirements(program, index, &needs, NULL);
    for (uint32_t i = 0; status == RL_OK && i < needs.buffer_count; i++) {
        p->buffers[i] = (struct rl_buffer){aligned_alloc(RL_ALIGNMENT, (needs.buffer_bytes[i] + 31u) / 16u * 16u),
                                           needs.buffer_bytes[i]};
        fill(p->buffers[i].data, needs.buffer_bytes[i], how);
    }
    p->state = malloc(needs.state_bytes + 1u);
    status = rl_method_init(&p->method, program, index, &rl_registry_all, p->buffers, needs.buffer_count, p->state,
                            needs.state_bytes, NULL);
    if (status == RL_OK) {
        bind_ends(p);
    }
    return status;
}

static void release(struct prepared *p)
{
    for (int i = 0; i < RL_MAX_BUFFERS; i++) {
        free(p->buffers[i].data);
    }
    for (int i = 0; i < 2 * MOST_ENDS; i++) {
        free(p->ends[i]);
    }
    free(p->state);
}

// Small floats and ints, different for each `sample`.
static void set_inputs(struct rl_method *method, int sample)
{
    struct rl_tensor tensor;
    for (uint32_t i = 0; i < rl_method_input_count(method); i++) {
        if (rl_method_input(method, i, &tensor) != RL_OK || !tensor.data || tensor.constant) {
            continue;
        }
        const size_t size = rl_scalar_size(tensor.dtype);
        for (size_t k = 0; k < tensor.bytes / size; k++) {
            const float real = (float)(k % 5) * 0.25f + (float)sample;
            const int64_t integer = (int64_t)(k + (size_t)sample) % 2;
            if (tensor.dtype == RL_FLOAT32) {
                memcpy((uint8_t *)tensor.data + k * size, &real, size);
            } else {
                memcpy((uint8_t *)tensor.data + k * size, &integer, size);
            }
        }
    }
}

// Executes, and copies status and outputs. Returns their bytes.
static size_t execute(struct rl_method *method, int sample, uint8_t *result)
{
    struct rl_tensor tensor;
    size_t size = sizeof(enum rl_status);
    set_inputs(method, sample);
    const enum rl_status status = rl_method_execute(method);
    memcpy(result, &status, sizeof status);
    for (uint32_t i = 0; status == RL_OK && i < rl_method_output_count(method); i++) {
        if (rl_method_output_value(method, i, &tensor) == RL_OK && tensor.data && size + tensor.bytes < MOST_OUTPUT) {
            memcpy(result + size, tensor.data, tensor.bytes);
            size += tensor.bytes;
        }
    }
    return size;
}

// Whether two executions of one sample after the other differ, like those of a method with state.
static bool has_state(struct prepared *p, const uint8_t *first, size_t size)
{
    static uint8_t again[MOST_OUTPUT];
    return execute(&p->method, 0, again) != size || memcmp(first, again, size) != 0;
}

static void expect_same_outputs(const char *name, const struct rl_program *program, uint32_t index)
{
    static uint8_t first[MOST_OUTPUT], result[MOST_OUTPUT];
    struct prepared p;
    size_t size = 0;
    for (int how = 0; how < FILLS; how++) {
        if (prepare(&p, program, index, how) != RL_OK) {
            fail_msg("%s: method %u cannot be initialized", name, (unsigned)index);
        }
        if (how == 0) {
            size = execute(&p.method, 0, first);
        } else if (execute(&p.method, 0, result) != size || memcmp(first, result, size) != 0) {
            fail_msg("%s: the outputs of method %u depend on the memory (%d)", name, (unsigned)index, how);
        }
        const bool stateful = has_state(&p, first, size);
        execute(&p.method, 1, result);
        if (stateful) {
            assert_int_equal(rl_method_reset(&p.method), RL_OK);
        }
        if (execute(&p.method, 0, result) != size || memcmp(first, result, size) != 0) {
            fail_msg("%s: the outputs of method %u depend on the execution before", name, (unsigned)index);
        }
        release(&p);
    }
}

static int check_file(const char *path)
{
    char data_path[512];
    size_t size, data_size;
    struct rl_program program;
    struct rl_error error;
    uint8_t *file = read_file(path, &size);
    snprintf(data_path, sizeof data_path, "%.*s.ptd", (int)strlen(path) - 4, path);
    uint8_t *data = read_file(data_path, &data_size);
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    if (data) {
        assert_int_equal(rl_program_attach(&program, data, data_size, &error), RL_OK);
    }
    const bool verified = rl_program_verify(&program, &rl_registry_all, &error) == RL_OK;
    for (uint32_t i = 0; verified && i < rl_program_method_count(&program); i++) {
        expect_same_outputs(path, &program, i);
    }
    free(file);
    free(data);
    return verified;
}

static int check_folder(const char *folder)
{
    struct dirent **names;
    int verified = 0;
    const int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[512];
        const char *name = names[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (!strchr(name, '.')) { // a folder
            verified += check_folder(path);
        } else if (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".pte") == 0) {
            verified += check_file(path);
        }
        free(names[i]);
    }
    free(names);
    return verified;
}

static void recorded_programs_do_not_depend_on_the_memory(void **state)
{
    (void)state;
    assert_true(check_folder(RL_FIXTURES) > 40);
}

// ---- made programs

static const uint8_t order[] = {0};
static const int32_t four[] = {4}, eight[] = {8}, two[] = {2};

static struct rl_pte_value_description at(uint64_t offset, const int32_t *sizes)
{
    return (struct rl_pte_value_description){.kind = RL_PTE_TENSOR,
                                             .as.tensor = {RL_FLOAT32, 1, sizes, order, 0, 1, offset, 0}};
}

// Calls of aten::abs from one value to another, pairwise; the values are 0 an input, 1 an output, and others.
struct made {
    struct rl_pte_value_description values[4];
    int call_count;
    int32_t calls[3][3];
    bool clears; // what verification finds
};

static void check_made(const struct made *made, const char *name)
{
    static const int32_t in[] = {0}, out[] = {1};
    static const int64_t arena[] = {256};
    static const struct rl_pte_operator_description operators[] = {{"aten::abs", "out"}};
    struct rl_pte_instruction_description instructions[3];
    for (int i = 0; i < made->call_count; i++) {
        instructions[i] = (struct rl_pte_instruction_description){0, 3, made->calls[i]};
    }
    const struct rl_pte_method_description method = {
        .name = "forward",
        .value_count = 4,
        .values = made->values,
        .input_count = 1,
        .inputs = in,
        .output_count = 1,
        .outputs = out,
        .operator_count = 1,
        .operators = operators,
        .instruction_count = made->call_count,
        .instructions = instructions,
        .buffer_count = 1,
        .buffer_sizes = arena,
    };
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    size_t size;
    struct rl_program program;
    struct rl_error error;
    uint8_t *file = write_description(&description, &size);
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    assert_int_equal(rl_program_verify(&program, &rl_registry_all, &error), RL_OK);
    assert_int_equal(program.clear ? 1 : 0, made->clears);
    expect_same_outputs(name, &program, 0);
    free(file);
}

static void made_programs_do_not_depend_on_the_memory(void **state)
{
    (void)state;
    const struct made
        chain = {{at(0, four), at(16, four), at(32, four), at(48, four)}, 3, {{0, 2, 2}, {2, 3, 3}, {3, 1, 1}}, false},
        unwritten = {{at(0, four), at(16, four), at(32, four), at(48, four)}, 1, {{2, 1, 1}}, true},
        never = {{at(0, four), at(16, four), at(32, four), at(48, four)}, 1, {{0, 2, 2}}, true},
        before = {{at(0, four), at(16, four), at(32, four), at(48, four)}, 2, {{2, 1, 1}, {0, 2, 2}}, true},
        // The lower half of what is read is the input, the other one what the last call wrote.
        shared = {{at(0, four), at(32, eight), at(64, four), at(0, eight)}, 2, {{3, 1, 1}, {0, 2, 2}}, true},
        beyond = {{at(0, two), at(48, four), at(32, two), at(32, four)}, 2, {{0, 2, 2}, {3, 1, 1}}, true},
        reused = {{at(0, four), at(32, four), at(0, four), at(0, two)}, 1, {{2, 1, 1}}, false};
    check_made(&chain, "chain");
    check_made(&unwritten, "unwritten");
    check_made(&never, "never");
    check_made(&before, "before");
    check_made(&shared, "shared");
    check_made(&beyond, "beyond");
    check_made(&reused, "reused");
}

// More inputs than verification and clearing look at together. Each output is the sum of an input and of what the last
// call writes, later. No two inputs touch, and no three are in order.
static void many_inputs_are_kept(void **state)
{
    (void)state;
    enum { INPUTS = 60, LAST = 2 * INPUTS - 1, ALPHA, VALUES, SPACING = 32 };
    static struct rl_pte_value_description values[VALUES];
    static struct rl_pte_instruction_description instructions[INPUTS];
    static int32_t in[INPUTS], out[INPUTS], calls[INPUTS][5];
    static const int64_t arena[] = {SPACING * VALUES};
    static const struct rl_pte_operator_description operators[] = {{"aten::add", "out"}};
    for (int i = 0; i < INPUTS; i++) {
        in[i] = i;
        out[i] = INPUTS + i;
        values[i] = at((uint64_t)(i * 7 % INPUTS * SPACING), four);
        values[INPUTS + i] = at((uint64_t)((INPUTS + i) * SPACING), four);
        const int32_t call[] = {i, INPUTS + i == LAST ? i : LAST, ALPHA, INPUTS + i, INPUTS + i};
        memcpy(calls[i], call, sizeof call);
        instructions[i] = (struct rl_pte_instruction_description){0, 5, calls[i]};
    }
    values[LAST] = at(16, four); // between two inputs
    values[ALPHA] = (struct rl_pte_value_description){.kind = RL_PTE_INT, .as.integer = 1};
    const struct rl_pte_method_description method = {
        .name = "forward",
        .value_count = VALUES,
        .values = values,
        .input_count = INPUTS,
        .inputs = in,
        .output_count = INPUTS,
        .outputs = out,
        .operator_count = 1,
        .operators = operators,
        .instruction_count = INPUTS,
        .instructions = instructions,
        .buffer_count = 1,
        .buffer_sizes = arena,
    };
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    static uint8_t result[MOST_OUTPUT];
    size_t size;
    struct rl_program program;
    struct rl_error error;
    struct rl_work work;
    struct prepared p;
    uint8_t *file = write_description(&description, &size);
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    assert_int_equal(rl_program_verify(&program, &rl_registry_all, &error), RL_OK);
    expect_same_outputs("many", &program, 0);
    assert_int_equal(rl_method_work(&program, 0, &rl_registry_all, &work, &error), RL_OK);
    assert_in_range(work.clearing, SPACING * VALUES / 8, 16 * SPACING * VALUES);
    assert_int_equal(prepare(&p, &program, 0, FILLS - 1), RL_OK);
    assert_int_equal(execute(&p.method, 1, result), sizeof(enum rl_status) + INPUTS * 4 * sizeof(float));
    for (int i = 0; i < INPUTS * 4; i++) {
        const float input = (float)(i % 4) * 0.25f + 1, expected = i < INPUTS * 4 - 4 ? input : 2 * input;
        assert_memory_equal(result + sizeof(enum rl_status) + (size_t)i * sizeof expected, &expected, sizeof expected);
    }
    release(&p);
    free(file);
}

// The third call of a network becomes its fourth one, which then reads what was the work space of the second.
static void work_spaces_do_not_show_in_outputs(void **state)
{
    (void)state;
    struct rl_pte pte;
    struct rl_pte_plan plan;
    struct rl_program program;
    struct rl_error error;
    uint32_t offset, to_table;
    size_t size;
    uint8_t *file = read_file(RL_FIXTURES "/stock/ds_cnn/m55.pte", &size);
    assert_int_equal(rl_pte_open(&pte, file, size, &offset), RL_OK);
    assert_true(rl_pte_plan(&pte, 0, &plan));
    uint8_t *third = file + plan.instructions.items + 8;
    memcpy(&to_table, third + 4, sizeof to_table);
    to_table += 4;
    memcpy(third, &to_table, sizeof to_table);
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    assert_int_equal(rl_program_verify(&program, &rl_registry_all, &error), RL_OK);
    assert_non_null(program.clear);
    expect_same_outputs("work space", &program, 0);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_programs_do_not_depend_on_the_memory),
        cmocka_unit_test(made_programs_do_not_depend_on_the_memory),
        cmocka_unit_test(many_inputs_are_kept),
        cmocka_unit_test(work_spaces_do_not_show_in_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
