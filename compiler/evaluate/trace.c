// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/trace.h"

#include <string.h>

#include "format/pte_reader.h"

void rl_trace_read(struct rl_arena *arena, const struct rl_method *method, struct rl_trace *trace)
{
    const uint32_t count = method->plan.instructions.count;

    *trace = (struct rl_trace){.arena = arena, .pte = &method->program->pte, .plan = &method->plan};
    trace->calls = rl_arena_array(arena, count, sizeof *trace->calls);
    for (uint32_t i = 0; i < count; i++) {
        struct rl_pte_instruction instruction;
        const char *name, *overload;
        uint32_t name_length, overload_length;
        enum rl_op_id id;
        if (rl_pte_instruction(trace->pte, trace->plan, i, &instruction) && instruction.kind == RL_PTE_KERNEL_CALL &&
            rl_pte_operator(trace->pte, trace->plan, instruction.op_index, &name, &name_length, &overload,
                            &overload_length) &&
            rl_op_find_out(name, overload, &id)) {
            trace->calls[trace->count++] = (struct rl_traced_call){rl_op_get(id), instruction.arguments, i};
        }
    }
}

// ---- arguments of calls

static enum rl_pte_kind find_value(const struct rl_trace *trace, const struct rl_traced_call *call, int argument,
                                   uint32_t *table)
{
    if (argument < 0 || (uint32_t)argument >= call->arguments.count) {
        return RL_PTE_INVALID;
    }
    const int32_t value = rl_pte_item_i32(trace->pte, &call->arguments, (uint32_t)argument);
    return rl_pte_value(trace->pte, trace->plan, (uint32_t)value, table);
}

bool rl_traced_tensor(const struct rl_trace *trace, const struct rl_traced_call *call, int argument,
                      struct rl_pte_tensor *tensor)
{
    uint32_t table;

    return find_value(trace, call, argument, &table) == RL_PTE_TENSOR && rl_pte_tensor(trace->pte, table, tensor);
}

static size_t int_list(const struct rl_trace *trace, uint32_t table, double **numbers)
{
    struct rl_fb_vector items;
    uint32_t item;

    if (!rl_pte_list(trace->pte, table, sizeof(int64_t), &items)) {
        return 0;
    }
    *numbers = rl_arena_array(trace->arena, items.count, sizeof **numbers);
    for (uint32_t i = 0; i < items.count; i++) {
        const int64_t value = rl_pte_item_i64(trace->pte, &items, i);
        const bool is_int = rl_pte_value(trace->pte, trace->plan, (uint32_t)value, &item) == RL_PTE_INT;
        (*numbers)[i] = is_int ? (double)rl_pte_int(trace->pte, item) : 0.0;
    }
    return items.count;
}

const uint8_t *rl_traced_constant(const struct rl_trace *trace, const struct rl_pte_tensor *tensor, size_t *bytes)
{
    uint32_t position, available;

    if (tensor->planned || tensor->external || tensor->constant == 0 ||
        !rl_pte_constant(trace->pte, tensor->constant, &position, &available)) {
        return NULL;
    }
    *bytes = available;
    return trace->pte->fb.data + position; // constants may lie behind the tables, which bound the checked reads
}

static bool has_numbers(int dtype)
{
    return dtype == RL_INT32 || dtype == RL_INT16;
}

static double number_at(const void *items, int dtype, size_t index)
{
    int32_t wide;
    int16_t narrow;

    if (dtype == RL_INT16) {
        memcpy(&narrow, (const uint8_t *)items + index * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (const uint8_t *)items + index * sizeof wide, sizeof wide);
    return wide;
}

static size_t constant_numbers(const struct rl_trace *trace, uint32_t table, double **numbers)
{
    struct rl_pte_tensor tensor;
    size_t bytes;
    uint64_t count = 1;

    if (!rl_pte_tensor(trace->pte, table, &tensor) || !has_numbers((int)tensor.dtype)) {
        return 0;
    }
    for (uint32_t i = 0; i < tensor.sizes.count; i++) {
        count *= (uint32_t)rl_pte_item_i32(trace->pte, &tensor.sizes, i);
    }
    const uint8_t *items = rl_traced_constant(trace, &tensor, &bytes);
    if (!items || count * rl_scalar_size((int)tensor.dtype) > bytes) {
        return 0;
    }
    *numbers = rl_arena_array(trace->arena, (size_t)count, sizeof **numbers);
    for (size_t i = 0; i < count; i++) {
        (*numbers)[i] = number_at(items, (int)tensor.dtype, i);
    }
    return (size_t)count;
}

size_t rl_traced_numbers(const struct rl_trace *trace, const struct rl_traced_call *call, const char *name,
                         const double **result)
{
    double *numbers = rl_arena_alloc(trace->arena, sizeof *numbers);
    uint32_t table;
    size_t count = 1;

    switch (find_value(trace, call, rl_op_argument(call->op, name), &table)) {
    case RL_PTE_INT:
        *numbers = (double)rl_pte_int(trace->pte, table);
        break;
    case RL_PTE_DOUBLE:
        *numbers = rl_pte_double(trace->pte, table);
        break;
    case RL_PTE_INT_LIST:
        count = int_list(trace, table, &numbers);
        break;
    case RL_PTE_TENSOR:
        count = constant_numbers(trace, table, &numbers);
        break;
    default:
        return 0;
    }
    *result = numbers;
    return count;
}

// ---- arguments of nodes

size_t rl_node_numbers(struct rl_arena *arena, const struct rl_node *node, const char *name, const double **result)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);
    const struct rl_arg *arg = index >= 0 ? &node->args[index] : NULL;
    const struct rl_value *constant = arg && arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
    size_t count = arg && arg->kind == RL_ARG_INTS ? (size_t)arg->count : 1;

    if (!arg) {
        return 0;
    }
    if (constant) {
        const bool is_list = constant->kind == RL_VALUE_CONSTANT && has_numbers((int)constant->type.dtype);
        count = is_list ? (size_t)rl_tensor_numel(&constant->type) : 0;
    }
    double *numbers = rl_arena_array(arena, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        if (constant) {
            numbers[i] = number_at(constant->data, (int)constant->type.dtype, i);
        } else if (arg->kind == RL_ARG_INTS) {
            numbers[i] = (double)arg->as.integers[i];
        } else if (arg->kind == RL_ARG_INT || arg->kind == RL_ARG_DOUBLE) {
            numbers[i] = arg->kind == RL_ARG_INT ? (double)arg->as.integer : arg->as.number;
        } else {
            return 0;
        }
    }
    *result = numbers;
    return count;
}

bool rl_is_empty_channel(const struct rl_node *node, size_t channel, size_t channels)
{
    const struct rl_value *weight =
        rl_op_argument(rl_op_get(node->op), "weight") >= 0 ? rl_node_tensor(node, "weight") : NULL;
    if (!weight || weight->kind != RL_VALUE_CONSTANT || weight->type.dtype != RL_INT8 || weight->type.rank != 4) {
        return false;
    }
    const size_t count = (size_t)rl_tensor_numel(&weight->type);
    const bool is_depthwise = weight->type.sizes[0] == 1 && (size_t)weight->type.sizes[3] == channels;
    const size_t step = is_depthwise ? channels : 1, taps = count / channels;
    const int8_t *first = (const int8_t *)weight->data + (is_depthwise ? channel : channel * taps);
    for (size_t i = 0; i < taps; i++) {
        if (first[i * step] != 0) {
            return false;
        }
    }
    return true;
}
