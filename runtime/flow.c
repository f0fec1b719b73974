// SPDX-License-Identifier: Apache-2.0
//
// The functions that `.flow = &rl_control_flow_all` links into a firmware, and the state that they take.
#include "runtime/flow.h"

#include <string.h>

#include "runtime/plan.h"
#include "runtime/run/instructions.h"
#include "runtime/run/shapes.h"
#include "runtime/run/slots.h"
#include "runtime/run/view.h"
#include "runtime/verify/verify.h"

static bool ends_with(const char *text, uint32_t length, const char *end, uint32_t end_length)
{
    return length >= end_length && memcmp(text + (length - end_length), end, end_length) == 0;
}

// Operators that write only tensors have an overload that ends with "out", or is one of a few others; those that write
// over their first operand have a name that ends with "_", and no overload. The overload "default" is that of views,
// which are planned with their source. All others return numbers, or may do so.
static bool returns_numbers(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t operator_index)
{
    static const struct {
        const char *text;
        uint8_t length;
    } tensors[] = {{"out", 3}, {"default", 7}, {"values", 6}, {"dim_max", 7}, {"dim_min", 7}, {"out_mode", 8}};
    struct rl_operator_name name;
    rl_view_operator(pte, &plan->operators, operator_index, &name);
    if (name.overload_length == 0) {
        return !ends_with(name.base, name.base_length, "_", 1);
    }
    for (uint32_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        if (ends_with(name.overload, name.overload_length, tensors[i].text, tensors[i].length)) {
            return false;
        }
    }
    return true;
}

// Searches only programs with views for one that has no place of its own.
static bool has_aliases(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    bool has_views = false;
    for (uint32_t i = 0; i < plan->operators.count; i++) {
        has_views = has_views || rl_makes_alias(pte, plan, i);
    }
    for (uint32_t i = 0; has_views && i < plan->values.count; i++) {
        if (rl_is_only_alias(pte, plan, i)) {
            return true;
        }
    }
    return false;
}

static bool changes_values(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    for (uint32_t i = 0; i < plan->operators.count; i++) {
        if (returns_numbers(pte, plan, i)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < plan->instructions.count; i++) {
        const uint8_t *instruction = rl_proved_item_table(pte, &plan->instructions, i);
        if (*rl_proved_present(instruction, RL_PTE_instruction_type) == RL_PTE_MOVE_CALL) {
            return true;
        }
    }
    return false;
}

// rl_control_flow_all.slot_bytes: the bytes of the slots of a proved method and of the sizes behind them.
static uint32_t slot_bytes(const struct rl_program *program, const struct rl_pte_plan *plan)
{
    const uint32_t words = rl_shape_words(program, plan);
    if (words == 0 && !program->find_data && !changes_values(&program->pte, plan) &&
        !has_aliases(&program->pte, plan)) {
        return 0;
    }
    return plan->values.count * (uint32_t)sizeof(struct rl_slot) + words * (uint32_t)sizeof(int32_t);
}

const struct rl_control_flow rl_control_flow_all = {slot_bytes,       rl_run_flow,      rl_place_data,
                                                    rl_change_sizes,  rl_change_output, rl_alias,
                                                    rl_find_external, rl_tolerates,     rl_check_flow};
