// SPDX-License-Identifier: Apache-2.0
//
// Changes of a program that go beyond single numbers and often leave it valid: entries that share a table, calls that
// become moves or jumps, empty tensors, and tensors of more than 64 KB.
#ifndef RL_TESTS_FUZZ_PTE_STRUCTURE_H
#define RL_TESTS_FUZZ_PTE_STRUCTURE_H

#include "fuzz/pte_fields.h"

uint32_t fuzz_random(uint32_t *state);

bool fuzz_is_size(const struct field *field);

// Gives every size that is `old` another value: then the shapes of a call still agree.
void fuzz_rename_size(uint8_t *data, const struct fields *fields, uint64_t old, uint64_t number);

// Makes one such change; `fields` are those of the method.
void fuzz_change_structure(uint8_t *data, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                           const struct fields *fields, uint32_t *random);

#endif
