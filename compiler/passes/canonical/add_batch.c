// SPDX-License-Identifier: Apache-2.0
//
// add_batch: convolutions and pools of one sequence, image or volume without a batch become those of a batch of one,
// because kernels need a batch.
//   needs   convolutions padded by numbers (resolve_padding)
//   keeps   values; the names of the results
//   breaks  nothing
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_tensor_type with_batch(const struct rl_tensor_type *type)
{
    int64_t sizes[RL_MAX_RANK] = {1};
    memcpy(sizes + 1, type->sizes, (size_t)type->rank * sizeof *sizes);
    return rl_tensor_type_make(type->dtype, type->rank + 1, sizes);
}

static bool add_batch(struct rl_graph *graph, struct rl_node *node, int spatial)
{
    const struct rl_build at = {graph, node};
    struct rl_value *input = node->args[0].as.value;
    if (input->type.rank != spatial + 1 || node->result_count != 1) {
        return false;
    }
    const struct rl_tensor_type wide = with_batch(&input->type);
    const struct rl_tensor_type type = with_batch(&node->results[0]->type);
    struct rl_arg *args = rl_arena_alloc(graph->arena, (size_t)node->arg_count * sizeof *args);
    memcpy(args, node->args, (size_t)node->arg_count * sizeof *args);
    args[0] = rl_arg_value(rl_build_view(&at, input, wide.rank, wide.sizes));
    rl_build_end_view(&at, rl_build(&at, node->op, &type, args, node->arg_count));
    return true;
}

static bool of_sequence(const struct rl_pass *pass, struct rl_node *node)
{
    return add_batch(pass->graph, node, 1);
}

static bool of_image(const struct rl_pass *pass, struct rl_node *node)
{
    return add_batch(pass->graph, node, 2);
}

static bool of_volume(const struct rl_pass *pass, struct rl_node *node)
{
    return add_batch(pass->graph, node, 3);
}

enum rl_status rl_pass_add_batch(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_conv1d, of_sequence},
        {RL_OP_aten_conv_transpose1d, of_sequence},
        {RL_OP_aten_avg_pool1d, of_sequence},
        {RL_OP_aten_max_pool1d, of_sequence},
        {RL_OP_aten_adaptive_avg_pool1d, of_sequence},
        {RL_OP_aten_conv2d, of_image},
        {RL_OP_aten_conv_transpose2d_input, of_image},
        {RL_OP_aten_avg_pool2d, of_image},
        {RL_OP_aten_max_pool2d, of_image},
        {RL_OP_aten_adaptive_avg_pool2d, of_image},
        {RL_OP_aten_conv3d, of_volume},
        {RL_OP_aten_max_pool3d, of_volume},
        {RL_OP_aten_avg_pool3d, of_volume},
        {RL_OP_aten_adaptive_avg_pool3d, of_volume},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
