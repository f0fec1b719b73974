// SPDX-License-Identifier: Apache-2.0
//
// A method from its preparation to its last instruction: memory, inputs and outputs, execution, hooks.
#include <string.h>

#include "format/proved.h"
#include "runtime/error.h"
#include "runtime/flow.h"
#include "runtime/plan.h"
#include "runtime/run/slots.h"
#include "runtime/run/view.h"

// ---- preparation

static enum rl_status check_memory(const struct rl_requirements *needs, const struct rl_buffer *buffers,
                                   uint32_t buffer_count, const void *state, size_t state_bytes, struct rl_error *error)
{
    if (buffer_count < needs->buffer_count) {
        return rl_report(error, RL_ERROR_MEMORY, "fewer planned buffers than the method needs", 0);
    }
    for (uint32_t i = 0; i < needs->buffer_count; i++) {
        if (buffers[i].bytes < needs->buffer_bytes[i]) {
            return rl_report(error, RL_ERROR_MEMORY, "a planned buffer is smaller than rl_method_requirements says", 0);
        }
        if (needs->buffer_bytes[i] > 0 && (!buffers[i].data || (uintptr_t)buffers[i].data % RL_ALIGNMENT != 0)) {
            return rl_report(error, RL_ERROR_MEMORY, "a planned buffer is not aligned to 16 bytes", 0);
        }
    }
    if (state_bytes < needs->state_bytes) {
        return rl_report(error, RL_ERROR_MEMORY, "the state is smaller than rl_method_requirements says", 0);
    }
    if (needs->state_bytes > 0 && (!state || (uintptr_t)state % sizeof(void *) != 0)) {
        return rl_report(error, RL_ERROR_MEMORY, "the state is not aligned to a pointer", 0);
    }
    return RL_OK;
}

static enum rl_status find_kernels(struct rl_method *method, const struct rl_registry *registry)
{
    const struct rl_fb_vector *operators = &method->plan.operators;
    for (uint32_t i = 0; i < operators->count; i++) {
        struct rl_operator_name name;
        rl_view_operator(&method->program->pte, operators, i, &name);
        method->kernels[i] = rl_find_kernel(registry, &name);
        if (method->kernels[i]) {
            continue;
        }
        rl_report(&method->error, RL_ERROR_MISSING_OPERATOR, "an operator that the program calls is not registered", 0);
        method->error.operator_name = name.base;
        return RL_ERROR_MISSING_OPERATOR;
    }
    return RL_OK;
}

static enum rl_status place_data(struct rl_method *method)
{
    const struct rl_pte *pte = &method->program->pte;
    uint32_t sets;
    rl_proved_vector(pte->fb.data + pte->root, RL_PTE_program_mutable_data_segments, &sets);
    if (sets == 0 && !method->program->find_data && !method->slots) {
        return RL_OK;
    }
    if (!method->flow) {
        return rl_report(&method->error, RL_ERROR_MISSING_OPERATOR, rl_no_flow, 0);
    }
    return method->flow->place(method);
}

// The state: pointers, then slots or, if there is room, what operators keep.
static void divide_state(struct rl_method *method, const struct rl_requirements *needs, void *state, size_t state_bytes)
{
    const struct rl_pte_plan *plan = &method->plan;
    method->kernels = state;
    method->bound = (void **)state + plan->operators.count;
    void **pointers_end = method->bound + plan->inputs.count + plan->outputs.count;
    if (needs->state_bytes > 0) {
        memset(state, 0, needs->state_bytes);
    }
    if ((uint8_t *)state + needs->state_bytes > (uint8_t *)pointers_end) {
        method->slots = (struct rl_slot *)pointers_end;
        return;
    }
    const size_t left = state_bytes - needs->state_bytes;
    const size_t table_bytes = plan->instructions.count * sizeof *method->kept;
    if (left <= table_bytes) {
        return;
    }
    method->kept = memset(pointers_end, 0, table_bytes);
    method->room = (struct rl_buffer){method->kept + plan->instructions.count, left - table_bytes};
}

// Clears memory that the program may read before it writes it.
static void clear(const struct rl_method *method, enum rl_cleared cleared)
{
    if (method->program->clear) {
        method->program->clear(method, cleared, NULL);
    }
}

static void find_spare(struct rl_method *method, uint32_t planned)
{
    const struct rl_buffer *first = method->buffers;
    if (planned > 0) {
        method->spare = (struct rl_buffer){(uint8_t *)first->data + planned, first->bytes - planned};
    }
}

