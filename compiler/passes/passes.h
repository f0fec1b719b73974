// SPDX-License-Identifier: Apache-2.0
//
// The stages of a compilation as passes.def lists them.
#ifndef RL_COMPILER_PASSES_PASSES_H
#define RL_COMPILER_PASSES_PASSES_H

#include "compiler/passes/pass.h"

#define RL_PASS(name, phase, when, meaning) rl_pass_run rl_pass_##name;
#include "compiler/passes/passes.def"

enum rl_phase {
#define RL_PHASE(id, folder, meaning) RL_PHASE_##id,
#include "compiler/passes/passes.def"
};

enum rl_when {
#define RL_WHEN(id, condition) RL_WHEN_##id,
#include "compiler/passes/passes.def"
};

struct rl_stage {
    const char *name; // as --dump-after takes it
    const char *meaning;
    enum rl_phase phase;
    enum rl_when when;
    rl_pass_run *run;
};

// Stage number `index`, counted from 0 in the order in which they run; NULL after the last.
const struct rl_stage *rl_stage_at(int index);

// Runs one stage and verifies the resulting graph. Prints the graph if the options say so.
enum rl_status rl_stage_run(struct rl_pass *pass, const struct rl_stage *stage);

// Runs those stages of the phases from `first` to `last` whose condition holds.
enum rl_status rl_phases_run(struct rl_pass *pass, enum rl_phase first, enum rl_phase last);

// Whether the graph is a float one that will be quantized.
bool rl_quantizes(const struct rl_pass *pass);

// The same, with the choices of the stock quantizer.
bool rl_quantizes_as_stock(const struct rl_pass *pass);

#endif
