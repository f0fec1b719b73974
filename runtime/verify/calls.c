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
#include "runtime/error.h"
#include "runtime/flow.h"
#include "runtime/plan.h"
#include "runtime/reason.h"
#include "runtime/verify/verify.h"

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
}

// Bytes that a value takes among the tensors of the caller.
static uint64_t caller_bytes(const struct rl_checked_method *c, uint32_t value)
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
static uint64_t bytes_before(const struct rl_checked_method *c, int64_t value, bool *found)
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
    const struct rl_checked_method *c = rl_checked(method);
    bool found;
    if (!rl_spend(c->effort, 1 + (uint64_t)c->inputs.count + c->outputs.count)) {
        return NULL;
    }
    const uint64_t before = bytes_before(c, value, &found);
    return found ? (void *)(c->first + (uintptr_t)before) : NULL;
}

// Gives all memory of the method addresses in the half of the address space where the file is not. False if there is
// too little room. Then the method can hardly run on this core, either.
static __attribute__((noinline)) bool place_memory(struct rl_checked_method *c)
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

// Bytes of a constant, whose elements an operator may read; 0 for all other tensors.
static uint32_t constant_bytes(const uint8_t *table)
{
    uint32_t rank, bytes = (uint32_t)rl_scalar_size((int)rl_proved_byte(table, RL_PTE_tensor_scalar_type));
    const uint8_t *sizes = rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    for (uint32_t i = 0; i < rank; i++) {
        bytes *= rl_proved_u32(sizes + 4 * (size_t)i);
    }
    return rl_proved_is_constant(table) ? bytes : 0;
}

// Spends what it takes to check the arguments of a call, whose cost else has a fixed bound. Each list is looked at a
// few times: for overlaps with the outputs, and by the operator.
static bool afford_call(const struct rl_checked_method *c, const struct rl_call *call)
{
    enum { LOOKS = 8 };
    uint64_t steps = call->argument_count;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const uint8_t *table;
        uint32_t count;
        switch (rl_proved_value(call->values + 4 * (size_t)call->arguments[i], &table)) {
        case RL_PTE_TENSOR:
            steps += constant_bytes(table) / RL_BYTES_A_STEP;
            break;
        case RL_PTE_TENSOR_LIST:
        case RL_PTE_OPTIONAL_TENSOR_LIST:
            rl_proved_vector(table, RL_PTE_payload_item, &count);
            steps += LOOKS * (uint64_t)count;
            break;
        default:
            break;
        }
    }
    return rl_spend(c->effort, steps);
}

enum rl_status rl_report_effort(struct rl_error *error, int32_t instruction)
{
    rl_report(error, RL_ERROR_UNSUPPORTED,
              "verification would take too long for a file of this size: it names the same lists, tables or "
              "constants again and again",
              0);
    if (error) {
        error->instruction = instruction;
    }
    return RL_ERROR_UNSUPPORTED;
}

static enum rl_status check_instruction(struct rl_checked_method *c, const struct rl_registry *registry, uint32_t index)
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
    enum rl_status status = afford_call(c, &call) ? rl_check_overlap(&call) : RL_OK;
    if (c->effort->left == 0 || status != RL_OK || !call.kernel->checks) {
        return status;
    }
    status = call.kernel->run(&call);
    return status != RL_OK && flow && flow->tolerates(&call, registry) ? RL_OK : status;
}

static enum rl_status check_arguments(const struct rl_program *program, uint32_t method,
                                      const struct rl_registry *registry, struct rl_effort *effort,
                                      struct rl_changes *changes, struct rl_error *error)
{
    struct rl_checked_method c = {.method = {.program = program, .flow = registry->flow, .stand_in = stand_in},
                                  .effort = effort,
                                  .changes = changes};
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
        if (effort->left == 0) {
            return rl_report_effort(error, (int32_t)i);
        }
    }
    if (status != RL_OK && error) {
        *error = c.method.error;
    }
    return status;
}

// Not inlined, so that only verification with flow has these sets on the stack.
static __attribute__((noinline)) enum rl_status check_changing(const struct rl_program *program, uint32_t method,
                                                               const struct rl_registry *registry,
                                                               struct rl_effort *effort, struct rl_error *error)
{
    struct rl_changes changes = {.are_known = false};
    return check_arguments(program, method, registry, effort, &changes, error);
}

enum rl_status rl_program_verify(struct rl_program *program, const struct rl_registry *registry, struct rl_error *error)
{
    const struct rl_pte *pte = &program->pte;
    struct rl_effort effort = {.left = RL_STEPS_A_BYTE * (uint64_t)pte->fb.size + pte->file_size};
    if (program->find_data) {
        effort.left += RL_STEPS_A_BYTE * (uint64_t)program->data.fb.size + program->data.file_size;
    }
    program->proved = false;
    program->clear = NULL;
    enum rl_status status = rl_verify_structure(program, registry, &effort, error);
    for (uint32_t i = 0; status == RL_OK && i < program->pte.plans.count; i++) {
        status = registry->flow ? check_changing(program, i, registry, &effort, error)
                                : check_arguments(program, i, registry, &effort, NULL, error);
    }
    program->proved = status == RL_OK;
    return status;
}
