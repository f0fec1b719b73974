// SPDX-License-Identifier: Apache-2.0
//
#include "fuzz/pte_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ptd_reader.h"
#include "format/pte_names.h"
#include "fuzz/fuzz.h"
#include "fuzz/memory.h"
#include "runtime/flow.h"
#include "runtime/run/shapes.h"
#include "runtime/verify/verify.h"

enum {
    MOST_BYTES = 64 << 10, // of a tensor of the caller, and of a buffer if nothing else bounds the time of a kernel
    MOST_WORK = 1 << 18,
    MOST_TENSORS = 16, // of the caller
    MOST_INSTRUCTIONS = 600,
};

enum contents { SMALL_INTEGERS, ANY_BYTES, AGAIN, CONTENTS };

struct memory {
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    uint32_t buffer_count;
    void *state;
    struct rl_buffer tensors[MOST_TENSORS];
    uint32_t tensor_count;
};

static void free_memory(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->buffer_count; i++) {
        fuzz_give_back(memory->buffers[i].data);
    }
    for (uint32_t i = 0; i < memory->tensor_count; i++) {
        fuzz_give_back(memory->tensors[i].data);
    }
    fuzz_give_back(memory->state);
}

// Fills a buffer with 64-bit integers from 0 to 2, which are valid as most indices, with anything in between.
static void fill(const struct rl_buffer *buffer, enum contents contents)
{
    uint8_t *bytes = buffer->data;
    uint32_t random = 1;
    for (size_t i = 0; i < buffer->bytes; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(random >> 24);
        if (contents != ANY_BYTES) {
            bytes[i] = i % 8 == 0 ? bytes[i] % 3 : 0;
        }
    }
}

static void fill_memory(const struct memory *memory, enum contents contents)
{
    for (uint32_t i = 0; i < memory->buffer_count; i++) {
        fill(&memory->buffers[i], contents);
    }
    for (uint32_t i = 0; i < memory->tensor_count; i++) {
        fill(&memory->tensors[i], contents);
    }
}

static bool takes_long(const struct rl_program *program, uint32_t index, const struct rl_registry *registry,
                       uint32_t bytes)
{
    struct rl_work work;
    return bytes > RL_FUZZ_MOST_PLANNED ||
           (bytes > MOST_BYTES &&
            (rl_method_work(program, index, registry, &work, NULL) != RL_OK || work.total > MOST_WORK));
}

// Every byte of the memory is `before` when the method begins.
static enum rl_status prepare(struct rl_method *method, const struct rl_program *program, uint32_t index,
                              const struct rl_registry *registry, uint8_t before, struct memory *memory)
{
    struct rl_requirements needs;
    enum rl_status status = rl_method_requirements(program, index, &needs, NULL);
    if (status != RL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < needs.buffer_count; i++) {
        if (takes_long(program, index, registry, needs.buffer_bytes[i])) {
            return RL_ERROR_MEMORY;
        }
        memory->buffers[i] = (struct rl_buffer){fuzz_take(needs.buffer_bytes[i]), needs.buffer_bytes[i]};
        memset(memory->buffers[i].data, before, needs.buffer_bytes[i]);
        memory->buffer_count++;
    }
    const size_t kept_bytes = needs.kept_bytes < MOST_BYTES ? needs.kept_bytes : MOST_BYTES;
    memory->state = fuzz_take(needs.state_bytes + kept_bytes);
    memset(memory->state, before, needs.state_bytes + kept_bytes);
    return rl_method_init(method, program, index, registry, memory->buffers, memory->buffer_count, memory->state,
                          needs.state_bytes + kept_bytes, NULL);
}

// ---- an operator touches nothing of the planned buffers but its own tensors

// Bytes that a tensor may have: its shape may change in the call up to the largest sizes, those of the file.
static size_t most_bytes(const struct rl_call *call, const struct rl_tensor *tensor)
{
    const struct rl_method *method = call->method;
    struct rl_placed_tensor placed;
    struct rl_effort effort = {.left = UINT64_MAX};
    const char *message;
    size_t most = tensor->bytes;
    for (uint32_t i = 0; call->slots && i < method->plan.values.count; i++) {
        if (rl_place_tensor(method->program, &method->plan, i, &effort, &placed, &message) == RL_OK && placed.changes &&
            placed.place == RL_STORAGE_PLANNED && placed.view.bytes > most &&
            (uint8_t *)method->buffers[placed.buffer].data + placed.position == tensor->data) {
            most = placed.view.bytes;
        }
    }
    return most;
}

static void open_argument(struct rl_call *call, uint32_t argument)
{
    struct rl_tensor tensor;
    const enum rl_pte_kind kind = rl_call_kind(call, argument);
    if (kind == RL_PTE_TENSOR) {
        rl_call_tensor(call, argument, &tensor);
        fuzz_open(tensor.data, most_bytes(call, &tensor));
        return;
    }
    if (kind != RL_PTE_TENSOR_LIST && kind != RL_PTE_OPTIONAL_TENSOR_LIST) {
        return;
    }
    for (uint32_t i = 0; i < rl_call_list(call, argument); i++) {
        if (rl_call_list_optional_tensor(call, argument, i, &tensor)) {
            fuzz_open(tensor.data, most_bytes(call, &tensor));
        }
    }
}

