// SPDX-License-Identifier: Apache-2.0
//
// Signatures of operators: one letter per argument of a kernel call, in order.
//
// clang-format off
//   T tensor            t tensor or None             L list of tensors     l list of tensors or None
//   S work space        O tensor written             W number written
//   R the written tensor again, as the returned value                      M list of the written tensors
//   I int               i int or None                N list of ints        n list of ints or None
//   F float             f float or None              g list of floats or None
//   B bool              b bool or None               C number              c number or None
//   Z string            z string or None
// clang-format on
#ifndef RL_RUNTIME_SIGNATURE_H
#define RL_RUNTIME_SIGNATURE_H

#include <stdbool.h>

#include "format/pte.h"

// Whether a value of `kind` may stand where the signature has `letter`.
bool rl_signature_accepts(char letter, enum rl_pte_kind kind);

#endif
