// SPDX-License-Identifier: Apache-2.0
//
// decompose_mean: means over height and width become average pools, for which there is an integer kernel.
//   needs   canonical operators
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
//   mean(x, [2, 3])             avg_pool2d over the whole plane, and a view when keepdim is false
//   adaptive_avg_pool2d(x, o)   avg_pool2d, where the input is a multiple of the output, so that all windows
//   are alike
//   adaptive_max_pool2d(x, o)   max_pool2d, under the same condition
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite.h"

static void become_pool(struct rl_graph *graph, struct rl_node *node, struct rl_value *input,
                        const int64_t *kernel, const int64_t *stride)
{
    const int64_t zeros[2] = {0, 0};
    rl_node_become(graph, node, RL_OP_aten_avg_pool2d);
    rl_node_set(node, "self", rl_arg_value(input));
    rl_node_set(node, "kernel_size", rl_arg_ints(graph->arena, kernel, 2));
    rl_node_set(node, "stride", rl_arg_ints(graph->arena, stride, 2));
    rl_node_set(node, "padding", rl_arg_ints(graph->arena, zeros, 2));
    rl_node_set(node, "ceil_mode", rl_arg_bool(false));
    rl_node_set(node, "count_include_pad", rl_arg_bool(false));
}

static bool is_spatial_mean(const struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "self");
    const struct rl_arg *dims = rl_node_arg(node, "dim");
    if (input->type.rank != 4 || dims->kind != RL_ARG_INTS || dims->count != 2 ||
        rl_node_arg(node, "dtype")->kind != RL_ARG_NONE) {
        return false;
    }
    const int first = rl_dim_normalized(dims->as.integers[0], 4);
    const int second = rl_dim_normalized(dims->as.integers[1], 4);
    return (first == 2 && second == 3) || (first == 3 && second == 2);
}

static bool decompose_mean(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    if (!is_spatial_mean(node)) {
        return rl_decline(graph, node, "a mean over other dimensions than height and width");
    }
    struct rl_value *input = rl_node_tensor(node, "self");
    const int64_t *sizes = input->type.sizes;
    const int64_t kernel[2] = {sizes[2], sizes[3]};
    const int64_t ones[2] = {1, 1};
    if (rl_node_bool(node, "keepdim")) {
        become_pool(graph, node, input, kernel, ones);
        return true;
    }
    struct rl_tensor_type pooled = input->type;
    pooled.sizes[2] = pooled.sizes[3] = 1;
    struct rl_node *pool =
        rl_insert_before(graph, node, RL_OP_aten_avg_pool2d,
                         rl_arena_format(graph->arena, "%s_pool", node->name), node, &pooled);
    become_pool(graph, pool, input, kernel, ones);
    rl_node_become(graph, node, RL_OP_aten_view_copy);
    rl_node_set(node, "self", rl_arg_value(pool->results[0]));
    rl_node_set(node, "size", rl_arg_ints(graph->arena, sizes, 2));
    return true;
}

static bool decompose_adaptive(struct rl_graph *graph, struct rl_node *node, const struct rl_target *target)
{
    (void)target;
    struct rl_value *input = rl_node_tensor(node, "self");
    const struct rl_tensor_type *from = &input->type;
    const struct rl_tensor_type *to = &node->results[0]->type;
    if (from->rank != 4 || to->rank != 4) {
        return rl_decline(graph, node, "adaptive pooling of rank %d; accepted: 4", from->rank);
    }
    int64_t kernel[2];
    for (int i = 0; i < 2; i++) {
        const int64_t size = from->sizes[2 + i];
        const int64_t windows = to->sizes[2 + i];
        if (windows <= 0 || size % windows != 0) {
            return rl_decline(graph, node, "adaptive pooling of %lld into %lld windows of different sizes",
                              (long long)size, (long long)windows);
        }
        kernel[i] = size / windows;
    }
    const int64_t ones[2] = {1, 1};
    const bool whole_plane = to->sizes[2] == 1 && to->sizes[3] == 1;
    become_pool(graph, node, input, kernel, whole_plane ? ones : kernel);
    return true;
}

// Only the maxima, not their indices, and only where all windows are alike.
static bool decompose_adaptive_max(struct rl_graph *graph, struct rl_node *node,
                                   const struct rl_target *target)
{
    (void)target;
    struct rl_value *input = rl_node_tensor(node, "self");
    const struct rl_tensor_type to = node->results[0]->type;
    if (input->type.rank != 4 || to.rank != 4 || rl_value_use_count(graph, node->results[1]) > 0 ||
        to.sizes[2] <= 0 || to.sizes[3] <= 0 || input->type.sizes[2] % to.sizes[2] != 0 ||
        input->type.sizes[3] % to.sizes[3] != 0) {
        return rl_decline(graph, node, "windows of different sizes, or indices that are used");
    }
    const int64_t kernel[2] = {input->type.sizes[2] / to.sizes[2], input->type.sizes[3] / to.sizes[3]};
    const int64_t zeros[2] = {0, 0};
    const int64_t ones[2] = {1, 1};
    struct rl_node *pool = rl_insert_before(graph, node, RL_OP_aten_max_pool2d,
                                            rl_arena_format(graph->arena, "%s_pool", node->name), node, &to);
    rl_node_set(pool, "self", rl_arg_value(input));
    rl_node_set(pool, "kernel_size", rl_arg_ints(graph->arena, kernel, 2));
    rl_node_set(pool, "stride", rl_arg_ints(graph->arena, kernel, 2));
    rl_node_set(pool, "padding", rl_arg_ints(graph->arena, zeros, 2));
    rl_node_set(pool, "dilation", rl_arg_ints(graph->arena, ones, 2));
    rl_node_set(pool, "ceil_mode", rl_arg_bool(false));
    rl_graph_replace_uses(graph, node->results[0], pool->results[0]);
    rl_graph_remove(graph, node);
    return true;
}

enum rl_status rl_pass_decompose_mean(struct rl_context *context, struct rl_graph *graph,
                                      const struct rl_target *target)
{
    (void)context;
    rl_lower_each(graph, target, RL_OP_aten_mean, decompose_mean);
    rl_lower_each(graph, target, RL_OP_aten_adaptive_avg_pool2d, decompose_adaptive);
    rl_lower_each(graph, target, RL_OP_aten_adaptive_max_pool2d, decompose_adaptive_max);
    return RL_OK;
}
