// SPDX-License-Identifier: Apache-2.0
//
// The letters of signatures: see struct rl_kernel in rushlight/operator.h.
#ifndef RL_RUNTIME_SIGNATURE_H
#define RL_RUNTIME_SIGNATURE_H

#include <stdbool.h>

#include "rushlight/types.h"

// Whether a value of `kind` may stand where the signature has `letter`.
bool rl_signature_accepts(char letter, enum rl_pte_kind kind);

#endif
