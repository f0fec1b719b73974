// SPDX-License-Identifier: Apache-2.0
//
// Programs of ExecuTorch whose tensors change their shapes give what PyTorch gave, at sizes below their bounds and in
// any order, on the host and on every emulated core; and what is beyond the bounds is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/host_program.h"
#include "compiler/support/file.h"
#include "format/pte_reader.h"
#include "model.h"
#include "portable_records.h"
#include "support/process.h"

static const char *const programs[] = {"perceptron", "language", "cache",     "signal", "image",   "parts",    "places",
                                       "masked",     "repeated", "condition", "prefix", "shuffle", "quantized"};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static const char *path_of(struct rl_arena *arena, const char *name)
{
    return rl_arena_format(arena, "%s/shapes/%s.pte", RL_FIXTURES, name);
}

// Run `index` of a program; NULL after the last one.
static const char *find_run(struct rl_arena *arena, const char *name, int index, struct records *run)
{
    struct rl_context context = {0};
    const char *path = rl_arena_format(arena, "%s/shapes/%s.%d.npz", RL_FIXTURES, name, index);
    if (access(path, R_OK) != 0) {
        return NULL;
    }
    *run = (struct records){.labels = ""};
    assert_int_equal(rl_npz_read(&context, arena, path, &run->arrays, &run->count), RL_OK);
    return path;
}

static void open_program(struct rl_arena *arena, const char *name, struct rl_host_program *program)
{
    struct rl_context context = {0};
    struct rl_host_files files = {.source = path_of(arena, name)};
    void *file;
    assert_int_equal(rl_file_read(&context, arena, files.source, &file, &files.program_size), RL_OK);
    files.program = file;
    if (rl_host_program_open(&context, arena, &files, program) != RL_OK) {
        fail_msg("%s", context.message);
    }
}

static enum rl_status set_input(struct rl_method *method, uint32_t index, const struct rl_array *array)
{
    int32_t sizes[RL_TENSOR_MAX_RANK];
    for (int i = 0; i < array->rank; i++) {
        sizes[i] = (int32_t)array->sizes[i];
    }
    return rl_method_set_input_tensor(method, index, array->dtype, (uint32_t)array->rank, sizes, array->data);
}

static bool has_sizes(const struct rl_tensor *tensor, const struct rl_array *array)
{
    bool same = tensor->rank == array->rank;
    for (int i = 0; same && i < array->rank; i++) {
        same = tensor->sizes[i] == array->sizes[i];
    }
    return same;
}

static void run_and_compare(struct rl_arena *arena, struct rl_host_program *program, const struct records *run,
                            const char *source)
{
    struct rl_context context = {0};
    struct rl_method *method = &program->method;
    struct rl_tensor tensor;
    for (uint32_t i = 0; i < rl_method_input_count(method); i++) {
        if (set_input(method, i, records_find(run, "input", i)) != RL_OK) {
            fail_msg("%s: input %u: %s", source, i, method->error.message);
        }
    }
    if (rl_host_program_execute(&context, program) != RL_OK) {
        fail_msg("%s", context.message);
    }
    for (uint32_t i = 0; i < rl_method_output_count(method); i++) {
        const struct rl_array *expected = records_find(run, "output", i);
        assert_non_null(expected);
        assert_int_equal(rl_method_output(method, i, &tensor), RL_OK);
        assert_int_equal(tensor.dtype, expected->dtype);
        assert_true(has_sizes(&tensor, expected));
        void *found = rl_arena_alloc(arena, tensor.bytes);
        assert_int_equal(rl_tensor_to_logical(&tensor, found, tensor.bytes), RL_OK);
        assert_true(records_match(run, source, i, found));
    }
}

// All runs on one method, each with other sizes than the one before, and then the first one again.
static void the_host_gives_what_pytorch_gave(void **state)
{
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        struct rl_arena arena = {0};
        struct rl_host_program program;
        struct records run;
        const char *source;
        int count = 0;
        open_program(&arena, programs[i], &program);
        for (; (source = find_run(&arena, programs[i], count, &run)); count++) {
            run_and_compare(&arena, &program, &run, source);
        }
        assert_true(count >= 3);
        source = find_run(&arena, programs[i], 0, &run);
        if (strcmp(programs[i], "cache") != 0) { // which keeps a state
            run_and_compare(&arena, &program, &run, source);
        }
        rl_arena_free(&arena);
    }
}

static void expect_outputs(struct rl_arena *arena, const struct records *run, const char *path, const char *source)
{
    struct rl_context context = {0};
    struct records results = {.labels = ""};
    assert_int_equal(rl_npz_read(&context, arena, path, &results.arrays, &results.count), RL_OK);
    for (uint32_t i = 0; records_find(run, "output", i); i++) {
        const struct rl_array *expected = records_find(run, "output", i);
        const struct rl_array *found = results.count == 1 ? results.arrays : records_find(&results, "output", i);
        assert_non_null(found);
        assert_int_equal(found->dtype, expected->dtype);
        assert_int_equal(found->rank, expected->rank);
        assert_memory_equal(found->sizes, expected->sizes, (size_t)found->rank * sizeof *found->sizes);
        assert_true(records_match(run, source, i, found->data));
    }
}

