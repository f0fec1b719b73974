// SPDX-License-Identifier: Apache-2.0
//
// A program from its bytes to what its methods need: open, attach, check, trust, require, and operators by name.
#include <string.h>

#include "format/checksum.h"
#include "runtime/internal.h"

// Leaves nothing in the program that later calls could read.
static enum rl_status refuse_to_open(struct rl_program *program, struct rl_error *error, enum rl_status status,
                                     const char *message, uint32_t offset)
{
    memset(program, 0, sizeof *program);
    return rl_record(error, status, message, offset);
}

enum rl_status rl_program_open(struct rl_program *program, const void *data, size_t size, struct rl_error *error)
{
    uint32_t offset = 0;
    program->find_data = NULL;
    program->proved = false;
    program->shapes = RL_SHAPES_UNKNOWN;
    if (!data) {
        return refuse_to_open(program, error, RL_ERROR_ARGUMENT, rl_sentence("no program given"), 0);
    }
    if ((uintptr_t)data % RL_ALIGNMENT != 0) {
        return refuse_to_open(program, error, RL_ERROR_MEMORY, rl_sentence("the program is not aligned to 16 bytes"),
                              0);
    }
    const char *message = rl_pte_open(&program->pte, data, size, &offset);
    return message ? refuse_to_open(program, error, RL_ERROR_FORMAT, message, offset) : RL_OK;
}

enum rl_status rl_program_attach(struct rl_program *program, const void *data, size_t size, struct rl_error *error)
{
    program->proved = false;
    program->find_data = NULL;
    if (!data) {
        return rl_report(error, RL_ERROR_ARGUMENT, "no file of data given", 0);
    }
    if ((uintptr_t)data % RL_ALIGNMENT != 0) {
        return rl_report(error, RL_ERROR_MEMORY, "the file of data is not aligned to 16 bytes", 0);
    }
    const char *message = rl_ptd_open(&program->data, data, size);
    if (message) {
        return rl_report(error, RL_ERROR_FORMAT, message, 0);
    }
    program->find_data = rl_ptd_find;
    return RL_OK;
}

enum rl_status rl_program_check(const struct rl_program *program, struct rl_error *error)
{
    const struct rl_pte *pte = &program->pte;
    if (!pte->has_checksum) {
        return rl_report(error, RL_ERROR_UNSUPPORTED, "the program has no checksum", 0);
    }
    if (rl_pte_checksum(pte->fb.data, pte->end) != rl_fb_u32(&pte->fb, RL_PTE_CHECKSUM_OFFSET)) {
        return rl_report(error, RL_ERROR_FORMAT, "the program is not as it was written: its checksum differs",
                         RL_PTE_CHECKSUM_OFFSET);
    }
    return RL_OK;
}

void rl_program_trust(struct rl_program *program, const struct rl_registry *registry)
{
    program->flow = registry->flow;
    program->proved = true;
    program->shapes = RL_SHAPES_UNKNOWN;
}

uint32_t rl_program_method_count(const struct rl_program *program)
{
    return program->pte.plans.count;
}

const char *rl_program_method_name(const struct rl_program *program, uint32_t method)
{
    struct rl_pte_plan plan;
    const char *name = rl_pte_plan(&program->pte, method, &plan) ? rl_pte_plan_name(&program->pte, &plan) : NULL;
    return name ? name : "";
}

static bool same_name(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

enum rl_status rl_program_find_method(const struct rl_program *program, const char *name, uint32_t *method,
                                      struct rl_error *error)
{
    for (*method = 0; *method < rl_program_method_count(program); ++*method) {
        if (same_name(rl_program_method_name(program, *method), name)) {
            return RL_OK;
        }
    }
    return rl_report(error, RL_ERROR_ARGUMENT, "the program has no method of this name", 0);
}

enum rl_status rl_program_number(const struct rl_program *program, const char *name, double *number,
                                 struct rl_error *error)
{
    const struct rl_pte *pte = &program->pte;
    struct rl_pte_plan plan;
    uint32_t method, table;
    enum rl_pte_kind kind = RL_PTE_INVALID;
    const enum rl_status status = rl_program_find_method(program, name, &method, error);
    if (status != RL_OK) {
        return status;
    }
    if (rl_pte_plan(pte, method, &plan) && plan.instructions.count == 0 && plan.outputs.count == 1) {
        kind = rl_pte_value(pte, &plan, (uint32_t)rl_pte_item_i32(pte, &plan.outputs, 0), &table);
    }
    if (kind == RL_PTE_DOUBLE) {
        *number = rl_pte_double(pte, table);
    } else if (kind == RL_PTE_INT) {
        *number = (double)rl_pte_int(pte, table);
    } else if (kind == RL_PTE_BOOL) {
        *number = rl_pte_bool(pte, table);
    } else {
        return rl_report(error, RL_ERROR_TYPE, "the method does not return a number of the file", 0);
    }
    return RL_OK;
}

// Bytes of the pointers that the runtime keeps for a method.
static uint32_t pointer_bytes(const struct rl_pte_plan *plan)
{
    return (plan->operators.count + plan->inputs.count + plan->outputs.count) * (uint32_t)sizeof(void *);
}

static uint64_t state_bytes_at_most(const struct rl_pte_plan *plan)
{
    return ((uint64_t)plan->operators.count + plan->inputs.count + plan->outputs.count) * sizeof(void *) +
           (uint64_t)plan->values.count * (sizeof(struct rl_slot) + RL_TENSOR_MAX_RANK * sizeof(int32_t));
}

enum rl_status rl_read_plan(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                            struct rl_error *error)
{
    uint32_t bytes;
    if (!rl_pte_plan(&program->pte, method, plan)) {
        return rl_report(error, RL_ERROR_FORMAT, "a method is damaged", plan->table);
    }
    if (state_bytes_at_most(plan) > INT32_MAX) {
        return rl_report(error, RL_ERROR_UNSUPPORTED, "a method has too many values, operators or inputs", plan->table);
    }
    const uint32_t count = plan->buffer_sizes.count > 0 ? plan->buffer_sizes.count - 1 : 0;
    if (count > RL_MAX_BUFFERS) {
        return rl_report(error, RL_ERROR_UNSUPPORTED, "more planned buffers than supported", plan->table);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!rl_planned_bytes(&program->pte, plan, i, &bytes)) {
            return rl_report(error, RL_ERROR_FORMAT, "a planned buffer has an impossible size",
                             plan->buffer_sizes.items);
        }
    }
    return RL_OK;
}

// Most instructions for which memory is asked.
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
    // Entry 0 of the sizes stands for no buffer.
    for (uint32_t i = 1; i < plan->buffer_sizes.count && i <= RL_MAX_BUFFERS; i++) {
        requirements->buffer_bytes[requirements->buffer_count++] =
            rl_proved_u32(program->pte.fb.data + plan->buffer_sizes.items + 8 * i);
    }
    const uint32_t slot_bytes = program->flow ? program->flow->slot_bytes(program, plan) : 0;
    requirements->state_bytes = pointer_bytes(plan) + slot_bytes;
    // A file may repeat one instruction without end: its caller need not give memory for each.
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

// Compares from the end, where names differ, to keep loading short, and words where both lie at multiples of 4, as
// strings of files and the registry's names do.
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
