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
    uint8_t *before; // what it held before the operator
    struct run *runs;
    int run_count;
    int first;      // call of the operator
    bool irregular; // its copies are too many calls
    bool direct;    // it is called as it is
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

// Turns what an operator has copied into calls of rl_move_run, unless they would be too many.
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

#define RL_C_OPERATOR(id) enum rl_status rl_run_##id(struct rl_call *call);
#include "compiler/c/operators.def"
#undef RL_C_OPERATOR

static const struct {
    const struct rl_kernel *kernel;
    enum rl_status (*run)(struct rl_call *call);
} operators[] = {
#define RL_C_OPERATOR(id) {&rl_kernel_##id, rl_run_##id},
#include "compiler/c/operators.def"
#undef RL_C_OPERATOR
};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

// Stands for every operator. What has no copy here, or what the copy refuses (it has no form for float64), is called as
// it is.
static enum rl_status run_operator(struct rl_call *call)
{
    recording->direct = true;
    for (int i = 0; i < OPERATORS; i++) {
        if (operators[i].kernel->name == call->kernel->name) {
            recording->direct = operators[i].run(call) != RL_OK;
            call->status = RL_OK;
        }
    }
    return RL_OK;
}

static enum rl_status begin_operator(void *user, struct rl_call *call)
{
    (void)user;
    struct recording *r = recording;
    r->instruction = call->instruction;
    r->first = r->count;
    memcpy(r->before, r->memory, r->memory_bytes);
    return RL_OK;
}

static void record_operator(const struct rl_call *call)
{
    const struct rl_c_struct *none = rl_c_function_get(RL_C_rl_direct_call)->layer;
    struct rl_c_call *recorded = add_call(RL_C_rl_direct_call, none);
    recorded->call = *call;
    recorded->call.kept = NULL;
    recorded->call.keeps = false;
}

// What an operator does must be in its calls. One that changed memory itself computes without a kernel for these shapes
// or types, and is called as it is.
static enum rl_status end_operator(void *user, struct rl_call *call)
{
    const struct rl_buffer *memory = user;
    struct recording *r = recording;
    end_copies();
    const bool computes = memcmp(r->before, r->memory, r->memory_bytes) != 0;
    if (!r->direct && !computes && !r->irregular) {
        return RL_OK;
    }
    memcpy(memory->data, r->before, r->memory_bytes);
    r->count = r->first;
    r->irregular = false;
    record_operator(call);
    return RL_OK;
}

// Contents that no operator writes by chance, and that are truth values, too.
static void fill_memory(const struct rl_buffer *memory)
{
    uint32_t random = 1;
    for (size_t i = 0; i < memory->bytes; i++) {
        random = random * 1664525u + 1013904223u;
        ((uint8_t *)memory->data)[i] = (uint8_t)(random >> 31);
    }
}

static enum rl_status run_recording(struct rl_arena *arena, struct rl_host_program *program, struct rl_buffer *memory,
                                    struct rl_method *method)
{
    const uint32_t count = rl_registry_all.count;
    struct rl_kernel *kernels = rl_arena_array(arena, count, sizeof *kernels);
    const struct rl_kernel **list = rl_arena_array(arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        kernels[i] = *rl_registry_all.kernels[i];
        kernels[i].run = run_operator;
        list[i] = &kernels[i];
    }
    const struct rl_registry registry = {.kernels = list, .count = count, .flow = &rl_control_flow_all};
    const struct rl_hooks hooks = {.before = begin_operator, .after = end_operator, .user = memory};
    struct rl_error error = {.instruction = -1};
    const enum rl_status status = rl_c_prepare(arena, program, &registry, memory, method, &error);
    if (status != RL_OK) {
        return status;
    }
    fill_memory(memory);
    rl_method_set_hooks(method, &hooks);
    return rl_method_execute(method);
}

enum rl_status rl_c_record(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                           const struct rl_buffer *memory, struct rl_c_calls *calls)
{
    struct recording r = {.arena = arena,
                          .memory = memory->data,
                          .memory_bytes = memory->bytes,
                          .before = rl_arena_alloc(arena, memory->bytes),
                          .runs = rl_arena_array(arena, MOST_RUNS, sizeof *r.runs)};
    struct rl_method method;
    struct rl_buffer own = *memory;
    recording = &r;
    const enum rl_status status = run_recording(arena, program, &own, &method);
    recording = NULL;
    rl_arena_release(arena, r.runs);
    rl_arena_release(arena, r.before);
    *calls = (struct rl_c_calls){r.calls, r.count};
    if (status != RL_OK) {
        return rl_fail(context, status, "%s: instruction %d: %s", program->source, (int)method.error.instruction,
                       method.error.message ? method.error.message : rl_status_text(status));
    }
    for (int i = 0; i < r.count; i++) { // the recording's method ends here
        r.calls[i].call.method = r.calls[i].function == RL_C_rl_direct_call ? &program->method : NULL;
    }
    return RL_OK;
}
