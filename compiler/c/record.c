// SPDX-License-Identifier: Apache-2.0
//
// Stands for the kernels while a program is recorded. This file and copies of the runtime's operators are compiled with
// other names for the kernels, memcpy and the operators (CMakeLists.txt writes the header that does it): what is called
// rl_pad_run here is rl_record_rl_pad_run for the linker, and leaves the true one alone.
#include "compiler/c/record.h"

#include <string.h>

#include "compiler/c/fields.h"
#include "rushlight/kernels.h"
#undef memcpy

enum {
    MOST_RUNS = 1 << 16, // of bytes that one operator copies
    MOST_MOVES = 128     // calls of rl_move_run that they may become
};

// Bytes that lie next to each other and are copied at once.
struct run {
    uint8_t *to;
    const uint8_t *from;
    size_t bytes;
};

struct recording {
    struct rl_arena *arena;
    struct rl_c_call *calls;
    int count, capacity;
    uint32_t instruction;
    const uint8_t *memory; // the arena of the program
    size_t memory_bytes;
    struct run *runs;
    int run_count;
    bool irregular;
};

// Kernels are told nothing but their layer and their data.
static _Thread_local struct recording *recording;

static struct rl_c_call *add_call(enum rl_c_function function, const void *layer)
{
    struct recording *r = recording;
    if (r->count == r->capacity) {
        const int capacity = r->capacity == 0 ? 64 : 2 * r->capacity;
        struct rl_c_call *calls = rl_arena_array(r->arena, (size_t)capacity, sizeof *calls);
        if (r->count > 0) {
            memcpy(calls, r->calls, (size_t)r->count * sizeof *calls);
        }
        r->calls = calls;
        r->capacity = capacity;
    }
    struct rl_c_call *call = &r->calls[r->count++];
    *call = (struct rl_c_call){.function = function, .instruction = r->instruction};
    call->layer = rl_arena_copy(r->arena, layer, rl_c_function_get(function)->layer->bytes);
    return call;
}

// ---- copies

// Whether run `next` lies as far behind the last of `rows` runs as these from one another.
static bool continues(const struct run *first, const struct rl_move *move, const struct run *next)
{
    return next->bytes == (size_t)move->columns && next->to == first->to + (ptrdiff_t)move->rows * move->to_row &&
           next->from == first->from + (ptrdiff_t)move->rows * move->from_row;
}

static int32_t step(const uint8_t *from, const uint8_t *to)
{
    return (int32_t)(to - from);
}

// Turns what an operator has copied into calls of rl_move_run.
static void end_copies(void)
{
    struct recording *r = recording;
    int moves = 0;
    for (int i = 0; i < r->run_count; moves++) {
        const struct run *first = &r->runs[i++];
        struct rl_move move = {.rows = 1, .columns = (int32_t)first->bytes, .to_column = 1, .from_column = 1};
        if (i < r->run_count && r->runs[i].bytes == first->bytes) {
            move.to_row = step(first->to, r->runs[i].to);
            move.from_row = step(first->from, r->runs[i].from);
        }
        while (i < r->run_count && moves < MOST_MOVES && continues(first, &move, &r->runs[i])) {
            move.rows++;
            i++;
        }
        struct rl_c_call *call = add_call(RL_C_rl_move_run, &move);
        call->from[0] = first->from;
        call->to = first->to;
        if (moves == MOST_MOVES) {
            r->irregular = true;
            break;
        }
    }
    r->run_count = 0;
}

void *rl_record_memcpy(void *to, const void *from, size_t bytes)
{
    struct recording *r = recording;
    const uintptr_t place = (uintptr_t)to, start = r ? (uintptr_t)r->memory : 0;
    if (!r || place < start || place - start >= r->memory_bytes) {
        return memcpy(to, from, bytes);
    }
    struct run *last = r->run_count > 0 ? &r->runs[r->run_count - 1] : NULL;
    if (last && last->to + last->bytes == (uint8_t *)to && last->from + last->bytes == (const uint8_t *)from) {
        last->bytes += bytes;
    } else if (r->run_count == MOST_RUNS) {
        r->irregular = true;
    } else if (bytes > 0) {
        r->runs[r->run_count++] = (struct run){to, from, bytes};
    }
    return to;
}

// ---- kernels

static struct rl_c_call *begin_call(enum rl_c_function function, const void *layer)
{
    end_copies();
    return add_call(function, layer);
}

static void add_usual(enum rl_c_function function, const void *layer, const void *from, const void *other, void *to,
                      struct rl_scratch scratch)
{
    struct rl_c_call *call = begin_call(function, layer);
    call->from[0] = from;
    call->from[1] = other;
    call->to = to;
    call->scratch[0] = scratch;
}

static const struct rl_scratch no_scratch = {NULL, 0};

