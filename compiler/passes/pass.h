// SPDX-License-Identifier: Apache-2.0
//
// The context of a pass, and its contract.
//
// Every pass leaves a valid graph. A node that it does not understand stays as it is; if the node must compute in
// floating point because of that, the pass says why in node->reason. A pass fails only if memory runs out or if the
// graph contradicts itself.
#ifndef RL_COMPILER_PASSES_PASS_H
#define RL_COMPILER_PASSES_PASS_H

#include "compiler/ir/graph.h"
#include "compiler/options.h"

struct rl_dropped_channels;
struct rl_quantizer_report;

// A compilation in progress.
struct rl_pass {
    struct rl_context *context; // takes messages
    struct rl_arena *arena;     // holds all data of the compilation
    struct rl_graph *graph;     // NULL until it is read
    const struct rl_compile_options *options;
    const struct rl_quantizer_report *quantizer_report; // NULL until a float model was quantized
    const struct rl_dropped_channels *dropped;          // NULL until channels were dropped
    bool is_observed; // calibration will observe the values one by one, so each must stay as it is
};

// One stage.
typedef enum rl_status rl_pass_run(struct rl_pass *pass);

#endif
