// SPDX-License-Identifier: Apache-2.0
//
// The needs of a method of a proved program: its lists, memory, and operators by name.
#include <string.h>

#include "runtime/error.h"
#include "runtime/flow.h"
#include "runtime/plan.h"

static void view_vector(const struct rl_pte *pte, const uint8_t *table, uint32_t id, struct rl_fb_vector *vector)
{
    const uint8_t *items = rl_proved_vector(table, id, &vector->count);
    vector->items = items ? (uint32_t)(items - pte->fb.data) : 0;
}

void rl_view_plan(const struct rl_pte *pte, uint32_t method, struct rl_pte_plan *plan)
{
    struct rl_fb_vector chains;
    const uint8_t *table = rl_proved_item_table(pte, &pte->plans, method);
    plan->table = (uint32_t)(table - pte->fb.data);
    view_vector(pte, table, RL_PTE_plan_values, &plan->values);
    view_vector(pte, table, RL_PTE_plan_inputs, &plan->inputs);
    view_vector(pte, table, RL_PTE_plan_outputs, &plan->outputs);
    view_vector(pte, table, RL_PTE_plan_operators, &plan->operators);
    view_vector(pte, table, RL_PTE_plan_non_const_buffer_sizes, &plan->buffer_sizes);
    view_vector(pte, table, RL_PTE_plan_chains, &chains);
    plan->instructions = (struct rl_fb_vector){0, 0};
    if (chains.count > 0) {
        view_vector(pte, rl_proved_item_table(pte, &chains, 0), RL_PTE_chain_instructions, &plan->instructions);
    }
}

// Bytes of the pointers that the runtime keeps for a method.
static uint32_t pointer_bytes(const struct rl_pte_plan *plan)
{
    return (plan->operators.count + plan->inputs.count + plan->outputs.count) * (uint32_t)sizeof(void *);
}

// The most instructions for which memory is requested.
enum { KEEPING_MOST = 4096 };

enum rl_status rl_require(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                          struct rl_requirements *requirements, struct rl_error *error)
{
    memset(requirements, 0, sizeof *requirements);
    if (!program->proved) {
        return rl_report(error, RL_ERROR_ARGUMENT, "the program is neither verified nor trusted", 0);
    }
    if (method >= program->pte.plans.count) {
        return rl_report(error, RL_ERROR_ARGUMENT, "the program has no such method", 0);
    }
    rl_view_plan(&program->pte, method, plan);
    // Entry 0 of the sizes is not a buffer.
    for (uint32_t i = 1; i < plan->buffer_sizes.count && i <= RL_MAX_BUFFERS; i++) {
        requirements->buffer_bytes[requirements->buffer_count++] =
            rl_proved_u32(program->pte.fb.data + plan->buffer_sizes.items + 8 * i);
    }
    const uint32_t slot_bytes = program->flow ? program->flow->slot_bytes(program, plan) : 0;
    requirements->state_bytes = pointer_bytes(plan) + slot_bytes;
    // A file may repeat one instruction without end, so the caller need not give memory for each.
    if (slot_bytes == 0 && plan->instructions.count <= KEEPING_MOST) {
        requirements->kept_bytes = plan->instructions.count * (uint32_t)(sizeof(void *) + RL_KEPT_MOST);
    }
    return RL_OK;
}

enum rl_status rl_method_requirements(const struct rl_program *program, uint32_t method,
                                      struct rl_requirements *requirements, struct rl_error *error)
{
    struct rl_pte_plan plan;
    return rl_require(program, method, &plan, requirements, error);
}

// Compares from the end, where names differ, so that loading takes less time. Compares words if both strings are
// aligned to 4 bytes. Strings of files and registries are.
static bool equal_backwards(const char *left, const char *right, uint32_t length)
{
    const bool words = ((uintptr_t)left | (uintptr_t)right) % 4 == 0;
    while (length > 0 && !(words && length % 4 == 0)) {
        length--;
        if (left[length] != right[length]) {
            return false;
        }
    }
    while (length > 0) {
        length -= 4;
        if (rl_proved_u32((const uint8_t *)left + length) != rl_proved_u32((const uint8_t *)right + length)) {
            return false;
        }
    }
    return true;
}

const struct rl_kernel *rl_find_kernel(const struct rl_registry *registry, const struct rl_operator_name *name)
{
    const uint32_t length = name->base_length + 1 + name->overload_length; // strings of files below 2 GiB
    for (uint32_t i = 0; i < registry->count; i++) {
        const struct rl_kernel *kernel = registry->kernels[i];
        if (kernel->name_length != length) {
            continue;
        }
        const char *overload = kernel->name + name->base_length + 1;
        if (equal_backwards(kernel->name, name->base, name->base_length) && overload[-1] == '.' &&
            equal_backwards(overload, name->overload, name->overload_length)) {
            return kernel;
        }
    }
    return NULL;
}
