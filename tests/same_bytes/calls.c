// SPDX-License-Identifier: Apache-2.0
#include "same_bytes/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/memory.h"
#include "fuzz/pte_call.h"
#include "fuzz/pte_fields.h"
#include "runtime/run/call.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"
#include "same_bytes/contents.h"

enum {
    MOST_KERNELS = 512,
    MOST_BYTES = 64 << 10, // of a buffer or a tensor of the caller
    MOST_TENSORS = 16,     // of the caller
    ALIKE = 8,             // calls of an operator in a file that run as they are, before thinning
};

struct tally {
    uint32_t runs, checksum, moved, made; // the latter two: struct strange_nans
};

struct memory {
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    uint32_t buffer_count;
    void *state;
    struct rl_buffer tensors[MOST_TENSORS];
    uint32_t tensor_count;
};

struct probe {
    uint8_t *file, *work, *kept; // the program with the one call, the copy of it that runs, and another one
    size_t size;
    struct fields fields;        // of the call
    struct rl_kernel kernel;     // the call's, or another one under its name
    struct rl_registry registry; // all, but with this one
    const struct rl_kernel *kernels[MOST_KERNELS];
    bool visited[MOST_KERNELS];   // whether calls of other operators with this one's signature have run
    uint32_t calls[MOST_KERNELS]; // of each operator, so far
    uint32_t every, made;         // of the changed programs, every so many-th runs
    enum contents contents;
    uint32_t random, running;                      // the operator that runs
    struct tally tallies[MOST_KERNELS][2], *tally; // without and with tensors of float64
};

// FNV-1a.
static void add_bytes(struct tally *tally, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tally->checksum = (tally->checksum ^ ((const uint8_t *)bytes)[i]) * 16777619u;
    }
}

static void add_number(struct tally *tally, uint64_t number)
{
    uint8_t bytes[8];
    for (uint32_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
    add_bytes(tally, bytes, sizeof bytes);
}

// ---- before and after a call

// Constants only if they are floats: integers may be what verification has proved the call with.
static void fill_argument(struct probe *p, const struct rl_tensor *tensor)
{
    if (tensor->data && (!tensor->constant || rl_scalar_is_floating((enum rl_scalar_type)tensor->dtype))) {
        fill_tensor(tensor, p->contents, &p->random);
    }
}

static void add_tensor(struct tally *tally, const struct rl_tensor *tensor)
{
    const struct strange_nans strange = count_strange_nans(tensor);
    tally->moved += strange.moved;
    tally->made += strange.made;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        add_number(tally, (uint64_t)tensor->sizes[i]);
    }
    add_bytes(tally, tensor->data, tensor->bytes);
}

static void add_value(struct tally *tally, struct rl_call *call, uint32_t argument)
{
    double number = 0;
    uint64_t bits;
    switch (rl_call_kind(call, argument)) {
    case RL_PTE_DOUBLE:
        number = rl_call_double(call, argument);
        memcpy(&bits, &number, sizeof bits);
        tally->made += number != number && bits != 0x7ff8000000000000;
        break;
    case RL_PTE_INT:
        bits = (uint64_t)rl_call_int(call, argument);
        break;
    default:
        bits = rl_call_bool(call, argument);
        break;
    }
    add_number(tally, bits);
}

static enum rl_status fill_call(void *user, struct rl_call *call)
{
    struct probe *p = user;
    struct rl_call reader = *call; // whose refusals do not count
    struct rl_tensor tensor;
    p->tally = &p->tallies[p->running][rl_call_has_float64(call)];
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char letter = call->kernel->signature[i];
        reader.status = RL_OK;
        if (strchr("TUtSO", letter) && rl_call_optional_tensor(&reader, i, &tensor)) {
            fill_argument(p, &tensor);
        }
        for (uint32_t k = 0; strchr("Ll", letter) && k < rl_call_list(&reader, i); k++) {
            if (rl_call_list_optional_tensor(&reader, i, k, &tensor)) {
                fill_argument(p, &tensor);
            }
        }
    }
    return RL_OK;
}

static enum rl_status add_call(void *user, struct rl_call *call)
{
    struct probe *p = user;
    struct rl_call reader = *call;
    struct rl_tensor tensor;
    p->tally->runs++;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char letter = call->kernel->signature[i];
        reader.status = RL_OK;
        if (letter == 'O') {
            rl_call_tensor(&reader, i, &tensor);
            add_tensor(p->tally, &tensor);
        } else if (letter == 'W') {
            add_value(p->tally, &reader, i);
        }
        for (uint32_t k = 0; letter == 'L' && i + 1 == call->argument_count && k < rl_call_list(&reader, i); k++) {
            rl_call_list_tensor(&reader, i, k, &tensor);
            add_tensor(p->tally, &tensor);
        }
    }
    return RL_OK;
}

static void add_failure(void *user, const struct rl_error *error)
{
    struct probe *p = user;
    add_number(p->tally, (uint64_t)error->status);
}

// ---- running the program

typedef enum rl_status get_tensor(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);
typedef enum rl_status bind_tensor(struct rl_method *method, uint32_t index, void *data, size_t bytes);

