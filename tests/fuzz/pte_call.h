// SPDX-License-Identifier: Apache-2.0
//
// Single calls of a recorded program, for tests that change them.
#ifndef RL_TESTS_FUZZ_PTE_CALL_H
#define RL_TESTS_FUZZ_PTE_CALL_H

#include "fuzz/pte_fields.h"

// Leaves the one instruction of its method.
void call_isolate(uint8_t *file, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index);

// Gives planned tensors room to grow, each in a place of its own as far as there are any. `fields` are those of the
// instruction.
void call_spread(uint8_t *file, const struct rl_pte_plan *plan, const struct fields *fields);

// Channels-last images under the names of their memory, as operators ending in _nhwc take them.
void call_lay_flat(uint8_t *file, const struct fields *fields);

// Index in rl_registry_all of the kernel that a call names; the number of kernels when there is none.
uint32_t call_kernel(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t op_index);

#endif
