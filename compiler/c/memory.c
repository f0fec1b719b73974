// SPDX-License-Identifier: Apache-2.0
//
// One block of memory for all that a program writes: a program in C has one arena, while a .pte may have several
// planned buffers, and inputs and outputs that its plan leaves to the caller. They lie behind one another.
#include <string.h>

#include "compiler/c/record.h"

static size_t aligned(size_t bytes)
{
    return (bytes + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
}

typedef enum rl_status get_tensor(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);
typedef enum rl_status bind_tensor(struct rl_method *method, uint32_t index, void *data, size_t bytes);

// Binds inputs or outputs without a place to what follows `*end`, or only counts their bytes without `data`. Those of
// methods that were bound before have one already.
static void bind_side(struct rl_method *method, uint32_t count, get_tensor *get, bind_tensor *bind, uint8_t *data,
                      size_t *end)
{
    for (uint32_t i = 0; i < count; i++) {
        struct rl_tensor t;
        if (get(method, i, &t) != RL_OK || t.data || t.bytes == 0) {
            continue;
        }
        if (data) {
            (void)bind(method, i, data + *end, t.bytes);
        }
        *end += aligned(t.bytes);
    }
}

static void bind_all(struct rl_method *method, uint8_t *data, size_t *end)
{
    bind_side(method, rl_method_input_count(method), rl_method_input, rl_method_bind_input, data, end);
    bind_side(method, rl_method_output_count(method), rl_method_output, rl_method_bind_output, data, end);
}

static size_t planned_bytes(const struct rl_host_program *program)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < program->needs.buffer_count; i++) {
        bytes = aligned(bytes) + program->needs.buffer_bytes[i];
    }
    return bytes;
}

enum rl_status rl_c_prepare(struct rl_arena *arena, struct rl_host_program *program, const struct rl_registry *registry,
                            const struct rl_buffer *memory, struct rl_method *method, struct rl_error *error)
{
    const uint32_t bytes = program->needs.state_bytes;
    const enum rl_status status =
        rl_method_init(method, &program->program, program->method_index, registry, program->buffers,
                       program->needs.buffer_count, rl_arena_alloc(arena, bytes), bytes, error);
    size_t end = aligned(planned_bytes(program));
    if (status == RL_OK) {
        bind_all(method, memory->data, &end);
    }
    return status;
}

enum rl_status rl_c_gather(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                           struct rl_buffer *memory)
{
    struct rl_error error = {.message = ""};
    const uint32_t state_bytes = program->needs.state_bytes;
    size_t end = planned_bytes(program), place = 0;
    const size_t planned = end;
    // A method without bound tensors, to count them.
    struct rl_method method;
    enum rl_status status =
        rl_method_init(&method, &program->program, program->method_index, &rl_registry_all, program->buffers,
                       program->needs.buffer_count, rl_arena_alloc(arena, state_bytes), state_bytes, &error);
    if (status == RL_OK) {
        size_t bound = aligned(end);
        bind_all(&method, NULL, &bound);
        end = bound > aligned(end) ? bound : end;
        end = end > 0 ? end : RL_ALIGNMENT; // C has no empty arrays
        memory->bytes = end;
        memory->data = rl_arena_alloc(arena, end);
        for (uint32_t i = 0; i < program->needs.buffer_count; i++) {
            place = aligned(place);
            program->buffers[i].data = (uint8_t *)memory->data + place;
            place += program->buffers[i].bytes;
        }
        memset((uint8_t *)memory->data + planned, 0, end - planned);
        status = rl_c_prepare(arena, program, &rl_registry_all, memory, &program->method, &error);
    }
    return status == RL_OK ? RL_OK : rl_fail(context, status, "%s: %s", program->source, error.message);
}
