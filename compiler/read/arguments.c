// SPDX-License-Identifier: Apache-2.0
// The arguments of a node: by name, in any order, defaults omitted.
#include "compiler/read/reader.h"

#include <stdio.h>

enum { MAX_ARGUMENTS = 64 };

static enum rl_status refuse_argument(struct rl_pt2_reader *reader, const char *place, const struct rl_node *node,
                                      const char *name)
{
    char schema[512];
    rl_op_schema(node->op, schema, sizeof schema);
    return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                   "%s: %s: argument '%s' is unknown or given twice; accepted: %s", reader->path, place, name, schema);
}

static enum rl_status fill_defaults(struct rl_pt2_reader *reader, const char *place, struct rl_node *node,
                                    const bool given[MAX_ARGUMENTS])
{
    const struct rl_op *op = rl_op_get(node->op);
    for (int i = 0; i < op->arg_count; i++) {
        if (given[i]) {
            continue;
        }
        if (!op->args[i].default_text) {
            return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: argument '%s' is missing", reader->path, place,
                           op->args[i].name);
        }
        node->args[i] = rl_arg_default(reader->arena, &op->args[i]);
    }
    return RL_OK;
}

enum rl_status rl_pt2_read_arguments(struct rl_pt2_reader *reader, const char *place, struct rl_node *node,
                                     const json_t *inputs)
{
    const struct rl_op *op = rl_op_get(node->op);
    bool given[MAX_ARGUMENTS] = {false};
    if (op->arg_count > MAX_ARGUMENTS) {
        return rl_fail(reader->context, RL_ERROR_INTERNAL, "%s: %s: more than %d arguments", reader->path, place,
                       MAX_ARGUMENTS);
    }
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const char *name;
        enum rl_status status = rl_json_get_string(reader, place, input, "name", &name);
        if (status != RL_OK) {
            return status;
        }
        const int index = rl_op_argument(op, name);
        if (index < 0 || given[index]) {
            return refuse_argument(reader, place, node, name);
        }
        given[index] = true;
        status = rl_pt2_read_argument(reader, place, node, &op->args[index], json_object_get(input, "arg"),
                                      &node->args[index]);
        if (status != RL_OK) {
            return status;
        }
    }
    return fill_defaults(reader, place, node, given);
}
