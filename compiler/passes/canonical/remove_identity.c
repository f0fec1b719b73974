// SPDX-License-Identifier: Apache-2.0
//
// remove_identity: operators that change no element are removed.
//   needs   canonical operators (canonicalize)
//   keeps   values, and the layout of the graph's outputs
//   breaks  the names of what it removes
//
// A chain of views becomes one view, and a chain of permutations one permutation: each intermediate value would be a
// copy. Values count the operators removed around them (`echoes`), so that calibration can weigh them like PyTorch.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/rewrite.h"

// The node that makes the input of `node`, if it is the same operator.
static struct rl_node *same_before(const struct rl_node *node)
{
    struct rl_value *input = node->args[0].as.value;
    return input->kind == RL_VALUE_RESULT && input->producer->op == node->op ? input->producer : NULL;
}

// `value` holds the elements of `removed`, which is used no more.
static void count_echo(struct rl_graph *graph, struct rl_value *value, const struct rl_value *removed)
{
    if (rl_value_use_count(graph, removed) == 0) {
        value->echoes += 1 + removed->echoes;
    }
}

static void merge_permutations(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_node *before = same_before(node);
    if (!before) {
        return;
    }
    const struct rl_arg *outer = rl_node_arg(node, "dims");
    const struct rl_arg *inner = rl_node_arg(before, "dims");
    int64_t dims[RL_MAX_RANK];
    for (int i = 0; i < outer->count; i++) {
        dims[i] = inner->as.integers[outer->as.integers[i]];
    }
    rl_node_set(node, "dims", rl_arg_ints(graph->arena, dims, outer->count));
    rl_node_set(node, "self", before->args[0]);
    count_echo(graph, node->results[0], before->results[0]);
}

static void merge_views(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_node *before = same_before(node);
    if (before) {
        rl_node_set(node, "self", before->args[0]);
        count_echo(graph, node->results[0], before->results[0]);
    }
}

static bool all_equal(const struct rl_arg *list, bool ascending)
{
    for (int i = 0; i < list->count; i++) {
        if (list->as.integers[i] != (ascending ? i : 0)) {
            return false;
        }
    }
    return true;
}

static bool changes_nothing(struct rl_graph *graph, struct rl_node *node)
{
    if (node->result_count != 1 || node->args[0].kind != RL_ARG_VALUE ||
        !rl_tensor_same_sizes(&node->args[0].as.value->type, &node->results[0]->type)) {
        return false;
    }
    const struct rl_op *op = rl_op_get(node->op);
    if (op->view == RL_OP_VIEW_UNLESS_TRAINING && rl_node_bool(node, "train")) {
        return rl_decline(graph, node, "dropout in training mode; export the model after eval()");
    }
    if (op->view == RL_OP_VIEW_UNLESS_TRAINING || op->rearranges == RL_REARRANGES_SAME ||
        op->rearranges == RL_REARRANGES_RESHAPE) {
        return true;
    }
    if (node->op == RL_OP_aten_permute_copy) {
        return all_equal(rl_node_arg(node, "dims"), true);
    }
    if (node->op == RL_OP_aten_slice_copy_tensor) {
        return true; // of the same sizes: PyTorch up to 2.8 writes one for each `:` of an index
    }
    return node->op == RL_OP_aten_constant_pad_nd && all_equal(rl_node_arg(node, "pad"), false);
}

enum rl_status rl_pass_remove_identity(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *node = graph->first;
    while (node) {
        if (node->op == RL_OP_aten_permute_copy) {
            merge_permutations(graph, node);
        } else if (node->op == RL_OP_aten_view_copy) {
            merge_views(graph, node);
        }
        if (!changes_nothing(graph, node)) {
            node = node->next;
            continue;
        }
        struct rl_value *same = node->args[0].as.value;
        const struct rl_value *removed = node->results[0];
        node = rl_replace_node(graph, node, same);
        count_echo(graph, same, removed);
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
