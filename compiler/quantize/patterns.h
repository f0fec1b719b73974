// SPDX-License-Identifier: Apache-2.0
//
// What can be quantized, as data: operators with an integer kernel, activations that fuse into them, the conditions of
// each. Functions of single numbers come from compiler/ir/functions.def; the traits in rushlight/ops.def say what else
// an operator is. Source: CORTEX_M_QUANTIZER_SUPPORT_DICT and the checks of ExecuTorch's backends/cortex_m/quantizer,
// SharedQspecQuantizer (SHARES_GRID) of backends/arm/quantizer.
#ifndef RL_COMPILER_QUANTIZE_PATTERNS_H
#define RL_COMPILER_QUANTIZE_PATTERNS_H

#include "compiler/quantize/annotation.h"

// A node that may be quantized, alone or with the activation that fuses into it.
struct rl_candidate {
    const struct rl_node *node;
    const struct rl_node *activation; // NULL when it is alone
    enum rl_quantizer quantizer;
    bool explicit_layout;
    bool only_cortex_m; // no operator of rushlight:: may stand for it
};

// An operator, alone or followed by one activation that its kernel applies: as a clamp of the integer range, and
// hardsigmoid by another scale and zero point as well.
struct rl_pattern {
    enum rl_op_id op;
    bool channel_weights; // each output channel has a grid of its own; such operators are matched before all others
    bool fuses_activation;
    bool exact;          // exact wherever its operands are; the others approximate
    enum rl_spec result; // ACTIVATION, SOFTMAX, or SHARED with the first input; see rl_pattern_result
    bool own;            // an operator of rushlight:: takes it, with constants as they are; only in `best`

    // Why a candidate cannot be quantized; NULL if it can.
    const char *(*object)(const struct rl_candidate *candidate);
};

// The pattern that starts with an operator; NULL if there is none.
const struct rl_pattern *rl_pattern_find(enum rl_op_id op);

// The spec of the result of a candidate that the pattern accepts.
enum rl_spec rl_pattern_result(const struct rl_pattern *pattern, const struct rl_candidate *candidate);

// relu, hardtanh, clamp, hardsigmoid.
bool rl_pattern_is_activation(enum rl_op_id op);

// Whether an activation fuses into the operator that a pattern starts with. Only layers with weights take hardsigmoid.
// A product with a positive number counts as an activation, but not for the stock quantizer.
bool rl_pattern_fuses(const struct rl_pattern *pattern, const struct rl_node *activation, enum rl_quantizer quantizer);

// Operators whose inputs and results must share one grid because they only choose, move or bound values.
bool rl_pattern_shares_grid(enum rl_op_id op, enum rl_quantizer quantizer);

#endif
