// SPDX-License-Identifier: Apache-2.0
//
// The function of each operator that a .pte can call, rl_run_<id>, and rl_run_wide_<id>, its second form for calls with
// float64 among their tensors, which only the operators entered as RL_OP_WIDE need.
#ifndef RL_RUNTIME_OPERATORS_PROTOTYPES_H
#define RL_RUNTIME_OPERATORS_PROTOTYPES_H

#include "rushlight/status.h"

struct rl_call;

#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    enum rl_status rl_run_##id(struct rl_call *call), rl_run_wide_##id(struct rl_call *call);
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#include "rushlight/ops.def"
#undef RL_OP

#endif