#define RL_C_UNARY(name, layer_type, from_type, to_type)                                                               \
    void name(const struct layer_type *layer, const from_type *from, to_type *to)                                      \
    {                                                                                                                  \
        add_usual(RL_C_##name, layer, from, NULL, to, no_scratch);                                                     \
    }
#define RL_C_UNARY_SCRATCH(name, layer_type, from_type, to_type)                                                       \
    void name(const struct layer_type *layer, const from_type *from, to_type *to, struct rl_scratch scratch)           \
    {                                                                                                                  \
        add_usual(RL_C_##name, layer, from, NULL, to, scratch);                                                        \
    }
#define RL_C_BINARY(name, layer_type, from_type, to_type)                                                              \
    void name(const struct layer_type *layer, const from_type *from, const from_type *other, to_type *to)              \
    {                                                                                                                  \
        add_usual(RL_C_##name, layer, from, other, to, no_scratch);                                                    \
    }
#define RL_C_BINARY_SCRATCH(name, layer_type, from_type, to_type)                                                      \
    void name(const struct layer_type *layer, const from_type *from, const from_type *other, to_type *to,              \
              struct rl_scratch scratch)                                                                               \
    {                                                                                                                  \
        add_usual(RL_C_##name, layer, from, other, to, scratch);                                                       \
    }
#define RL_C_OTHER(name, layer_type)
#include "compiler/c/functions.def"

void rl_transpose_convolution_run(const struct rl_transpose_convolution *layer, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch, struct rl_scratch filters)
{
    struct rl_c_call *call = begin_call(RL_C_rl_transpose_convolution_run, layer);
    call->from[0] = input;
    call->to = output;
    call->scratch[0] = scratch;
    call->scratch[1] = filters;
}

void rl_recurrent_run(const struct rl_recurrent *layer, const struct rl_recurrent_state *state, const int8_t *input,
                      int8_t *output, struct rl_scratch scratch)
{
    struct rl_c_call *call = begin_call(RL_C_rl_recurrent_run, layer);
    call->from[0] = input;
    call->to = output;
    call->scratch[0] = scratch;
    call->state = *state;
}

void rl_quantize_elements(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to)
{
    struct rl_c_call *call = begin_call(RL_C_rl_quantize_elements, q);
    call->from[0] = from;
    call->to = to;
    call->count = count;
    call->wide = wide;
}

void rl_dequantize_elements(const void *from, bool wide, uint32_t count, const struct rl_quantization *q, float *to)
{
    struct rl_c_call *call = begin_call(RL_C_rl_dequantize_elements, q);
    call->from[0] = from;
    call->to = to;
    call->count = count;
    call->wide = wide;
}

// ---- programs

struct recorded_operator {
    const struct rl_kernel *kernel;
    enum rl_status (*run)(struct rl_call *call);
};

#define RL_C_OPERATOR(id) enum rl_status rl_run_##id(struct rl_call *call);
#include "compiler/c/operators.def"
#undef RL_C_OPERATOR

static const struct recorded_operator operators[] = {
#define RL_C_OPERATOR(id) {&rl_kernel_##id, rl_run_##id},
#include "compiler/c/operators.def"
#undef RL_C_OPERATOR
};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

bool rl_c_has_operator(const char *name)
{
    for (int i = 0; i < OPERATORS; i++) {
        if (strcmp(operators[i].kernel->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static enum rl_status begin_operator(void *user, struct rl_call *call)
{
    (void)user;
    recording->instruction = call->instruction;
    return RL_OK;
}

static enum rl_status end_operator(void *user, struct rl_call *call)
{
    (void)user;
    (void)call;
    end_copies();
    return RL_OK;
}

static enum rl_status run_recording(struct rl_arena *arena, struct rl_host_program *program, struct rl_method *method)
{
    struct rl_kernel *kernels = rl_arena_array(arena, OPERATORS, sizeof *kernels);
    const struct rl_kernel **list = rl_arena_array(arena, OPERATORS, sizeof *list);
    for (int i = 0; i < OPERATORS; i++) {
        kernels[i] = *operators[i].kernel;
        kernels[i].run = operators[i].run;
        list[i] = &kernels[i];
    }
    const struct rl_registry registry = {.kernels = list, .count = OPERATORS, .flow = &rl_control_flow_all};
    const struct rl_hooks hooks = {.before = begin_operator, .after = end_operator};
    const uint32_t bytes = program->needs.state_bytes;
    struct rl_error error = {.instruction = -1};
    const enum rl_status status =
        rl_method_init(method, &program->program, program->method_index, &registry, program->buffers,
                       program->needs.buffer_count, rl_arena_alloc(arena, bytes), bytes, &error);
    if (status != RL_OK) {
        return status;
    }
    rl_method_set_hooks(method, &hooks);
    return rl_method_execute(method);
}

enum rl_status rl_c_record(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                           struct rl_c_calls *calls)
{
    struct recording r = {.arena = arena,
                          .memory = program->buffers[0].data,
                          .memory_bytes = program->buffers[0].bytes,
                          .runs = rl_arena_array(arena, MOST_RUNS, sizeof *r.runs)};
    struct rl_method method;
    recording = &r;
    const enum rl_status status = run_recording(arena, program, &method);
    recording = NULL;
    rl_arena_release(arena, r.runs);
    *calls = (struct rl_c_calls){r.calls, r.count};
    if (status != RL_OK) {
        return rl_fail(context, status, "%s: instruction %d: %s", program->source, (int)method.error.instruction,
                       method.error.message ? method.error.message : rl_status_text(status));
    }
    if (r.irregular) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED,
                       "%s: an operator copies elements so irregularly that its calls would be as long as what it "
                       "copies; write a .pte instead",
                       program->source);
    }
    return RL_OK;
}
