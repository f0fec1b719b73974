// SPDX-License-Identifier: Apache-2.0
//
// Instructions that are not calls of operators.
#ifndef RL_RUNTIME_RUN_INSTRUCTIONS_H
#define RL_RUNTIME_RUN_INSTRUCTIONS_H

#include "format/pte.h"
#include "rushlight/runtime.h"

// rl_control_flow_all.run: an instruction that is not a call of an operator, given its table; sets method->next.
enum rl_status rl_run_flow(struct rl_method *method, enum rl_pte_instruction_kind kind, const uint8_t *table);

#endif