static enum rl_status open_tensors(void *user, struct rl_call *call)
{
    const struct memory *memory = user;
    struct rl_call reader = *call; // whose refusals do not count
    for (uint32_t i = 0; i < memory->buffer_count; i++) {
        fuzz_close(memory->buffers[i].data, memory->buffers[i].bytes);
    }
    for (uint32_t i = 0; i < call->argument_count; i++) {
        reader.status = RL_OK;
        open_argument(&reader, i);
    }
    return RL_OK;
}

static void open_buffers(const struct memory *memory)
{
    for (uint32_t i = 0; i < memory->buffer_count; i++) {
        fuzz_open(memory->buffers[i].data, memory->buffers[i].bytes);
    }
}

static enum rl_status open_after(void *user, struct rl_call *call)
{
    (void)call;
    open_buffers(user);
    return RL_OK;
}

static void open_after_failure(void *user, const struct rl_error *error)
{
    (void)error;
    open_buffers(user);
}

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

static void bind_ends(struct rl_method *method, struct memory *memory)
{
    bind_all(method, rl_method_input_count(method), rl_method_input, rl_method_bind_input, memory);
    bind_all(method, rl_method_output_count(method), rl_method_output, rl_method_bind_output, memory);
}

// Returns the number of calls that ran to their end. If verification refused an instruction, that one must never run,
// whatever the contents and the sizes.
static uint32_t execute(struct rl_method *method, int32_t refused)
{
    uint32_t run = 0;
    bool done = false;
    rl_method_restart(method);
    for (uint32_t i = 0; i < MOST_INSTRUCTIONS && !done; i++) {
        const int32_t instruction = (int32_t)method->next;
        if (rl_method_step(method, 1, &done) == RL_OK) {
            run++;
            if (instruction == refused) {
                fprintf(stderr, "instruction %d was refused during verification, and runs\n", (int)refused);
                abort();
            }
        } else if (++method->next >= method->plan.instructions.count) {
            break;
        }
    }
    return run;
}

static void read_outputs(struct rl_method *method)
{
    struct rl_tensor tensor;
    for (uint32_t i = 0; i < rl_method_output_count(method); i++) {
        if (rl_method_output(method, i, &tensor) != RL_OK || !tensor.data || tensor.bytes > MOST_BYTES) {
            continue;
        }
        uint8_t *copy = fuzz_take(tensor.bytes);
        rl_tensor_to_logical(&tensor, copy, tensor.bytes);
        fuzz_give_back(copy);
    }
}

// Makes every dimension that may change, and can, smaller by one, so that sizes that were the same still are.
static void shrink(struct rl_method *method)
{
    struct rl_placed_tensor placed;
    struct rl_effort effort = {.left = UINT64_MAX};
    const char *message;
    int32_t sizes[RL_TENSOR_MAX_RANK];
    for (uint32_t i = 0; method->slots && i < method->plan.values.count; i++) {
        if (rl_place_tensor(method->program, &method->plan, i, &effort, &placed, &message) != RL_OK ||
            !placed.changes) {
            continue;
        }
        for (uint32_t k = 0; k < placed.view.rank; k++) {
            sizes[k] = placed.view.sizes[k] > 1 ? placed.view.sizes[k] - 1 : placed.view.sizes[k];
        }
        method->flow->resize(method, i, placed.view.rank, sizes);
    }
}

static uint32_t run(const struct rl_program *program, uint32_t index, const struct rl_registry *registry,
                    int32_t refused)
{
    struct rl_method method;
    struct memory memory = {.buffer_count = 0};
    uint32_t run = 0;
    if (prepare(&method, program, index, registry, 0, &memory) == RL_OK) {
        const struct rl_hooks hooks = {open_tensors, open_after, open_after_failure, &memory};
        rl_method_set_hooks(&method, &hooks);
        for (int contents = SMALL_INTEGERS; contents < CONTENTS; contents++) {
            bind_ends(&method, &memory); // again, since what is an output may have changed
            fill_memory(&memory, (enum contents)contents);
            run += execute(&method, refused);
            read_outputs(&method);
            shrink(&method); // for the next round
        }
    }
    free_memory(&memory);
    return run;
}

// ---- outputs do not depend on what the memory held before

static void fill_inputs(struct rl_method *method)
{
    struct rl_tensor tensor;
    for (uint32_t i = 0; i < rl_method_input_count(method); i++) {
        if (rl_method_input(method, i, &tensor) == RL_OK && tensor.data) {
            fill(&(struct rl_buffer){tensor.data, tensor.bytes}, SMALL_INTEGERS);
        }
    }
}

static uint32_t add_to_digest(uint32_t digest, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        digest = (digest ^ bytes[i]) * 16777619u; // FNV-1a
    }
    return digest;
}

