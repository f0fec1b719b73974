// SPDX-License-Identifier: Apache-2.0
//
// Parts of a compilation as JSON, the same in every verb that shows them.
#ifndef RL_CLI_REPORT_H
#define RL_CLI_REPORT_H

#include <jansson.h>

#include "compiler/pipeline.h"

// [{node, op, reason}] of the nodes that compute in floating point, named as in the model.
json_t *rl_cli_float_nodes(const struct rl_graph *graph);

// {operator: count} of the calls in the program.
json_t *rl_cli_operator_counts(const struct rl_emitted *emitted);

// [{value, offset, bytes, first, last}] of the planned buffers; time 0: inputs are set, k: call k - 1 runs.
json_t *rl_cli_memory_map(const struct rl_memory_plan *plan);

// The inputs or outputs of a compiled graph as rl_cli_describe_value, with `scale` and `zero_point` of those that are
// int8 where the model has floats.
json_t *rl_cli_interface(struct rl_value *const *values, const struct rl_io_grid *grids, int count);

// {name, dtype, shape, dim_order, bytes}
json_t *rl_cli_describe_value(const struct rl_value *value);

#endif
