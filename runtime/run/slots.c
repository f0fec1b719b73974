// SPDX-License-Identifier: Apache-2.0
//
// Values that change while a method runs: their slots, and which tensors need one.
//
// In most programs values never change: tensors stay where they are planned, and numbers keep their value. In programs
// with branches and loops they change. Moves copy one value to another, and operators such as aten::sym_size return
// numbers. A view is an alias if planning did not know the place of its source: an input that the caller binds, or the
// result of a branch. Such a program gets one slot a value in its state, and so does a program with tensors in another
// file. A method without slots reads only its own file.
#include <string.h>

#include "runtime/plan.h"
#include "runtime/run/slots.h"

// Whether a program binds a tensor: an input or an output.
static bool is_listed(const struct rl_pte *pte, const struct rl_fb_vector *list, uint32_t value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (rl_proved_item(pte, list, i) == (int32_t)value) {
            return true;
        }
    }
    return false;
}

bool rl_is_only_alias(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value)
{
    const uint8_t *table;
    if (rl_proved_value(pte->fb.data + plan->values.items + 4 * (size_t)value, &table) != RL_PTE_TENSOR ||
        rl_proved_child(table, RL_PTE_tensor_allocation_info) ||
        rl_proved_number(table, RL_PTE_tensor_data_buffer_idx) != 0) {
        return false;
    }
    const uint8_t *extra = rl_proved_child(table, RL_PTE_tensor_extra_tensor_info);
    if (extra && rl_proved_byte(extra, RL_PTE_extra_location) != 0) {
        return false;
    }
    return !is_listed(pte, &plan->inputs, value) && !is_listed(pte, &plan->outputs, value);
}

// Views are the only operators of which a .pte calls the overload "default".
bool rl_makes_alias(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t operator_index)
{
    static const char form[] = "default";
    struct rl_operator_name name;
    rl_view_operator(pte, &plan->operators, operator_index, &name);
    return name.overload_length == sizeof form - 1 && memcmp(name.overload, form, sizeof form - 1) == 0;
}

void rl_slot_set(struct rl_slot *slot, enum rl_pte_kind kind, uint64_t bits)
{
    *slot = (struct rl_slot){
        .kind = (uint16_t)(RL_SLOT_NUMBER + kind),
        // The bytes of the vtable and of the table, and the place of the field in the table.
        .vtable = {sizeof slot->vtable, sizeof slot->to_vtable + sizeof slot->words, sizeof slot->to_vtable},
        .to_vtable = offsetof(struct rl_slot, to_vtable) - offsetof(struct rl_slot, vtable),
        .words = {(uint32_t)bits, (uint32_t)(bits >> 32)},
    };
}

enum rl_pte_kind rl_changed_value(const struct rl_slot *slots, const uint8_t *values, uint32_t *value,
                                  const uint8_t **table)
{
    const struct rl_slot *slot = &slots[*value];
    if (slot->kind > RL_SLOT_NUMBER) {
        *table = (const uint8_t *)slot + offsetof(struct rl_slot, to_vtable);
        return (enum rl_pte_kind)(slot->kind - RL_SLOT_NUMBER);
    }
    if (slot->kind == RL_SLOT_MOVED) {
        *value = slot->words[0];
    }
    return rl_proved_value(values + 4 * *value, table);
}

void rl_slots_reset(struct rl_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; slots && i < count; i++) {
        slots[i].kind = RL_SLOT_UNCHANGED;
    }
}