static enum rl_status init(struct rl_method *method, uint32_t index, const struct rl_registry *registry,
                           uint32_t buffer_count, void *state, size_t state_bytes)
{
    struct rl_requirements needs;
    struct rl_error *error = &method->error;
    enum rl_status status = rl_require(method->program, index, &method->plan, &needs, error);
    if (status == RL_OK) {
        status = check_memory(&needs, method->buffers, buffer_count, state, state_bytes, error);
    }
    if (status != RL_OK) {
        return status;
    }
    method->flow = registry->flow;
    divide_state(method, &needs, state, state_bytes);
    find_spare(method, needs.buffer_bytes[0]);
    status = find_kernels(method, registry);
    clear(method, RL_CLEAR_ALL);
    return status == RL_OK ? place_data(method) : status;
}

enum rl_status rl_method_init(struct rl_method *method, const struct rl_program *program, uint32_t index,
                              const struct rl_registry *registry, const struct rl_buffer *buffers,
                              uint32_t buffer_count, void *state, size_t state_bytes, struct rl_error *error)
{
    memset(method, 0, sizeof *method);
    method->program = program;
    method->buffers = buffers;
    enum rl_status status = init(method, index, registry, buffer_count, state, state_bytes);
    if (status == RL_OK) {
        return RL_OK;
    }
    if (error) {
        *error = method->error;
    }
    method->plan = (struct rl_pte_plan){0}; // so that nothing can run
    return status;
}

void rl_method_set_hooks(struct rl_method *method, const struct rl_hooks *hooks)
{
    method->hooks = *hooks;
}

// ---- inputs and outputs

uint32_t rl_method_input_count(const struct rl_method *method)
{
    return method->plan.inputs.count;
}

uint32_t rl_method_output_count(const struct rl_method *method)
{
    return method->plan.outputs.count;
}

// Finds the tensor that `list`, the method's inputs or outputs, names at `index`, and its table. `slots` have its
// current value; NULL means the value in the file.
static enum rl_status find_listed(struct rl_method *method, const struct rl_slot *slots,
                                  const struct rl_fb_vector *list, uint32_t index, uint32_t *value,
                                  const uint8_t **table)
{
    if (index >= list->count) {
        return rl_report(&method->error, RL_ERROR_ARGUMENT, "the method has no such input or output", 0);
    }
    const struct rl_pte *pte = &method->program->pte;
    const uint8_t *values = pte->fb.data + method->plan.values.items;
    *value = (uint32_t)rl_proved_item(pte, list, index);
    if (rl_value_now(slots, values, value, table) == RL_PTE_TENSOR) {
        return RL_OK;
    }
    rl_report(&method->error, RL_ERROR_TYPE, "an input or output is not a tensor", 0);
    method->error.value = (int32_t)*value;
    return RL_ERROR_TYPE;
}

// Views such a tensor, and tells where it is.
static enum rl_status view_listed(struct rl_method *method, const struct rl_slot *slots,
                                  const struct rl_fb_vector *list, uint32_t index, struct rl_tensor *tensor,
                                  enum rl_storage *place)
{
    const uint8_t *table;
    uint32_t value;
    memset(tensor, 0, sizeof *tensor);
    enum rl_status status = find_listed(method, slots, list, index, &value, &table);
    if (status == RL_OK) {
        *place = rl_view_tensor(method, value, table, tensor);
    }
    return status;
}

// The same for the tensor in the file with its sizes there, and whether they change.
static enum rl_status view_bound(struct rl_method *method, const struct rl_fb_vector *list, uint32_t index,
                                 struct rl_tensor *tensor, enum rl_storage *place, bool *changes)
{
    const uint8_t *table;
    uint32_t value, rank;
    enum rl_status status = view_listed(method, NULL, list, index, tensor, place);
    if (status == RL_OK) {
        status = find_listed(method, NULL, list, index, &value, &table);
    }
    if (status != RL_OK) {
        return status;
    }
    tensor->sizes = (const int32_t *)(const void *)rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    tensor->bytes = (uint32_t)rl_scalar_size(tensor->dtype);
    for (uint32_t i = 0; i < rank; i++) {
        tensor->bytes *= (uint32_t)tensor->sizes[i];
    }
    *changes = method->slots && rl_own_sizes(&method->slots[value]) != 0;
    return RL_OK;
}

