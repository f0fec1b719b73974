// SPDX-License-Identifier: Apache-2.0
#include "compiler/host_program.h"

#include <inttypes.h>
#include <stdio.h>

// The runtime's error as one message: what it knows of operator, instruction, argument, value and byte.
static enum rl_status fail(struct rl_context *context, const struct rl_host_program *program,
                           enum rl_status status, const struct rl_error *error)
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
            used += (size_t)snprintf(place + used, sizeof place - used, " %s %" PRId64 ",", parts[i].what,
                                     parts[i].number);
        }
    }
    const char *message = error->message && error->message[0] ? error->message : rl_status_text(status);
    return rl_fail(context, status, "%s:%s%s%s%s %s", program->source, place,
                   error->operator_name ? " (" : "", error->operator_name ? error->operator_name : "",
                   error->operator_name ? "):" : "", message);
}

enum rl_status rl_host_program_open(struct rl_context *context, struct rl_arena *arena, const char *source,
                                    const void *file, size_t size, const void *data, size_t data_size,
                                    struct rl_host_program *program)
{
    struct rl_error error = {.instruction = -1, .argument = -1, .value = -1};

    *program = (struct rl_host_program){.source = source};
    enum rl_status status = rl_program_open(&program->program, file, size, &error);
    if (status == RL_OK) {
        status = rl_program_check(&program->program, &error);
    }
    if (status == RL_ERROR_UNSUPPORTED) {
        status = RL_OK; // programs of other compilers have no checksum
    }
    if (status == RL_OK && data != NULL) {
        status = rl_program_attach(&program->program, data, data_size, &error);
    }
    if (status == RL_OK) {
        status = rl_program_verify(&program->program, &rl_registry_all, &error);
    }
    if (status == RL_OK) {
        status = rl_method_requirements(&program->program, 0, &program->needs, &error);
    }
    if (status != RL_OK) {
        return fail(context, program, status, &error);
    }
    for (uint32_t i = 0; i < program->needs.buffer_count; i++) {
        size_t bytes = program->needs.buffer_bytes[i];
        program->buffers[i] = (struct rl_buffer){.data = rl_arena_alloc(arena, bytes), .bytes = bytes};
    }
    const size_t state_bytes = (size_t)program->needs.state_bytes + program->needs.kept_bytes;
    void *state = rl_arena_alloc(arena, state_bytes);
    status = rl_method_init(&program->method, &program->program, 0, &rl_registry_all, program->buffers,
                            program->needs.buffer_count, state, state_bytes, &error);
    return status == RL_OK ? RL_OK : fail(context, program, status, &error);
}

enum rl_status rl_host_program_set_input(struct rl_context *context, struct rl_host_program *program,
                                         uint32_t index, const void *elements, size_t bytes)
{
    struct rl_tensor tensor;
    enum rl_status status = rl_method_input(&program->method, index, &tensor);

    if (status == RL_OK) {
        status = rl_tensor_from_logical(&tensor, elements, bytes);
    }
    return status == RL_OK ? RL_OK
                           : rl_fail(context, status, "%s: input %" PRIu32 " cannot be set: %s",
                                     program->source, index, rl_status_text(status));
}

enum rl_status rl_host_program_execute(struct rl_context *context, struct rl_host_program *program)
{
    enum rl_status status = rl_method_execute(&program->method);

    return status == RL_OK ? RL_OK : fail(context, program, status, &program->method.error);
}

enum rl_status rl_host_program_get_output(struct rl_context *context, struct rl_host_program *program,
                                          uint32_t index, void *elements, size_t bytes)
{
    struct rl_tensor tensor;
    enum rl_status status = rl_method_output(&program->method, index, &tensor);

    if (status == RL_OK) {
        status = rl_tensor_to_logical(&tensor, elements, bytes);
    }
    return status == RL_OK ? RL_OK
                           : rl_fail(context, status, "%s: output %" PRIu32 " cannot be read: %s",
                                     program->source, index, rl_status_text(status));
}
