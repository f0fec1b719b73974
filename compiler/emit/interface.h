// SPDX-License-Identifier: Apache-2.0
//
// What a program tells of the integers that it takes and gives, as ExecuTorch's QuantizeInputs and QuantizeOutputs
// write it: for input 0 a method `input0_scale` that returns a number, a method `input0_zp` that returns another, and
// so on for each input and output. They have no instructions.
#ifndef RL_COMPILER_EMIT_INTERFACE_H
#define RL_COMPILER_EMIT_INTERFACE_H

#include "compiler/ir/graph.h"
#include "format/pte_writer.h"
#include "rushlight/runtime.h"

// How many such methods the graph needs; with `methods` not NULL, also writes them.
int rl_interface_methods(const struct rl_graph *graph, struct rl_pte_method_description *methods);

// Of a program, whoever wrote it: the grid of int8 input ("input") or output ("output") `index`; false when the program
// does not tell it.
bool rl_interface_grid(const struct rl_program *program, const char *side, int index, struct rl_io_grid *grid);

#endif
