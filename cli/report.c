// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include "cli/cli.h"
#include "compiler/data/array.h"

json_t *rl_cli_float_nodes(const struct rl_graph *graph)
{
    json_t *list = json_array();

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const char *reason = rl_float_reason(node);
        if (reason) {
            json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "node", node->origin ? node->origin : node->name,
                                                  "op", rl_op_get(node->op)->name, "reason", reason));
        }
    }
    return list;
}

json_t *rl_cli_operator_counts(const struct rl_emitted *emitted)
{
    json_t *counts = json_object();

    for (int i = 0; i < emitted->instruction_count; i++) {
        rl_cli_count(counts, rl_op_counted_name(rl_op_get(emitted->nodes[i]->op)));
    }
    return counts;
}

json_t *rl_cli_memory_map(const struct rl_memory_plan *plan)
{
    json_t *map = json_array();

    for (int i = 0; i < plan->buffer_count; i++) {
        const struct rl_plan_buffer *buffer = &plan->buffers[i];
        json_array_append_new(map, json_pack("{s:s, s:I, s:I, s:I, s:I}", "value", plan->owners[i]->name, "offset",
                                             (json_int_t)buffer->offset, "bytes", (json_int_t)buffer->bytes, "first",
                                             (json_int_t)buffer->first, "last", (json_int_t)buffer->end - 1));
    }
    return map;
}

json_t *rl_cli_describe_value(const struct rl_value *value)
{
    json_t *shape = json_array(), *order = json_array();

    for (int i = 0; i < value->type.rank; i++) {
        json_array_append_new(shape, json_integer(value->type.sizes[i]));
        json_array_append_new(order, json_integer(value->type.order[i]));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:I}", "name", value->name, "dtype", rl_dtype_name(value->type.dtype),
                     "shape", shape, "dim_order", order, "bytes", (json_int_t)rl_tensor_bytes(&value->type));
}

json_t *rl_cli_interface(struct rl_value *const *values, const struct rl_io_grid *grids, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        json_t *value = rl_cli_describe_value(values[i]);
        if (grids && grids[i].scale != 0.0) {
            json_object_set_new(value, "scale", json_real(grids[i].scale));
            json_object_set_new(value, "zero_point", json_integer(grids[i].zero_point));
        }
        json_array_append_new(list, value);
    }
    return list;
}
