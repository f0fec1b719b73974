// SPDX-License-Identifier: Apache-2.0
#include "compiler/host_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compiler/support/suggest.h"
#include "format/pte_reader.h"

enum { BETWEEN_CHECKS = 16 }; // instructions that run before a caller is asked who may give up

// The runtime's error as one message, with operator, instruction, argument, value and byte where they are known.
static enum rl_status fail(struct rl_context *context, const struct rl_host_program *program, enum rl_status status,
                           const struct rl_error *error)
{
    char place[160] = "";
    size_t used = 0;
    const struct {
        const char *what;
        int64_t number;
    } parts[] = {{"instruction", error->instruction},
                 {"argument", error->argument},
                 {"value", error->value},
                 {"byte", error->offset > 0 ? (int64_t)error->offset : -1}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && used < sizeof place; i++) {
        if (parts[i].number >= 0) {
            used +=
                (size_t)snprintf(place + used, sizeof place - used, " %s %" PRId64 ",", parts[i].what, parts[i].number);
        }
    }
    const char *message = error->message && error->message[0] ? error->message : rl_status_text(status);
    return rl_fail(context, status, "%s:%s%s%s%s %s", program->source, place, error->operator_name ? " (" : "",
                   error->operator_name ? error->operator_name : "", error->operator_name ? "):" : "", message);
}

