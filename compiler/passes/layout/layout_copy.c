// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "compiler/passes/layout/layout.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

struct rl_value *rl_constant_in_layout(struct rl_graph *graph, const struct rl_value *value,
                                       const struct rl_tensor_type *wanted)
{
    int dims[RL_MAX_RANK];
    for (int i = 0; i < wanted->rank; i++) {
        dims[i] = wanted->order[i];
    }
    struct rl_value *copy = rl_constant_permuted(graph, value, dims, value->name);
    copy->type = value->type;
    memcpy(copy->type.order, wanted->order, sizeof copy->type.order);
    return copy;
}

struct rl_value *rl_existing_copy(const struct rl_graph *graph, const struct rl_node *user,
                                  const struct rl_value *value, const struct rl_tensor_type *type)
{
    for (const struct rl_node *node = graph->first; node != user; node = node->next) {
        if (node->op == RL_OP_dim_order_clone && node->args[0].as.value == value &&
            rl_tensor_same_layout(&node->results[0]->type, type)) {
            return node->results[0];
        }
    }
    return NULL;
}

static struct rl_value *insert_copy(struct rl_graph *graph, struct rl_node *user, struct rl_value *value,
                                    const struct rl_tensor_type *type)
{
    const struct rl_node *like = value->kind == RL_VALUE_RESULT ? value->producer : user;
    struct rl_node *copy = rl_insert_before(graph, user, RL_OP_dim_order_clone,
                                            rl_arena_format(graph->arena, "%s_copy", value->name), like, type);
    rl_node_become_layout_copy(graph, copy, value);
    return copy->results[0];
}

struct rl_value *rl_value_in_layout(struct rl_graph *graph, struct rl_node *user, struct rl_value *value,
                                    const struct rl_tensor_type *wanted)
{
    struct rl_tensor_type type = value->type;
    if (wanted->rank != type.rank) {
        return value; // a graph that contradicts itself; the operators will refuse it
    }
    memcpy(type.order, wanted->order, sizeof type.order);
    if (rl_tensor_same_layout(&value->type, &type)) {
        return value;
    }
    if (value->kind == RL_VALUE_CONSTANT && user) {
        return rl_constant_in_layout(graph, value, &type);
    }
    struct rl_grid grid;
    struct rl_value *integers = rl_integers_behind(value, &grid);
    if (integers && rl_value_use_count(graph, value) == 1) {
        struct rl_node *dequantize = value->producer;
        rl_node_set(dequantize, "input", rl_arg_value(rl_value_in_layout(graph, dequantize, integers, &type)));
        value->type = type;
        return value;
    }
    struct rl_value *copy = rl_existing_copy(graph, user, value, &type);
    return copy ? copy : insert_copy(graph, user, value, &type);
}

// ---- images as tensors of N, H, W, C

static const int64_t to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2};

struct rl_value *rl_image_turned(struct rl_graph *graph, struct rl_node *user, struct rl_value *image)
{
    const struct rl_arg list = rl_arg_ints(graph->arena, to_nhwc, 4);
    const struct rl_tensor_type type = rl_type_permuted_in_place(&image->type, &list);
    struct rl_node *permute = rl_insert_before(graph, user, RL_OP_aten_permute_copy,
                                               rl_arena_format(graph->arena, "%s_nhwc", image->name), user, &type);
    rl_node_set(permute, "self", rl_arg_value(image));
    rl_node_set(permute, "dims", list);
    return permute->results[0];
}

void rl_concatenate_turned(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_arg *list = &node->args[0];
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), 4);
    struct rl_value **images = rl_arena_array(graph->arena, (size_t)list->count, sizeof(struct rl_value *));
    if (dim < 0) {
        return;
    }
    for (int i = 0; i < list->count; i++) {
        images[i] = rl_image_turned(graph, node, list->as.values[i]);
    }
    const struct rl_arg dims = rl_arg_ints(graph->arena, to_nhwc, 4);
    const struct rl_tensor_type type = rl_type_permuted_in_place(&node->results[0]->type, &dims);
    struct rl_node *cat = rl_insert_before(graph, node, RL_OP_aten_cat,
                                           rl_arena_format(graph->arena, "%s_nhwc", node->name), node, &type);
    cat->args[0] = (struct rl_arg){.kind = RL_ARG_VALUES, .count = list->count, .as.values = images};
    rl_node_set(cat, "dim", rl_arg_int(to_nchw[dim]));
    rl_node_become(graph, node, RL_OP_aten_permute_copy);
    rl_node_set(node, "self", rl_arg_value(cat->results[0]));
    rl_node_set(node, "dims", rl_arg_ints(graph->arena, to_nchw, 4));
}
