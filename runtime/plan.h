// SPDX-License-Identifier: Apache-2.0
//
// A method of a proved program: its lists, its requirements, and its operators by name.
#ifndef RL_RUNTIME_PLAN_H
#define RL_RUNTIME_PLAN_H

#include "format/proved.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

// Reads what rl_pte_plan reads, without its checks.
void rl_view_plan(const struct rl_pte *pte, uint32_t method, struct rl_pte_plan *plan);

// Finds a method of a proved program, and its requirements. Refuses other programs.
enum rl_status rl_require(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                          struct rl_requirements *requirements, struct rl_error *error);

// An operator as a program names it: "cortex_m::quantized_add" and "out".
struct rl_operator_name {
    const char *base, *overload;
    uint32_t base_length, overload_length;
};

// The string in a field of a proved table; "" if the field is missing.
static inline const char *rl_view_string(const uint8_t *table, uint32_t id, uint32_t *length)
{
    const uint8_t *characters = rl_proved_vector(table, id, length);
    return characters ? (const char *)characters : "";
}

// Name `index` of a proved method's operators.
static inline void rl_view_operator(const struct rl_pte *pte, const struct rl_fb_vector *operators, uint32_t index,
                                    struct rl_operator_name *name)
{
    const uint8_t *table = rl_proved_item_table(pte, operators, index);
    name->base = rl_view_string(table, RL_PTE_operator_name, &name->base_length);
    name->overload = rl_view_string(table, RL_PTE_operator_overload, &name->overload_length);
}

// The kernel of this name; NULL if the registry has none.
const struct rl_kernel *rl_find_kernel(const struct rl_registry *registry, const struct rl_operator_name *name);

#endif
