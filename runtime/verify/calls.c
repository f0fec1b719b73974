// SPDX-License-Identifier: Apache-2.0
//
// The last part of rl_program_verify: every operator of a method reads and checks its arguments, and stops where it
// would begin to compute (rl_call_ready). The method has no memory yet. Each buffer and each tensor of the caller gets
// a made-up range of addresses, so that operators see overlaps and alignment. Nothing is read or written there.
//
// Operators see the values and the shapes of the file, which are the largest. If some change while the method runs, a
// refusal that may follow from that does not count (changing_values.c). The call is then checked when it runs, as are
// indices and sizes that follow from data.
//
// Functions are not inlined where that keeps their variables off the stack on which operators read their arguments.
#include "format/proved.h"
#include "runtime/flow.h"
#include "runtime/plan.h"
#include "runtime/reason.h"
#include "runtime/verify/verify.h"

struct checked_method {
    struct rl_method method; // the first member: functions that operators call find the others from it
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    struct rl_fb_vector inputs, outputs; // the plan's lists; those of `method` are empty, so nothing is bound
    uintptr_t first;                     // address of the first tensor of the caller
};

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
}

// Bytes that a value takes among the tensors of the caller.
static uint64_t caller_bytes(const struct checked_method *c, uint32_t value)
{
    const uint8_t *values = c->method.program->pte.fb.data + c->method.plan.values.items, *table;
    struct rl_tensor tensor;
    if (rl_proved_value(values + 4 * value, &table) != RL_PTE_TENSOR ||
        rl_view_tensor(&c->method, value, table, &tensor) != RL_STORAGE_CALLER) {
        return 0;
    }
    return round_up(tensor.bytes);
}

// Bytes of the inputs and outputs in front of `value`; *found tells whether `value` is one of them.
static uint64_t bytes_before(const struct checked_method *c, int64_t value, bool *found)
{
    const struct rl_fb_vector *lists[] = {&c->inputs, &c->outputs};
    uint64_t bytes = 0;
    *found = false;
    for (uint32_t list = 0; list < 2; list++) {
        for (uint32_t i = 0; i < lists[list]->count; i++) {
            const int32_t item = rl_proved_item(&c->method.program->pte, lists[list], i);
            *found = item == value;
            if (*found) {
                return bytes;
            }
            bytes += caller_bytes(c, (uint32_t)item);
        }
    }
    return bytes;
}

// rl_method.stand_in: NULL for a tensor that no caller can bind.
static void *stand_in(const struct rl_method *method, uint32_t value)
{
    const struct checked_method *c = (const struct checked_method *)(const void *)method;
    bool found;
    const uint64_t before = bytes_before(c, value, &found);
    return found ? (void *)(c->first + (uintptr_t)before) : NULL;
}

// Gives all memory of the method addresses in the half of the address space where the file is not. False if there is
// too little room. Then the method can hardly run on this core, either.
static __attribute__((noinline)) bool place_memory(struct checked_method *c)
{
    const struct rl_pte *pte = &c->method.program->pte;
    const uintptr_t file = (uintptr_t)pte->fb.data, half = UINTPTR_MAX / 2 + 1;
    const bool is_low = file + pte->fb.size <= half;
    const uintptr_t start = is_low ? half : RL_ALIGNMENT, end = is_low ? UINTPTR_MAX : file;
    uint64_t used = 0;
    bool found;
    for (uint32_t i = 0; i + 1 < c->method.plan.buffer_sizes.count; i++) {
        uint32_t bytes = 0;
        rl_planned_bytes(pte, &c->method.plan, i, &bytes);
        c->buffers[i] = (struct rl_buffer){(void *)(start + (uintptr_t)used), bytes};
        used += round_up(bytes);
    }
    c->first = start + (uintptr_t)used;
    return end > start && used + bytes_before(c, -1, &found) < end - start;
}

__attribute__((noinline)) const struct rl_kernel *
rl_called_kernel(const struct rl_method *method, const struct rl_registry *registry, const uint8_t *table)
{
    struct rl_operator_name name;
    rl_view_operator(&method->program->pte, &method->plan.operators,
                     rl_proved_number(table, RL_PTE_kernel_call_op_index), &name);
    return rl_find_kernel(registry, &name);
}

static enum rl_status check_instruction(struct checked_method *c, const struct rl_registry *registry, uint32_t index)
{
    const struct rl_pte *pte = &c->method.program->pte;
    const uint8_t *table;
    const enum rl_pte_instruction_kind kind = rl_proved_instruction(pte, &c->method.plan.instructions, index, &table);
    const struct rl_control_flow *flow = registry->flow;
    c->method.next = index;
    c->method.reason = RL_BY_SIZES;
    if (kind != RL_PTE_KERNEL_CALL) {
        return flow->check(&c->method, registry, kind, table);
    }
    struct rl_call call = {.method = &c->method,
                           .kernel = rl_called_kernel(&c->method, registry, table),
                           .values = pte->fb.data + c->method.plan.values.items,
                           .instruction = index,
                           .keeps = true};
    call.arguments =
        (const int32_t *)(const void *)rl_proved_vector(table, RL_PTE_kernel_call_args, &call.argument_count);
    enum rl_status status = rl_check_overlap(&call);
    if (status != RL_OK || !call.kernel->checks) {
        return status;
    }
    status = call.kernel->run(&call);
    return status != RL_OK && flow && flow->tolerates(&call, registry) ? RL_OK : status;
}

static enum rl_status check_arguments(const struct rl_program *program, uint32_t method,
                                      const struct rl_registry *registry, struct rl_error *error)
{
    struct checked_method c = {.method = {.program = program, .flow = registry->flow, .stand_in = stand_in}};
    struct rl_pte_plan *plan = &c.method.plan;
    enum rl_status status = RL_OK;
    rl_view_plan(&program->pte, method, plan);
    c.method.buffers = c.buffers;
    c.inputs = plan->inputs;
    c.outputs = plan->outputs;
    plan->inputs.count = plan->outputs.count = 0;
    if (!place_memory(&c)) {
        return RL_OK;
    }
    for (uint32_t i = 0; status == RL_OK && i < plan->instructions.count; i++) {
        status = check_instruction(&c, registry, i);
    }
    if (status != RL_OK && error) {
        *error = c.method.error;
    }
    return status;
}

enum rl_status rl_program_verify(struct rl_program *program, const struct rl_registry *registry, struct rl_error *error)
{
    program->proved = false;
    enum rl_status status = rl_verify_structure(program, registry, error);
    for (uint32_t i = 0; status == RL_OK && i < program->pte.plans.count; i++) {
        status = check_arguments(program, i, registry, error);
    }
    program->proved = status == RL_OK;
    return status;
}
