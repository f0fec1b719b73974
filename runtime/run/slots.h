// SPDX-License-Identifier: Apache-2.0
//
// Values that change while a method runs. These functions read the file and the slots, and do not access tensors.
#ifndef RL_RUNTIME_RUN_SLOTS_H
#define RL_RUNTIME_RUN_SLOTS_H

#include "format/proved.h"

enum rl_slot_kind {
    RL_SLOT_UNCHANGED, // as in the file
    RL_SLOT_MOVED,     // another value of the file
    RL_SLOT_ALIAS,     // a tensor with the memory of another one
    RL_SLOT_NUMBER     // + RL_PTE_INT, RL_PTE_BOOL or RL_PTE_DOUBLE: a number
};

// A number has the form of a table of a .pte with one field, behind its vtable, so that functions that read numbers
// from the file can read it, too.
struct rl_slot {
    uint16_t kind;
    uint16_t vtable[3];
    uint32_t to_vtable; // the table starts here
    // A number, low word first. For other values, word 0 is the index of the value that was moved here or is aliased.
    // Word 1 never changes: the position of the value's own data in the attached file, 0 if it is not there; or, with
    // RL_OWN_SIZES, the place of its sizes, in words from the first slot.
    uint32_t words[2];
};

#define RL_OWN_SIZES 0x80000000u

// The place of a tensor's sizes, in words from the first slot; 0 if they are those in the file.
static inline uint32_t rl_own_sizes(const struct rl_slot *slot)
{
    return slot->words[1] >= RL_OWN_SIZES ? slot->words[1] - RL_OWN_SIZES : 0;
}

void rl_slot_set(struct rl_slot *slot, enum rl_pte_kind kind, uint64_t bits);

// Resets every value to the one in the file.
void rl_slots_reset(struct rl_slot *slots, uint32_t count);

// The current kind and table of value `*value`. Sets *value to the one that was moved to it.
enum rl_pte_kind rl_changed_value(const struct rl_slot *slots, const uint8_t *values, uint32_t *value,
                                  const uint8_t **table);

static inline enum rl_pte_kind rl_value_now(const struct rl_slot *slots, const uint8_t *values, uint32_t *value,
                                            const uint8_t **table)
{
    if (slots) {
        return rl_changed_value(slots, values, value, table);
    }
    return rl_proved_value(values + 4 * *value, table);
}

// Whether a value is a tensor that has memory only while it is an alias of another one: it is neither planned nor a
// constant, and the caller cannot bind it.
bool rl_is_only_alias(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value);

// Whether an operator of the method makes its last argument an alias, as views are.
bool rl_makes_alias(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t operator_index);

#endif