static void bind_all(struct rl_method *method, uint32_t count, get_tensor *get, bind_tensor *bind,
                     struct memory *memory)
{
    struct rl_tensor tensor;
    for (uint32_t i = 0; i < count && memory->tensor_count < MOST_TENSORS; i++) {
        if (get(method, i, &tensor) != RL_OK || tensor.data || tensor.bytes > MOST_BYTES) {
            continue;
        }
        void *data = fuzz_take(tensor.bytes);
        memory->tensors[memory->tensor_count++] = (struct rl_buffer){data, tensor.bytes};
        bind(method, i, data, tensor.bytes);
    }
}

static void give_back(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->buffer_count; i++) {
        fuzz_give_back(memory->buffers[i].data);
    }
    for (uint32_t i = 0; i < memory->tensor_count; i++) {
        fuzz_give_back(memory->tensors[i].data);
    }
    fuzz_give_back(memory->state);
}

static bool prepare(struct probe *p, const struct rl_program *program, struct rl_method *method, struct memory *memory)
{
    const struct rl_hooks hooks = {fill_call, add_call, add_failure, p};
    struct rl_requirements needs;
    if (rl_method_requirements(program, 0, &needs, NULL) != RL_OK) {
        return false;
    }
    for (uint32_t i = 0; i < needs.buffer_count; i++) {
        if (needs.buffer_bytes[i] > MOST_BYTES) {
            return false;
        }
        memory->buffers[i] = (struct rl_buffer){fuzz_take(needs.buffer_bytes[i]), needs.buffer_bytes[i]};
        memory->buffer_count++;
    }
    memory->state = fuzz_take(needs.state_bytes);
    if (rl_method_init(method, program, 0, &p->registry, memory->buffers, memory->buffer_count, memory->state,
                       needs.state_bytes, NULL) != RL_OK) {
        return false;
    }
    rl_method_set_hooks(method, &hooks);
    bind_all(method, rl_method_input_count(method), rl_method_input, rl_method_bind_input, memory);
    bind_all(method, rl_method_output_count(method), rl_method_output, rl_method_bind_output, memory);
    return true;
}

// Runs the program with every kind of contents, if it is right.
static void run(struct probe *p)
{
    struct rl_program program;
    struct rl_method method;
    struct memory memory = {.buffer_count = 0};
    bool done;
    memcpy(p->work, p->file, p->size);
    if (rl_program_open(&program, p->work, p->size, NULL) != RL_OK ||
        rl_program_verify(&program, &p->registry, NULL) != RL_OK) {
        return;
    }
    if (prepare(p, &program, &method, &memory)) {
        for (int contents = 0; contents < CONTENTS; contents++) {
            p->contents = (enum contents)contents;
            p->random = (uint32_t)contents;
            rl_method_restart(&method);
            rl_method_step(&method, 1, &done);
        }
    }
    give_back(&memory);
}

// ---- element types and numbers

static void run_some(struct probe *p)
{
    if (p->made++ % p->every == 0) {
        run(p);
    }
}

static void run_with(struct probe *p, const struct field *field, uint64_t number)
{
    const uint64_t old = field_read(p->file, field);
    field_write(p->file, field, number);
    run_some(p);
    field_write(p->file, field, old);
}

// Gives tensors of one type another one: all of them, the first one or the last one.
static void run_with_type(struct probe *p, uint64_t from, uint64_t to)
{
    uint32_t changed[MOST_FIELDS], count = 0;
    for (uint32_t i = 0; i < p->fields.count; i++) {
        if (p->fields.items[i].role == FIELD_TYPE && field_read(p->file, &p->fields.items[i]) == from) {
            changed[count++] = i;
        }
    }
    if (count == 0 || from == to) {
        return;
    }
    run_with(p, &p->fields.items[changed[0]], to);
    run_with(p, &p->fields.items[changed[count - 1]], to);
    for (uint32_t i = 0; i < count; i++) {
        field_write(p->file, &p->fields.items[changed[i]], to);
    }
    run_some(p);
    for (uint32_t i = 0; i < count; i++) {
        field_write(p->file, &p->fields.items[changed[i]], from);
    }
}

static void run_with_types(struct probe *p)
{
    static const uint8_t types[] = {RL_FLOAT32, RL_FLOAT64, RL_FLOAT16, RL_BFLOAT16, RL_INT8,
                                    RL_UINT8,   RL_INT16,   RL_INT32,   RL_INT64,    RL_BOOL};
    for (size_t i = 0; i < sizeof types; i++) {
        run_with_type(p, RL_FLOAT32, types[i]);
        run_with_type(p, RL_INT8, types[i]);
        run_with_type(p, RL_INT64, types[i]);
    }
}

