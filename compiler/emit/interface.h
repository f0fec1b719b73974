// SPDX-License-Identifier: Apache-2.0
//
// How a program describes the integers of its inputs and outputs, in the form of ExecuTorch's QuantizeInputs and
// QuantizeOutputs: the method `input0_scale` returns the scale of input 0, the method `input0_zp` its zero point, and
// so on for each input and output. These methods have no instructions.
#ifndef RL_COMPILER_EMIT_INTERFACE_H
#define RL_COMPILER_EMIT_INTERFACE_H

#include "compiler/ir/graph.h"
#include "format/pte_writer.h"
#include "rushlight/runtime.h"

// The number of such methods that the graph needs. If `methods` is not NULL, also writes them.
int rl_interface_methods(const struct rl_graph *graph, struct rl_pte_method_description *methods);

// Reads the grid of int8 input ("input") or output ("output") `index` from a program of any compiler. False if the
// program does not have it.
bool rl_interface_grid(const struct rl_program *program, const char *side, int index, struct rl_io_grid *grid);

#endif