// The next execution starts with the values in the file, whatever the last one moved to an input.
enum rl_status rl_method_input(struct rl_method *method, uint32_t index, struct rl_tensor *tensor)
{
    enum rl_storage place;
    return view_listed(method, NULL, &method->plan.inputs, index, tensor, &place);
}

enum rl_status rl_method_output(struct rl_method *method, uint32_t index, struct rl_tensor *tensor)
{
    enum rl_storage place;
    return view_listed(method, method->slots, &method->plan.outputs, index, tensor, &place);
}

enum rl_status rl_method_input_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes)
{
    enum rl_storage place;
    return view_bound(method, &method->plan.inputs, index, tensor, &place, changes);
}

enum rl_status rl_method_output_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes)
{
    enum rl_storage place;
    return view_bound(method, &method->plan.outputs, index, tensor, &place, changes);
}

enum rl_status rl_method_resize_input(struct rl_method *method, uint32_t index, uint32_t rank, const int32_t *sizes)
{
    const uint8_t *table;
    struct rl_tensor tensor;
    uint32_t value;
    enum rl_status status = rl_method_input(method, index, &tensor);
    if (status != RL_OK) {
        return status;
    }
    if (tensor.rank != rank) {
        return rl_report(&method->error, RL_ERROR_TYPE, "the input has another number of dimensions than its tensor",
                         0);
    }
    if (rank == 0 || memcmp(tensor.sizes, sizes, rank * sizeof *sizes) == 0) {
        return RL_OK;
    }
    find_listed(method, NULL, &method->plan.inputs, index, &value, &table);
    if (!method->slots || rl_own_sizes(&method->slots[value]) == 0) {
        return rl_report(&method->error, RL_ERROR_TYPE, "the input has other sizes than its tensor", 0);
    }
    const char *message = method->flow->resize(method, value, rank, sizes);
    return message ? rl_record(&method->error, RL_ERROR_TYPE, message, 0) : RL_OK;
}

// Views an input that the caller may write to now.
static enum rl_status view_writable(struct rl_method *method, uint32_t index, struct rl_tensor *tensor)
{
    enum rl_status status = rl_method_input(method, index, tensor);
    if (status != RL_OK) {
        return status;
    }
    if (tensor->constant) {
        return rl_report(&method->error, RL_ERROR_FORMAT, "an input is a constant", 0);
    }
    if (tensor->bytes > 0 && !tensor->data) {
        return rl_report(&method->error, RL_ERROR_MEMORY, "the input has no memory: bind it first", 0);
    }
    return RL_OK;
}

enum rl_status rl_method_set_input(struct rl_method *method, uint32_t index, const void *data, size_t bytes)
{
    struct rl_tensor tensor;
    enum rl_status status = view_writable(method, index, &tensor);
    if (status != RL_OK) {
        return status;
    }
    if (tensor.bytes != bytes) {
        return rl_report(&method->error, RL_ERROR_TYPE, "the input has another number of bytes than its tensor", 0);
    }
    if (bytes > 0) {
        memcpy(tensor.data, data, bytes);
    }
    return RL_OK;
}

enum rl_status rl_method_set_input_tensor(struct rl_method *method, uint32_t index, enum rl_scalar_type dtype,
                                          uint32_t rank, const int32_t *sizes, const void *elements)
{
    struct rl_tensor tensor;
    enum rl_status status = view_writable(method, index, &tensor);
    if (status != RL_OK) {
        return status;
    }
    if (tensor.dtype != dtype) {
        return rl_report(&method->error, RL_ERROR_TYPE, "the input has another element type than its tensor", 0);
    }
    status = rl_method_resize_input(method, index, rank, sizes);
    if (status == RL_OK) {
        status = view_writable(method, index, &tensor);
    }
    return status == RL_OK ? rl_tensor_from_logical(&tensor, elements, tensor.bytes) : status;
}