static void run_with_numbers(struct probe *p)
{
    static const uint64_t doubles[] = {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x36a0000000000000,
                                       0x3fe0000000000000, 0x3ff0000000000000, 0xbff8000000000000, 0x4008000000000000,
                                       0x41e0000000000000, 0x43f0000000000000, 0x47f0000000000000, 0x7e37e43c8800759c,
                                       0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff4000000000007};
    static const int64_t integers[] = {-129, -128, -2,  -1,    0,         1,         2,
                                       3,    127,  255, 65536, INT32_MAX, INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < p->fields.count; i++) {
        const struct field *field = &p->fields.items[i];
        for (size_t k = 0; field->role == FIELD_DOUBLE && k < sizeof doubles / sizeof *doubles; k++) {
            run_with(p, field, doubles[k]);
        }
        for (size_t k = 0; field->role == FIELD_INT && k < sizeof integers / sizeof *integers; k++) {
            run_with(p, field, (uint64_t)integers[k]);
        }
        if (field->role == FIELD_BOOL) {
            run_with(p, field, !field_read(p->file, field));
        }
    }
}

// ---- calls

static void use_kernel(struct probe *p, uint32_t named, uint32_t run_instead)
{
    p->kernel = *rl_registry_all.kernels[named];
    p->kernel.run = rl_registry_all.kernels[run_instead]->run;
    p->kernels[named] = &p->kernel;
    p->running = run_instead;
    p->tally = p->tallies[run_instead];
}

static bool same_arguments(uint32_t a, uint32_t b)
{
    return strcmp(rl_registry_all.kernels[a]->signature, rl_registry_all.kernels[b]->signature) == 0;
}

// The call with another operator, also with images under the names of their memory.
static void run_instead(struct probe *p, uint32_t kernel, uint32_t other)
{
    use_kernel(p, kernel, other);
    run(p);
    run_with_types(p);
    run_with_numbers(p);
    memcpy(p->kept, p->file, p->size);
    call_lay_flat(p->file, &p->fields);
    if (memcmp(p->kept, p->file, p->size) != 0) {
        run(p);
        memcpy(p->file, p->kept, p->size);
    }
}

static void run_call(struct probe *p, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                     uint32_t kernel)
{
    memcpy(p->kernels, rl_registry_all.kernels, rl_registry_all.count * sizeof *p->kernels);
    p->fields.count = 0;
    fields_of_instruction(&p->fields, pte, plan, index);
    call_isolate(p->file, pte, plan, index);
    use_kernel(p, kernel, kernel);
    if (p->calls[kernel]++ < ALIKE) {
        run(p);
    } else {
        run_some(p);
    }
    call_spread(p->file, plan, &p->fields);
    if (p->tallies[kernel][0].runs + p->tallies[kernel][1].runs == 0) {
        run(p);
    }
    run_with_types(p);
    run_with_numbers(p);
    for (uint32_t i = 0; i < rl_registry_all.count && !p->visited[kernel]; i++) {
        if (i != kernel && same_arguments(i, kernel)) {
            run_instead(p, kernel, i);
        }
    }
    for (uint32_t i = 0; i < rl_registry_all.count; i++) {
        p->visited[i] = p->visited[i] || same_arguments(i, kernel);
    }
}

static void print_tally(const char *name, const char *kernel, const char *types, const struct tally *tally)
{
    if (tally->runs > 0) {
        printf("%s %s%s %" PRIu32 " %08" PRIx32 "%s\n", name, kernel, types, tally->runs, tally->checksum,
               tally->moved > 0 ? " keeps NaN" : "");
    }
    if (tally->made > 0) {
        printf("FAIL: %s %s%s: %" PRIu32 " NaNs are not the one that operators store\n", name, kernel, types,
               tally->made);
    }
}

static uint32_t print_tallies(const char *name, const struct probe *p)
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < rl_registry_all.count; i++) {
        const struct tally *tallies = p->tallies[i];
        print_tally(name, rl_registry_all.kernels[i]->name, "", &tallies[0]);
        print_tally(name, rl_registry_all.kernels[i]->name, "/float64", &tallies[1]);
        runs += tallies[0].runs + tallies[1].runs;
    }
    return runs;
}

uint32_t print_calls(const char *name, const uint8_t *file, size_t size, uint32_t every)
{
    static struct probe p;
    struct rl_pte pte;
    struct rl_pte_plan plan;
    struct rl_pte_instruction instruction;
    uint32_t offset;
    memset(&p, 0, sizeof p);
    if (rl_pte_open(&pte, file, size, &offset) || !rl_pte_plan(&pte, 0, &plan)) {
        return 0;
    }
    p.size = size;
    p.every = every;
    p.file = fuzz_take(size);
    p.work = fuzz_take(size);
    p.kept = fuzz_take(size);
    p.registry = rl_registry_all;
    p.registry.kernels = p.kernels;
    for (uint32_t i = 0; i < plan.instructions.count; i++) {
        if (!rl_pte_instruction(&pte, &plan, i, &instruction) || instruction.kind != RL_PTE_KERNEL_CALL) {
            continue;
        }
        const uint32_t kernel = call_kernel(&pte, &plan, instruction.op_index);
        memcpy(p.file, file, size);
        if (kernel < rl_registry_all.count) {
            run_call(&p, &pte, &plan, i, kernel);
        }
    }
    fuzz_give_back(p.file);
    fuzz_give_back(p.work);
    fuzz_give_back(p.kept);
    return print_tallies(name, &p);
}
