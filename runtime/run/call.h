// SPDX-License-Identifier: Apache-2.0
//
// How the accessors of arguments find the current value of an argument and its table.
#ifndef RL_RUNTIME_RUN_CALL_H
#define RL_RUNTIME_RUN_CALL_H

#include "runtime/run/slots.h"
#include "rushlight/operator.h"

static inline enum rl_pte_kind rl_call_find_value(const struct rl_call *call, uint32_t *value, const uint8_t **table)
{
    return rl_value_now(call->slots, call->values, value, table);
}

// The kind of an argument, its value and the value's table.
enum rl_pte_kind rl_call_find_place(const struct rl_call *call, uint32_t argument, uint32_t *value,
                                    const uint8_t **table);

// The same without the value.
enum rl_pte_kind rl_call_find(const struct rl_call *call, uint32_t argument, const uint8_t **table);

// Whether a tensor of float64 is among the arguments of the call, outputs included.
bool rl_call_has_float64(const struct rl_call *call);

#endif
