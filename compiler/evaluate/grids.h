// SPDX-License-Identifier: Apache-2.0
//
// The scale and zero point of every integer tensor in a program, from the numbers in its file.
//
// A file has only the scales of quantize and dequantize nodes. Between them are multipliers, each of which is a
// quotient of scales: that of a convolution is input scale * weight scale / output scale. The model compiled once more
// (trace.h) has the same weights and known scales, so the quotient of two multipliers is a quotient of activation
// scales. From one known scale to the next, all of them follow, to about nine digits. The scale behind a table of 256
// results is the one with which the table fits that of the second compilation, to about three and a half digits.
#ifndef RL_COMPILER_EVALUATE_GRIDS_H
#define RL_COMPILER_EVALUATE_GRIDS_H

#include "compiler/emit/interface.h"
#include "compiler/evaluate/trace.h"

// The known facts about the grids of one tensor.
struct rl_traced_grid {
    double model_scale; // in the second compilation; 0: not known
    double ratio;       // scale in the program / model_scale; 0: not known
    double model_zero_point, zero_point;
    bool has_model_zero_point, has_zero_point;
};

// By the name of a value (the root of its views): struct rl_traced_grid.
struct rl_traced_grids {
    struct rl_arena *arena;
    const struct rl_trace *trace;
    const struct rl_retraced *retraced;
    struct rl_name_map by_name;
};

// Derives all grids that it can. `program` has the grids of int8 inputs and outputs.
void rl_traced_grids_find(struct rl_arena *arena, const struct rl_program *program, const struct rl_trace *trace,
                          const struct rl_retraced *retraced, struct rl_traced_grids *grids);

// The grid of a value of the second compilation, as the program has it. False when it is not known.
bool rl_traced_grid_of(const struct rl_traced_grids *grids, const struct rl_value *value, struct rl_io_grid *grid);

#endif