// Through `rushlight run`, whose arrays have the sizes of the run.
static void every_core_gives_what_pytorch_gave(void **state)
{
    (void)state;
    bool ran = false;
    for (int i = 0; i < PROGRAMS; i++) {
        struct rl_arena arena = {0};
        struct records run;
        const char *input;
        const int last = strcmp(programs[i], "cache") == 0 ? 1 : INT32_MAX; // later runs need the first one's state
        for (int k = 0; k < last && (input = find_run(&arena, programs[i], k, &run)); k++) {
            for (const char *const *core = rl_emulated_cores; *core; core++) {
                const char *output = rl_temporary_path("shapes.npz");
                if (rl_run_emulated(input, (const char *[]){"run", path_of(&arena, programs[i]), "--input", input,
                                                            "--output", output, "--on", *core, NULL})) {
                    expect_outputs(&arena, &run, output, input);
                    ran = true;
                }
            }
        }
        rl_arena_free(&arena);
    }
    if (!ran) {
        rl_skip_test();
    }
}

static void inputs_beyond_their_bound_are_refused(void **state)
{
    (void)state;
    static const float elements[5 * 4];
    struct rl_arena arena = {0};
    struct rl_host_program program;
    struct rl_tensor tensor;
    bool changes;
    open_program(&arena, "perceptron", &program);
    struct rl_method *method = &program.method;
    assert_int_equal(rl_method_set_input_tensor(method, 0, RL_FLOAT32, 2, (int32_t[]){3, 4}, elements), RL_OK);
    assert_int_equal(rl_method_set_input_tensor(method, 0, RL_FLOAT32, 2, (int32_t[]){5, 4}, elements), RL_ERROR_TYPE);
    assert_string_equal(method->error.message, "a tensor would get more elements than its shape's bound");
    assert_int_equal(rl_method_resize_input(method, 0, 2, (int32_t[]){-1, 4}), RL_ERROR_TYPE);
    assert_int_equal(rl_method_resize_input(method, 0, 2, (int32_t[]){1 << 30, 1 << 30}), RL_ERROR_TYPE);
    assert_int_equal(rl_method_resize_input(method, 0, 2, (int32_t[]){0, INT32_MAX}), RL_ERROR_TYPE);
    assert_int_equal(rl_method_resize_input(method, 0, 3, (int32_t[]){1, 1, 4}), RL_ERROR_TYPE);
    assert_string_equal(method->error.message, "the input has another number of dimensions than its tensor");
    // What was refused has changed nothing.
    assert_int_equal(rl_method_input(method, 0, &tensor), RL_OK);
    assert_int_equal(tensor.sizes[0], 3);
    assert_int_equal(tensor.bytes, 3 * 4 * sizeof(float));
    assert_int_equal(rl_method_input_bound(method, 0, &tensor, &changes), RL_OK);
    assert_int_equal(tensor.sizes[0], 4);
    assert_int_equal(tensor.bytes, 4 * 4 * sizeof(float));
    assert_true(changes);
    rl_arena_free(&arena);
}

// An operator notices sizes that do not go together, although both are within their bounds.
static void inputs_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    static const float elements[8 * 4];
    static const int64_t positions[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct rl_arena arena = {0};
    struct rl_host_program program;
    open_program(&arena, "cache", &program);
    struct rl_method *method = &program.method;
    assert_int_equal(rl_method_set_input_tensor(method, 0, RL_FLOAT32, 2, (int32_t[]){5, 4}, elements), RL_OK);
    assert_int_equal(rl_method_set_input_tensor(method, 1, RL_INT64, 1, (int32_t[]){3}, positions), RL_OK);
    assert_int_equal(rl_method_execute(method), RL_ERROR_TYPE);
    assert_int_equal(rl_method_set_input_tensor(method, 1, RL_INT64, 1, (int32_t[]){5}, positions), RL_OK);
    assert_int_equal(rl_method_execute(method), RL_OK);
    rl_arena_free(&arena);
}

static void a_program_without_other_shapes_keeps_none(void **state)
{
    (void)state;
    static const float elements[2 * 3];
    struct rl_arena arena = {0};
    struct rl_host_program program;
    struct rl_tensor tensor;
    bool changes;
    open_program(&arena, "../programs/unplanned", &program);
    struct rl_method *method = &program.method;
    assert_int_equal(rl_method_input_bound(method, 0, &tensor, &changes), RL_OK);
    assert_false(changes);
    assert_int_equal(rl_method_resize_input(method, 0, 2, (int32_t[]){2, 3}), RL_OK);
    assert_int_equal(rl_method_set_input_tensor(method, 0, RL_FLOAT32, 2, (int32_t[]){1, 3}, elements), RL_ERROR_TYPE);
    assert_string_equal(method->error.message, "the input has other sizes than its tensor");
    rl_arena_free(&arena);
}