static uint32_t digest_outputs(struct rl_method *method)
{
    struct rl_tensor tensor;
    uint32_t digest = 2166136261u;
    for (uint32_t i = 0; i < rl_method_output_count(method); i++) {
        if (rl_method_output(method, i, &tensor) != RL_OK || !tensor.data || tensor.bytes > MOST_BYTES) {
            continue;
        }
        uint8_t *copy = fuzz_take(tensor.bytes);
        rl_tensor_to_logical(&tensor, copy, tensor.bytes);
        digest = add_to_digest(digest, copy, tensor.bytes);
        fuzz_give_back(copy);
    }
    return digest;
}

// A digest of how a method ends and of its outputs, twice: the second run has the same inputs.
static uint32_t digest_run(const struct rl_program *program, uint32_t index, const struct rl_registry *registry,
                           uint8_t before)
{
    struct rl_method method;
    struct memory memory = {.buffer_count = 0};
    uint32_t digest = 0;
    if (prepare(&method, program, index, registry, before, &memory) == RL_OK) {
        bind_ends(&method, &memory);
        for (int time = 0; time < 2; time++) {
            bool done = false;
            enum rl_status status = RL_OK;
            rl_method_restart(&method);
            for (uint32_t i = 0; i < memory.tensor_count; i++) {
                fill(&memory.tensors[i], SMALL_INTEGERS);
            }
            fill_inputs(&method);
            for (uint32_t i = 0; i < MOST_INSTRUCTIONS && !done && status == RL_OK; i++) {
                status = rl_method_step(&method, 1, &done);
            }
            digest = digest * 31 + (uint32_t)status + (done ? digest_outputs(&method) : 0);
        }
    }
    free_memory(&memory);
    return digest;
}

static void expect_same_outputs(const struct rl_program *program, uint32_t index, const struct rl_registry *registry)
{
    if (digest_run(program, index, registry, 0) != digest_run(program, index, registry, 0xff)) {
        fprintf(stderr, "the outputs of method %u depend on what the memory held before\n", (unsigned)index);
        abort();
    }
}

// ---- all of it

// A call that verification refuses must also be refused when the program runs. So a program with no other fault is run,
// too. *refused becomes the instruction if its method is known, otherwise -1. Overlaps are refused for the largest
// sizes (runtime/verify/overlap.c), and such a call may run with other sizes. One at which verification takes too long
// is not refused for what it is.
static bool prove(struct rl_program *program, const struct rl_registry *registry, bool *accepted, int32_t *refused)
{
    struct rl_error error = {.status = RL_OK};
    *refused = -1;
    *accepted = rl_program_verify(program, registry, &error) == RL_OK;
    if (*accepted) {
        return true;
    }
    program->proved = program->shapes != RL_SHAPES_UNKNOWN; // which its structure has told
    if (rl_program_method_count(program) == 1 && !strstr(error.message, "shares memory with another tensor") &&
        !strstr(error.message, "would take too long")) {
        *refused = error.instruction;
    }
    return program->proved;
}

// Where behind the program a file of data begins; `size` when there is none.
static size_t find_data(const uint8_t *data, size_t size)
{
    for (size_t i = RL_ALIGNMENT; i + 8 <= size; i += RL_ALIGNMENT) {
        if (memcmp(data + i + 4, RL_PTD_IDENTIFIER, 4) == 0) {
            return i;
        }
    }
    return size;
}

// Names that are accepted can be shown.
static void read_names(const struct rl_pte *pte)
{
    struct rl_pte_plan plan;
    struct rl_pte_names names;
    for (uint32_t i = 0; i < pte->plans.count && i < 4; i++) {
        if (!rl_pte_plan(pte, i, &plan) || rl_pte_names_open(pte, &plan, &names)) {
            continue;
        }
        for (uint32_t k = 0; k < names.frames.count; k++) {
            const struct rl_pte_name name = rl_pte_names_at(&names, k);
            if ((name.layer && !rl_pte_is_name(name.layer, strlen(name.layer))) ||
                (name.node && !rl_pte_is_name(name.node, strlen(name.node)))) {
                abort();
            }
        }
    }
}

uint32_t rl_fuzz_program(const uint8_t *data, size_t size, const struct rl_registry *registry)
{
    struct rl_program program;
    uint32_t calls = 0;
    bool accepted;
    int32_t refused;
    const size_t file_size = find_data(data, size), attached_size = size - file_size;
    uint8_t *file = fuzz_take(file_size), *attached = fuzz_take(attached_size);
    memcpy(file, data, file_size);
    memcpy(attached, data + file_size, attached_size);
    if (rl_program_open(&program, file, file_size, NULL) == RL_OK) {
        rl_program_check(&program, NULL);
        read_names(&program.pte);
        if (attached_size > 0) {
            rl_program_attach(&program, attached, attached_size, NULL);
        }
        if (prove(&program, registry, &accepted, &refused)) {
            for (uint32_t i = 0; i < rl_program_method_count(&program) && i < 4; i++) {
                calls += run(&program, i, registry, refused);
                if (accepted) {
                    expect_same_outputs(&program, i, registry);
                }
            }
        }
    }
    fuzz_give_back(file);
    fuzz_give_back(attached);
    return calls;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rl_fuzz_program(data, size, &rl_registry_all);
    return 0;
}
