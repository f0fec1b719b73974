// SPDX-License-Identifier: Apache-2.0
//
// The target of a program: a Cortex-M core, the instruction set that its kernels use, and the runtime that executes it.
//
// The core decides the work space that operators need and the form of a few of them; the results are the same on every
// core. Sources: Arm's Technical Reference Manuals of the cores for the extensions that each can have.
#ifndef RL_COMPILER_TARGETS_TARGET_H
#define RL_COMPILER_TARGETS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/support/context.h"
#include "rushlight/kernels/layer.h"

// The runtime whose buffer sizes the program must respect.
enum rl_flow {
    RL_FLOW_RUSHLIGHT,
    RL_FLOW_EXECUTORCH // also accepted by ExecuTorch's runtime with CMSIS-NN
};

struct rl_core {
    const char *name;     // "cortex-m55"; "any" for the worst case of all cores
    enum rl_isa isa;      // the one that its kernels use unless overridden
    enum rl_isa most;     // the most capable instruction set it can execute
    const char *emulated; // name of the emulated core that represents it; NULL if there is none
};

struct rl_target {
    const struct rl_core *core;
    enum rl_isa isa;
    enum rl_flow flow;
};

// The known cores, from the smallest to the largest, `any` last.
const struct rl_core *rl_cores(int *count);

// "scalar", "dsp", "mve", "any".
const char *rl_isa_name(enum rl_isa isa);

// "rushlight", "executorch".
const char *rl_flow_name(enum rl_flow flow);

// The core of this name, the first `length` characters of `text`; NULL if there is none. Case does not matter, and
// "cortex-" may be missing.
const struct rl_core *rl_core_find(const char *text, size_t length);

// Reads "cortex-m4", "cortex-m55+dsp" or "any"; also "M4", and "cortex-m0+" for the M0plus. `target->flow` becomes
// RL_FLOW_RUSHLIGHT. Unknown names, and an instruction set that the core lacks, give RL_ERROR_ARGUMENT and a message
// that lists the accepted ones.
enum rl_status rl_target_parse(struct rl_context *context, const char *text, struct rl_target *target);

// RL_ERROR_ARGUMENT for an unknown name, with a message that lists the accepted ones.
enum rl_status rl_flow_parse(struct rl_context *context, const char *text, enum rl_flow *flow);

// Whether code for this instruction set must run: always true of the target's own, of all three for RL_ISA_ANY.
bool rl_target_runs_on(const struct rl_target *target, enum rl_isa isa);

#endif
