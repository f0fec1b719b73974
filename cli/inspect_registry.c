// SPDX-License-Identifier: Apache-2.0
//
// The entries of a firmware's registry for a program: the objects of rushlight/registry.h, and whether it needs
// rl_control_flow_all.
#include "cli/inspect.h"
#include "format/pte_reader.h"
#include "ops/ops.h"
#include "rushlight/runtime.h"
#include "rushlight/types.h"

static bool is_double(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value)
{
    struct rl_pte_tensor tensor;
    uint32_t table;

    return rl_pte_value(pte, plan, value, &table) == RL_PTE_TENSOR && rl_pte_tensor(pte, table, &tensor) &&
           tensor.dtype == RL_FLOAT64;
}

// Those of lists, too: the outputs of an operator that takes a list of float64 are float64.
static bool takes_doubles(const struct rl_pte *pte, const struct rl_pte_plan *plan,
                          const struct rl_fb_vector *arguments)
{
    for (uint32_t i = 0; i < arguments->count; i++) {
        if (is_double(pte, plan, (uint32_t)rl_pte_item_i32(pte, arguments, i))) {
            return true;
        }
    }
    return false;
}

// Adds the calls of a method: the id of each operator, with true for one that takes float64 somewhere.
static void add_operators(const struct rl_pte *pte, const struct rl_pte_plan *plan, json_t *ids)
{
    for (uint32_t i = 0; i < plan->instructions.count; i++) {
        struct rl_pte_instruction call;
        const char *name, *overload;
        uint32_t name_length, overload_length;
        enum rl_op_id id;
        if (!rl_pte_instruction(pte, plan, i, &call) || call.kind != RL_PTE_KERNEL_CALL ||
            !rl_pte_operator(pte, plan, call.op_index, &name, &name_length, &overload, &overload_length) ||
            !rl_op_find_out(name, overload, &id)) {
            continue;
        }
        const struct rl_op *op = rl_op_get(id);
        const bool wide =
            (op->wide && takes_doubles(pte, plan, &call.arguments)) || json_is_true(json_object_get(ids, op->id));
        json_object_set_new(ids, op->id, json_boolean(wide));
    }
}

json_t *rl_cli_list_registry(const struct rl_program *program)
{
    json_t *ids = json_object(), *list = json_array();
    struct rl_pte_plan plan;
    const char *id;
    json_t *wide;

    for (uint32_t method = 0; rl_pte_plan(&program->pte, method, &plan); method++) {
        add_operators(&program->pte, &plan, ids);
    }
    json_object_foreach(ids, id, wide)
    {
        json_array_append_new(list, json_sprintf("rl_kernel_%s%s", json_is_true(wide) ? "wide_" : "", id));
    }
    json_decref(ids);
    return list;
}

bool rl_cli_needs_flow(const struct rl_program *program)
{
    const struct rl_registry without = {.kernels = rl_registry_all.kernels, .count = rl_registry_all.count};
    struct rl_program copy = *program;
    struct rl_fb_vector initial;

    rl_fb_vector(&program->pte.fb, program->pte.root, RL_PTE_program_mutable_data_segments, 4, &initial);
    return initial.count > 0 || (rl_program_verify(&copy, &without, NULL) == RL_ERROR_MISSING_OPERATOR &&
                                 rl_program_verify(&copy, &rl_registry_all, NULL) == RL_OK);
}
