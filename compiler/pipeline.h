// SPDX-License-Identifier: Apache-2.0
//
// The compiler as one call: from a .pt2 file to the bytes of a .pte and the data for reports.
#ifndef RL_COMPILER_PIPELINE_H
#define RL_COMPILER_PIPELINE_H

#include "compiler/emit/pte.h"
#include "compiler/options.h"
#include "compiler/passes/dropped.h"
#include "compiler/plan/memory.h"
#include "compiler/quantize/report.h"

// Lives in the arena of the compilation.
struct rl_compiled {
    struct rl_graph *graph;                             // as emitted
    const struct rl_quantizer_report *quantizer_report; // NULL unless a float model was quantized
    const struct rl_dropped_channels *dropped;          // NULL if no channels were dropped
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
};

// The first error is in the context; a plan above max_arena is RL_ERROR_MEMORY and names the arena needed.
enum rl_status rl_compile(struct rl_context *context, struct rl_arena *arena, const struct rl_compile_options *options,
                          struct rl_compiled *compiled);

// The first half of rl_compile: the model's graph in canonical form and in float32, before anything is quantized.
enum rl_status rl_compile_front(struct rl_context *context, struct rl_arena *arena, const char *model,
                                const struct rl_input_shapes *shapes, const struct rl_target *target,
                                struct rl_graph **graph);

// Why a node of a lowered graph computes in floating point; NULL if it does not.
const char *rl_float_reason(const struct rl_node *node);

#endif