// `first` is the entry of the list's first value among the bound addresses.
static enum rl_status bind(struct rl_method *method, const struct rl_fb_vector *list, uint32_t first, uint32_t index,
                           void *data, size_t bytes)
{
    struct rl_tensor tensor;
    enum rl_storage place;
    bool changes;
    enum rl_status status = view_bound(method, list, index, &tensor, &place, &changes);
    if (status != RL_OK) {
        return status;
    }
    if (place != RL_STORAGE_CALLER) {
        return rl_report(&method->error, RL_ERROR_ARGUMENT, "this tensor has its place in the plan", 0);
    }
    if (tensor.bytes != bytes) {
        return rl_report(&method->error, RL_ERROR_TYPE, "the memory has another number of bytes than the tensor", 0);
    }
    if ((uintptr_t)data % rl_scalar_size(tensor.dtype) != 0) {
        return rl_report(&method->error, RL_ERROR_MEMORY, "the memory is not aligned to the tensor's elements", 0);
    }
    method->bound[first + index] = data;
    return RL_OK;
}

enum rl_status rl_method_bind_input(struct rl_method *method, uint32_t index, void *data, size_t bytes)
{
    return bind(method, &method->plan.inputs, 0, index, data, bytes);
}

enum rl_status rl_method_bind_output(struct rl_method *method, uint32_t index, void *data, size_t bytes)
{
    return bind(method, &method->plan.outputs, method->plan.inputs.count, index, data, bytes);
}

// ---- execution

static enum rl_status run_hooked(struct rl_call *call, const struct rl_hooks *hooks)
{
    enum rl_status status = RL_OK;
    if (hooks->before) {
        status = hooks->before(hooks->user, call);
    }
    if (status == RL_OK) {
        status = call->kernel->run(call);
    }
    if (status == RL_OK && hooks->after) {
        status = hooks->after(hooks->user, call);
    }
    return status;
}

static enum rl_status run_next(struct rl_method *method)
{
    const struct rl_pte *pte = &method->program->pte;
    const uint8_t *table;
    uint32_t count;
    const enum rl_pte_instruction_kind kind =
        rl_proved_instruction(pte, &method->plan.instructions, method->next, &table);
    if (kind != RL_PTE_KERNEL_CALL && !method->flow) {
        rl_report(&method->error, RL_ERROR_MISSING_OPERATOR, rl_no_flow, 0);
        method->error.instruction = (int32_t)method->next;
        return RL_ERROR_MISSING_OPERATOR;
    }
    if (kind != RL_PTE_KERNEL_CALL) {
        return method->flow->run(method, kind, table);
    }
    uint32_t operator_index = rl_proved_number(table, RL_PTE_kernel_call_op_index);
    const uint8_t *arguments = rl_proved_vector(table, RL_PTE_kernel_call_args, &count);
    struct rl_call call = {.method = method,
                           .kernel = method->kernels[operator_index],
                           .values = pte->fb.data + method->plan.values.items,
                           .arguments = (const int32_t *)(const void *)arguments,
                           .kept = method->kept ? method->kept[method->next] : NULL,
                           .argument_count = count,
                           .slots = method->slots,
                           .instruction = method->next,
                           .keeps = method->kept,
                           .status = RL_OK};
    if (count != call.kernel->argument_count) {
        return rl_call_refuse(&call, 0, RL_ERROR_FORMAT, "the operator is called with a wrong number of arguments");
    }
    enum rl_status status = run_hooked(&call, &method->hooks);
    if (method->program->clear) {
        method->program->clear(method, RL_CLEAR_WORK, &call);
    }
    if (status != RL_OK && call.status == RL_OK) {
        return rl_call_refuse(&call, 0, status, "a hook ended the execution");
    }
    if (status == RL_OK) {
        method->next++;
    }
    return status;
}

enum rl_status rl_method_step(struct rl_method *method, uint32_t count, bool *done)
{
    const uint32_t end = method->plan.instructions.count;
    *done = false;
    if (method->next >= end) {
        rl_method_restart(method);
    }
    for (uint32_t i = 0; i < count && method->next < end; i++) {
        enum rl_status status = run_next(method);
        if (status != RL_OK && method->hooks.failed) {
            method->hooks.failed(method->hooks.user, &method->error);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    *done = method->next >= end;
    return RL_OK;
}

void rl_method_restart(struct rl_method *method)
{
    method->next = 0;
    rl_slots_reset(method->slots, method->plan.values.count);
    clear(method, RL_CLEAR_BUT_STATE);
}

enum rl_status rl_method_reset(struct rl_method *method)
{
    rl_method_restart(method);
    clear(method, RL_CLEAR_BUT_INPUTS);
    return place_data(method);
}

enum rl_status rl_method_execute(struct rl_method *method)
{
    bool done;
    rl_method_restart(method);
    return rl_method_step(method, UINT32_MAX, &done);
}