static bool is_registered(const char *name)
{
    for (uint32_t i = 0; i < rl_registry_all.count; i++) {
        if (strcmp(rl_registry_all.kernels[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool contains(const char **names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// Adds the missing operators of one method. `names` has room for all its operators.
static int add_missing(struct rl_arena *arena, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                       const char **names, int count)
{
    const char *base, *overload;
    uint32_t base_length, overload_length;

    for (uint32_t i = 0; i < plan->operators.count; i++) {
        if (!rl_pte_operator(pte, plan, i, &base, &base_length, &overload, &overload_length)) {
            continue;
        }
        const char *name = rl_arena_format(arena, "%s.%s", base, overload);
        if (!is_registered(name) && !contains(names, count, name)) {
            names[count++] = name;
        }
    }
    return count;
}

int rl_host_missing_operators(struct rl_arena *arena, const struct rl_program *program, const char ***names)
{
    struct rl_pte_plan plan;
    size_t operators = 0;
    int count = 0;

    for (uint32_t method = 0; rl_pte_plan(&program->pte, method, &plan); method++) {
        operators += plan.operators.count;
    }
    *names = rl_arena_array(arena, operators, sizeof **names);
    for (uint32_t method = 0; rl_pte_plan(&program->pte, method, &plan); method++) {
        count = add_missing(arena, &program->pte, &plan, *names, count);
    }
    return count;
}

static const char *join(struct rl_arena *arena, const char *const *names, int count)
{
    const char *joined = count > 0 ? names[0] : "";

    for (int i = 1; i < count; i++) {
        joined = rl_arena_format(arena, "%s, %s", joined, names[i]);
    }
    return joined;
}

static enum rl_status fail_without_operators(struct rl_context *context, struct rl_arena *arena, const char *source,
                                             const struct rl_program *program)
{
    const char **names;
    const int count = rl_host_missing_operators(arena, program, &names);

    return rl_fail(context, RL_ERROR_MISSING_OPERATOR,
                   "%s: the program calls operators that the runtime does not have: %s", source,
                   join(arena, names, count));
}

enum rl_status rl_host_find_method(struct rl_context *context, struct rl_arena *arena,
                                   const struct rl_host_files *files, const struct rl_program *program,
                                   uint32_t *method)
{
    const int count = (int)rl_program_method_count(program);
    const char **names = rl_arena_array(arena, (size_t)count, sizeof *names);

    if (rl_program_find_method(program, files->method ? files->method : "forward", method, NULL) == RL_OK) {
        return RL_OK;
    }
    *method = 0;
    if (!files->method) {
        return RL_OK;
    }
    for (int i = 0; i < count; i++) {
        names[i] = rl_program_method_name(program, (uint32_t)i);
    }
    char close[RL_SUGGEST_TEXT_BYTES];
    return rl_fail(context, RL_ERROR_ARGUMENT, "%s: there is no method '%s'%s; accepted: %s", files->source,
                   files->method, rl_suggest(close, files->method, names, count), join(arena, names, count));
}

// Opens the program with its data, checks the checksum, and verifies it.
static enum rl_status prove(const struct rl_host_files *files, struct rl_program *program, struct rl_error *error)
{
    enum rl_status status = rl_program_open(program, files->program, files->program_size, error);

    if (status == RL_OK) {
        status =
            files->require_checksum ? rl_program_require_checksum(program, error) : rl_program_check(program, error);
    }
    if (status == RL_ERROR_UNSUPPORTED) {
        status = RL_OK; // programs of other compilers have no checksum
    }
    if (status == RL_OK && files->data) {
        status = rl_program_attach(program, files->data, files->data_size, error);
    }
    return status == RL_OK ? rl_program_verify(program, &rl_registry_all, error) : status;
}

typedef enum rl_status get_tensor(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);
typedef enum rl_status bind_tensor(struct rl_method *method, uint32_t index, void *data, size_t bytes);

// Gives memory to the inputs or outputs that have no place in the plan. Values that are not tensors need none.
static enum rl_status bind_unplanned(struct rl_method *method, struct rl_arena *arena, uint32_t count, get_tensor *get,
                                     bind_tensor *bind)
{
    struct rl_tensor tensor;
    enum rl_status status = RL_OK;

    for (uint32_t i = 0; i < count && status == RL_OK; i++) {
        if (get(method, i, &tensor) == RL_OK && !tensor.data && tensor.bytes > 0) {
            status = bind(method, i, rl_arena_alloc(arena, tensor.bytes), tensor.bytes);
        }
    }
    return status;
}

// Binds the last inputs to what the caller has for them.
static enum rl_status bind_given(struct rl_host_program *program)
{
    struct rl_method *method = &program->method;
    const uint32_t count = rl_method_input_count(method);
    struct rl_tensor tensor;
    enum rl_status status = program->bound_count <= count ? RL_OK : RL_ERROR_ARGUMENT;

    for (uint32_t i = 0; i < program->bound_count && status == RL_OK; i++) {
        const uint32_t index = count - program->bound_count + i;
        status = rl_method_input(method, index, &tensor);
        if (status == RL_OK) { // programs do not write to inputs
            status = rl_method_bind_input(method, index, (void *)(uintptr_t)program->bound[i], tensor.bytes);
        }
    }
    return status;
}

// Gives the method all the memory it needs.
static enum rl_status prepare(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program)
{
    struct rl_error error = {.instruction = -1, .argument = -1, .value = -1};
    enum rl_status status = rl_method_requirements(&program->program, program->method_index, &program->needs, &error);

    if (status != RL_OK) {
        return fail(context, program, status, &error);
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < program->needs.buffer_count; i++) {
        total += program->needs.buffer_bytes[i];
    }
    if (total > UINT32_MAX) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED,
                       "%s: the buffers need %" PRIu64 " bytes; accepted: up to %" PRIu32 ", which a core can address",
                       program->source, total, UINT32_MAX);
    }
    for (uint32_t i = 0; i < program->needs.buffer_count; i++) {
        size_t bytes = program->needs.buffer_bytes[i];
        program->buffers[i] = (struct rl_buffer){.data = rl_arena_alloc(arena, bytes), .bytes = bytes};
    }
    const size_t state_bytes = (size_t)program->needs.state_bytes + program->needs.kept_bytes;
    void *state = rl_arena_alloc(arena, state_bytes);
    status = rl_method_init(&program->method, &program->program, program->method_index, &rl_registry_all,
                            program->buffers, program->needs.buffer_count, state, state_bytes, &error);
    if (status != RL_OK) {
        return fail(context, program, status, &error);
    }
    struct rl_method *method = &program->method;
    status = bind_given(program);
    if (status == RL_OK) {
        status = bind_unplanned(method, arena, rl_method_input_count(method), rl_method_input, rl_method_bind_input);
    }
    if (status == RL_OK) {
        status = bind_unplanned(method, arena, rl_method_output_count(method), rl_method_output, rl_method_bind_output);
    }
    return status == RL_OK ? RL_OK : fail(context, program, status, &method->error);
}

enum rl_status rl_host_program_open(struct rl_context *context, struct rl_arena *arena,
                                    const struct rl_host_files *files, struct rl_host_program *program)
{
    struct rl_error error = {.instruction = -1, .argument = -1, .value = -1};

    *program = (struct rl_host_program){.source = files->source,
                                        .bound = files->bound,
                                        .bound_count = files->bound_count,
                                        .max_steps = RL_HOST_MAX_STEPS};
    enum rl_status status = prove(files, &program->program, &error);
    if (status == RL_ERROR_MISSING_OPERATOR && error.operator_name) {
        return fail_without_operators(context, arena, files->source, &program->program);
    }
    if (status != RL_OK) {
        return fail(context, program, status, &error);
    }
    status = rl_host_find_method(context, arena, files, &program->program, &program->method_index);
    return status == RL_OK ? prepare(context, arena, program) : status;
}

enum rl_status rl_host_program_open_again(struct rl_context *context, struct rl_arena *arena,
                                          const struct rl_host_program *opened, struct rl_host_program *program)
{
    *program = (struct rl_host_program){.source = opened->source,
                                        .program = opened->program,
                                        .method_index = opened->method_index,
                                        .bound = opened->bound,
                                        .bound_count = opened->bound_count,
                                        .max_steps = opened->max_steps};
    return prepare(context, arena, program);
}

enum rl_status rl_host_program_resize_input(struct rl_context *context, struct rl_host_program *program, uint32_t index,
                                            uint32_t rank, const int32_t *sizes)
{
    enum rl_status status = rl_method_resize_input(&program->method, index, rank, sizes);

    return status == RL_OK ? RL_OK
                           : rl_fail(context, status, "%s: input %" PRIu32 ": %s", program->source, index,
                                     program->method.error.message);
}

enum rl_status rl_host_program_set_input(struct rl_context *context, struct rl_host_program *program, uint32_t index,
                                         const void *elements, size_t bytes)
{
    struct rl_tensor tensor;
    enum rl_status status = rl_method_input(&program->method, index, &tensor);

    if (status == RL_OK && bytes != tensor.bytes) {
        status = RL_ERROR_ARGUMENT;
    }
    if (status == RL_OK) {
        status = rl_method_set_input_tensor(&program->method, index, (enum rl_scalar_type)tensor.dtype, tensor.rank,
                                            tensor.sizes, elements);
    }
    return status == RL_OK ? RL_OK
                           : rl_fail(context, status, "%s: input %" PRIu32 " cannot be set: %s", program->source, index,
                                     rl_status_text(status));
}

enum rl_status rl_host_program_reset(struct rl_context *context, struct rl_host_program *program)
{
    enum rl_status status = rl_method_reset(&program->method);

    return status == RL_OK ? RL_OK : fail(context, program, status, &program->method.error);
}

enum rl_status rl_host_program_failed(struct rl_context *context, const struct rl_host_program *program,
                                      enum rl_status status)
{
    return fail(context, program, status, &program->method.error);
}

enum rl_status rl_host_program_step(struct rl_context *context, struct rl_host_program *program, bool *done)
{
    if (rl_check_cancelled(context) != RL_OK) {
        return RL_ERROR_UNSUPPORTED;
    }
    const enum rl_status status = rl_method_step(&program->method, 1, done);

    return status == RL_OK ? RL_OK : fail(context, program, status, &program->method.error);
}

void rl_host_program_continue_at(struct rl_host_program *program, int instruction)
{
    program->method.next = (uint32_t)instruction;
}

// What operators have kept of earlier runs has old addresses.
void rl_host_program_move(struct rl_host_program *program, void *memory, size_t bytes)
{
    struct rl_method *method = &program->method;

    program->buffers[0] = (struct rl_buffer){.data = memory, .bytes = bytes};
    method->spare = (struct rl_buffer){0};
    for (uint32_t i = 0; method->kept && i < method->plan.instructions.count; i++) {
        method->kept[i] = NULL;
    }
}

enum rl_status rl_host_program_execute(struct rl_context *context, struct rl_host_program *program)
{
    const uint64_t most = context->is_cancelled ? BETWEEN_CHECKS : UINT32_MAX; // instructions
    enum rl_status status = RL_OK;
    uint64_t left = program->max_steps;
    bool done = false;

    rl_method_restart(&program->method);
    while (status == RL_OK && !done) {
        const uint32_t count = (uint32_t)(left < most ? left : most);
        if (rl_check_cancelled(context) != RL_OK) {
            return RL_ERROR_UNSUPPORTED;
        }
        if (left == 0) {
            return rl_fail(context, RL_ERROR_UNSUPPORTED, "%s: has not ended after %" PRIu64 " instructions",
                           program->source, program->max_steps);
        }
        status = rl_method_step(&program->method, count, &done);
        left -= count;
    }
    return status == RL_OK ? RL_OK : fail(context, program, status, &program->method.error);
}

enum rl_status rl_host_program_get_output(struct rl_context *context, struct rl_host_program *program, uint32_t index,
                                          void *elements, size_t bytes)
{
    struct rl_tensor tensor;
    enum rl_status status = rl_method_output_value(&program->method, index, &tensor);

    if (status == RL_OK) {
        status = rl_tensor_to_logical(&tensor, elements, bytes);
    }
    return status == RL_OK ? RL_OK
                           : rl_fail(context, status, "%s: output %" PRIu32 " cannot be read: %s", program->source,
                                     index, rl_status_text(status));
}
