// SPDX-License-Identifier: Apache-2.0
//
// Reads a .pt2 archive, the file that torch.export.save of PyTorch 2.7 to 2.15 writes (schema 8.x), into a graph.
#ifndef RL_COMPILER_READ_PT2_H
#define RL_COMPILER_READ_PT2_H

#include "compiler/ir/graph.h"
#include "compiler/read/shape.h"

// The graph is the one in the file, node for node: in-place operators and views are still there, names are the
// exporter's, each node's origin is its own name, its layer the module in which it was traced, and defaults of omitted
// arguments are filled in. What differs:
//   - a node without a name, as PyTorch up to 2.10 writes them, gets the name that later versions write;
//   - parameters, buffers and constants that some node reads are constants; the others are dropped;
//   - buffers that the file says get another value (outputs of kind buffer_mutation) are states of the graph. Those
//     that in-place operators change are still constants, which the pass functionalize makes states;
//   - a number given for a tensor (`x * 2.0`) is a constant of rank 0 in the type PyTorch would compute with;
//   - checks without a result (aten::_assert_...) are dropped, because they hold for the fixed shapes of the graph;
//   - a tensor whose memory has gaps or repeats (a slice, an expanded tensor) is described as dense.
//
// Nothing in the file is trusted. RL_ERROR_FORMAT: damaged, or not a .pt2; RL_ERROR_UNSUPPORTED: valid, but with
// dynamic shapes, control flow, an unknown operator or dtype, another schema version, ...; RL_ERROR_IO,
// RL_ERROR_OUT_OF_MEMORY. The message names file, member or node, what was found and what is accepted.
//
// `shapes` fix the sizes of inputs that were exported as dynamic, and all sizes that follow from them; NULL: none.
// RL_ERROR_ARGUMENT: a shape of an unknown name, of a wrong rank, or outside of what was exported.
enum rl_status rl_pt2_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           const struct rl_input_shapes *shapes, struct rl_graph **graph);

#endif
