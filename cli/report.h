// SPDX-License-Identifier: Apache-2.0
//
// Parts of a compilation as JSON, the same in every verb that shows them.
#ifndef RL_CLI_REPORT_H
#define RL_CLI_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "compiler/pipeline.h"

// [{node, op, reason}] of the nodes that compute in floating point, named as in the model.
json_t *rl_cli_float_nodes(const struct rl_graph *graph);

// [{reason, nodes, ops, calls, work_share}]: the same by reason, one object each, in the order of the graph. `nodes`
// are those of the model, `ops` is {operator: count}, and work_share is part of what all nodes compute
// (compiler/ir/work.h).
json_t *rl_cli_float_groups(const struct rl_graph *graph);

// A group in words: "node 'gru' (aten::sigmoid and 7 others, 273 calls, 41.2 % of the work) stays in floating point: "
// and the reason. To be freed.
char *rl_cli_group_text(const json_t *group);

// [{pattern, nodes, accepted, reason, tensors}] of what the quantizer decided; `report` may be NULL.
json_t *rl_cli_quantizer_json(const struct rl_quantizer_report *report);

// The same as lines on `file`.
void rl_cli_print_quantizer(const json_t *report, FILE *file);

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
