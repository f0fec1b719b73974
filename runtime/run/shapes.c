// SPDX-License-Identifier: Apache-2.0
//
// Tensors whose shape changes while a method runs: inputs of bounded sizes, tensors computed from them, and results
// whose sizes follow from data. The file has their largest sizes, for which their memory is planned. The current sizes
// are in the state, behind the slots. Invariant: the current sizes are not negative, and their elements take no more
// bytes than those of the largest sizes.
#include <string.h>

#include "format/proved.h"
#include "runtime/run/shapes.h"
#include "runtime/run/slots.h"

bool rl_count_bytes(int dtype, uint32_t rank, const int32_t *sizes, uint32_t *bytes)
{
    uint64_t product = rl_scalar_size(dtype);
    bool is_empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (sizes[i] < 0) {
            return false;
        }
        is_empty = is_empty || sizes[i] == 0;
        product *= sizes[i] > 0 ? (uint32_t)sizes[i] : 1;
        if (product > INT32_MAX) {
            return false;
        }
    }
    *bytes = is_empty ? 0 : (uint32_t)product;
    return true;
}

uint32_t rl_changing_rank(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index)
{
    const uint8_t *values = program->pte.fb.data + plan->values.items, *table;
    uint32_t rank;
    if (rl_proved_value(values + 4 * index, &table) != RL_PTE_TENSOR ||
        rl_proved_byte(table, RL_PTE_tensor_shape_dynamism) == RL_PTE_SHAPE_STATIC) {
        return 0;
    }
    rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    return rl_proved_is_constant(table) ? 0 : rank;
}

static bool any_changes(const struct rl_program *program, const struct rl_pte_plan *plan,
                        const struct rl_fb_vector *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (rl_changing_rank(program, plan, (uint32_t)rl_proved_item(&program->pte, list, i)) > 0) {
            return true;
        }
    }
    return false;
}

// Examines only inputs and outputs of an unverified program: examining all values would take as long as loading it.
uint32_t rl_shape_words(const struct rl_program *program, const struct rl_pte_plan *plan)
{
    uint32_t words = 0;
    if (program->shapes == RL_SHAPES_FIXED ||
        (program->shapes == RL_SHAPES_UNKNOWN && !any_changes(program, plan, &plan->inputs) &&
         !any_changes(program, plan, &plan->outputs))) {
        return 0;
    }
    for (uint32_t i = 0; i < plan->values.count; i++) {
        words += rl_changing_rank(program, plan, i);
    }
    return words;
}

static int32_t *sizes_at(struct rl_method *method, uint32_t place)
{
    return (int32_t *)(void *)method->slots + place;
}

void rl_shapes_reset(struct rl_method *method)
{
    const uint8_t *values = method->program->pte.fb.data + method->plan.values.items, *table;
    uint32_t place = method->plan.values.count * (uint32_t)(sizeof(struct rl_slot) / sizeof(int32_t));
    if (!method->slots || rl_shape_words(method->program, &method->plan) == 0) {
        return;
    }
    for (uint32_t i = 0; i < method->plan.values.count; i++) {
        uint32_t rank = rl_changing_rank(method->program, &method->plan, i);
        if (rank == 0) {
            continue;
        }
        rl_proved_value(values + 4 * i, &table);
        memcpy(sizes_at(method, place), rl_proved_vector(table, RL_PTE_tensor_sizes, &rank), rank * sizeof(int32_t));
        method->slots[i].words[1] = RL_OWN_SIZES + place;
        place += rank;
    }
}

const char *rl_change_sizes(struct rl_method *method, uint32_t value, uint32_t rank, const int32_t *sizes)
{
    const uint8_t *values = method->program->pte.fb.data + method->plan.values.items, *table;
    uint32_t own_rank, bytes, most;
    rl_proved_value(values + 4 * value, &table);
    const int32_t *largest = (const int32_t *)(const void *)rl_proved_vector(table, RL_PTE_tensor_sizes, &own_rank);
    const uint32_t place = rl_own_sizes(&method->slots[value]);
    if (own_rank != rank) {
        return rl_sentence("a tensor would get another number of dimensions");
    }
    if (place == 0) {
        return rl_sentence("a tensor of fixed shape would get other sizes");
    }
    const int dtype = (int)rl_proved_byte(table, RL_PTE_tensor_scalar_type);
    if (!rl_count_bytes(dtype, rank, sizes, &bytes) || !rl_count_bytes(dtype, rank, largest, &most) || bytes > most) {
        return rl_sentence("a tensor would get more elements than its shape's bound");
    }
    memcpy(sizes_at(method, place), sizes, rank * sizeof *sizes);
    return NULL;
}

// How often a call names `value`. Returned values do not count: they name an output once more.
static uint32_t count_uses(const struct rl_call *call, uint32_t last, uint32_t value)
{
    uint32_t uses = 0;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const uint8_t *table;
        uint32_t count, named = (uint32_t)call->arguments[i];
        if (i > last && call->kernel->signature[i] != 'O') {
            continue;
        }
        switch (rl_value_now(call->slots, call->values, &named, &table)) {
        case RL_PTE_TENSOR:
            uses += named == value;
            break;
        case RL_PTE_TENSOR_LIST:
        case RL_PTE_OPTIONAL_TENSOR_LIST:
            for (const uint8_t *item = rl_proved_vector(table, RL_PTE_payload_item, &count); count > 0;
                 item += 4, count--) {
                named = rl_proved_u32(item);
                if (named <= INT32_MAX) { // None is -1
                    rl_value_now(call->slots, call->values, &named, &table);
                }
                uses += named == value;
            }
            break;
        default:
            break;
        }
    }
    return uses;
}

// Views of one tensor share its sizes. A call may name a tensor whose shape it changes only once, because otherwise
// sizes that the operator has already read would change.
const char *rl_change_output(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank,
                             const int32_t *sizes)
{
    const uint8_t *table;
    uint32_t count, value = (uint32_t)call->arguments[argument];
    if (rl_value_now(call->slots, call->values, &value, &table) != RL_PTE_TENSOR) {
        const uint8_t *items = rl_proved_vector(table, RL_PTE_payload_item, &count);
        value = rl_proved_u32(items + 4 * index);
        rl_value_now(call->slots, call->values, &value, &table);
    }
    if (count_uses(call, argument, value) > 1) {
        return rl_sentence("an operator would change the shape of a tensor that it has read");
    }
    return rl_change_sizes(call->method, value, rank, sizes);
}