// A program that is only trusted tells by its ends that shapes change.
static void trusted_programs_change_shapes(void **state)
{
    (void)state;
    struct rl_arena arena = {0};
    struct rl_host_program program;
    struct rl_requirements needs;
    struct records run;
    open_program(&arena, "language", &program);
    rl_program_trust(&program.program, &rl_registry_all);
    assert_int_equal(rl_method_requirements(&program.program, 0, &needs, NULL), RL_OK);
    assert_int_equal(needs.state_bytes, program.needs.state_bytes);
    void *memory = rl_arena_alloc(&arena, needs.state_bytes);
    assert_int_equal(rl_method_init(&program.method, &program.program, 0, &rl_registry_all, program.buffers,
                                    needs.buffer_count, memory, needs.state_bytes, NULL),
                     RL_OK);
    const char *source = find_run(&arena, "language", 0, &run);
    run_and_compare(&arena, &program, &run, source);
    rl_arena_free(&arena);
}

// The call of an operator of this name; its arguments are in the file.
static int32_t *find_call(const struct rl_host_program *program, const char *operator_name)
{
    const struct rl_pte *pte = &program->program.pte;
    struct rl_pte_plan plan;
    struct rl_pte_instruction instruction;
    const char *name, *overload;
    uint32_t length;
    assert_true(rl_pte_plan(pte, 0, &plan));
    for (uint32_t i = 0; i < plan.instructions.count; i++) {
        if (rl_pte_instruction(pte, &plan, i, &instruction) && instruction.kind == RL_PTE_KERNEL_CALL &&
            rl_pte_operator(pte, &plan, instruction.op_index, &name, &length, &overload, &length) &&
            strcmp(name, operator_name) == 0) {
            return (int32_t *)(uintptr_t)(pte->fb.data + instruction.arguments.items);
        }
    }
    fail_msg("no call of %s", operator_name);
    return NULL;
}

// With its input as its output, matmul would write sizes that it has compared with others already. Verification sees
// the shared memory; a program that is only trusted is refused when it runs.
static void an_operator_does_not_change_the_shape_of_its_input(void **state)
{
    (void)state;
    enum { LEFT, RIGHT, OUTPUT, RETURNED };
    struct rl_arena arena = {0};
    struct rl_host_program program;
    struct rl_context context = {0};
    struct records run;
    open_program(&arena, "cache", &program);
    int32_t *arguments = find_call(&program, "aten::mm");
    arguments[OUTPUT] = arguments[RETURNED] = arguments[LEFT];
    assert_int_equal(rl_program_verify(&program.program, &rl_registry_all, NULL), RL_ERROR_TYPE);
    rl_program_trust(&program.program, &rl_registry_all);
    find_run(&arena, "cache", 0, &run);
    for (uint32_t i = 0; i < rl_method_input_count(&program.method); i++) {
        assert_int_equal(set_input(&program.method, i, records_find(&run, "input", i)), RL_OK);
    }
    assert_int_equal(rl_host_program_execute(&context, &program), RL_ERROR_TYPE);
    assert_string_equal(program.method.error.message,
                        "an operator would change the shape of a tensor that it has read");
    rl_arena_free(&arena);
}

static void a_registry_without_flow_refuses_changing_shapes(void **state)
{
    (void)state;
    struct rl_arena arena = {0};
    struct rl_host_program program;
    struct rl_method method;
    struct rl_registry registry = rl_registry_all;
    open_program(&arena, "perceptron", &program);
    registry.flow = NULL;
    void *memory = rl_arena_alloc(&arena, program.needs.state_bytes);
    assert_int_equal(rl_method_init(&method, &program.program, 0, &registry, program.buffers,
                                    program.needs.buffer_count, memory, program.needs.state_bytes, NULL),
                     RL_ERROR_MISSING_OPERATOR);
    rl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_gives_what_pytorch_gave),
        cmocka_unit_test(every_core_gives_what_pytorch_gave),
        cmocka_unit_test(inputs_beyond_their_bound_are_refused),
        cmocka_unit_test(inputs_that_do_not_go_together_are_refused),
        cmocka_unit_test(a_program_without_other_shapes_keeps_none),
        cmocka_unit_test(trusted_programs_change_shapes),
        cmocka_unit_test(an_operator_does_not_change_the_shape_of_its_input),
        cmocka_unit_test(a_registry_without_flow_refuses_changing_shapes),
    };

    return rl_models_exit(cmocka_run_group_tests_name("shapes", tests, NULL, NULL));
}
