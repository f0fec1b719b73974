// SPDX-License-Identifier: Apache-2.0
#include "compiler/plan/alias.h"

#include "compiler/passes/layout/layout.h"

// A permutation of dimensions moves no bytes if the permuted tensor, laid out like its source, has the result's type.
static bool permute_keeps_bytes(const struct rl_node *node, const struct rl_tensor_type *source,
                                const struct rl_tensor_type *result)
{
    const struct rl_arg *dims = rl_node_arg(node, "dims");
    struct rl_tensor_type permuted = *result;
    int position[RL_MAX_RANK] = {0};

    if (dims->kind != RL_ARG_INTS || dims->count != source->rank || result->rank != source->rank) {
        return false;
    }
    for (int i = 0; i < dims->count; i++) {
        int64_t dim = dims->as.integers[i] < 0 ? dims->as.integers[i] + source->rank : dims->as.integers[i];
        if (dim < 0 || dim >= source->rank) {
            return false;
        }
        position[dim] = i;
    }
    for (int i = 0; i < source->rank; i++) {
        permuted.order[i] = (uint8_t)position[source->order[i]];
    }
    return rl_tensor_same_layout(&permuted, result);
}

const struct rl_value *rl_alias_source(const struct rl_node *node)
{
    if (node->result_count != 1 || node->arg_count < 1 || node->args[0].kind != RL_ARG_VALUE) {
        return NULL;
    }
    const struct rl_value *source = node->args[0].as.value;
    const struct rl_tensor_type *from = &source->type;
    const struct rl_tensor_type *to = &node->results[0]->type;
    const struct rl_op *op = rl_op_get(node->op);
    if (from->dtype != to->dtype) {
        return NULL;
    }
    bool same = false;
    if (op->rearranges == RL_REARRANGES_RESHAPE) {
        same = rl_view_keeps_bytes(from, to);
    } else if (op->rearranges == RL_REARRANGES_PERMUTE) {
        same = permute_keeps_bytes(node, from, to);
    } else if (op->rearranges == RL_REARRANGES_SAME || op->dialect == RL_DIALECT_DIM_ORDER) {
        same = rl_tensor_same_sizes(from, to) && rl_tensor_same_layout(from, to);
    }
    return same ? source : NULL;
}

const struct rl_value *rl_alias_root(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT) {
        const struct rl_value *source = rl_alias_source(value->producer);
        if (!source) {
            break;
        }
        value = source;
    }
    return value;
}
