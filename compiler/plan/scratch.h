// SPDX-License-Identifier: Apache-2.0
//
// Work space of operators, decided ahead of time.
#ifndef RL_COMPILER_PLAN_SCRATCH_H
#define RL_COMPILER_PLAN_SCRATCH_H

#include "compiler/passes/pass.h"

// Gives each node whose schema has a SCRATCH argument a scratch value of the size its kernel asks for on the target and
// for its flow (the largest of all instruction sets when the target is `any`); one that is set already is replaced.
enum rl_status rl_pass_plan_scratch(struct rl_pass *pass);

#endif
