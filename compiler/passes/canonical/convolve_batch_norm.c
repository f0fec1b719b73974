// SPDX-License-Identifier: Apache-2.0
//
// convolve_batch_norm: a batch norm without a convolution before it becomes a depthwise convolution of single pixels,
// for which there is an integer kernel.
//   needs   batch norms folded where possible (fold_batch_norm)
//   keeps   values up to rounding; the name of the normalized value
//   breaks  nothing
//
// Runs only if the graph will be quantized, because in float a batch norm is the faster of the two. The convolution
// starts with weights of 1, into which fold_batch_norm then folds the batch norm.
#include "compiler/passes/passes.h"

#include "compiler/passes/canonical/batch_norm.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool put_convolution_before(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t ones[2] = {1, 1}, zeros[2] = {0, 0};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_batch_norm norm;
    struct rl_value *input = rl_node_tensor(node, "input");
    const int rank = input->type.rank, spatial = rank - 2;
    if (rank < 3 || rank > 4 || input->type.dtype != RL_FLOAT32 || rl_node_bool(node, "training") ||
        !rl_tensor_same_sizes(&input->type, &node->results[0]->type) ||
        !rl_batch_norm_read(node, input->type.sizes[1], &norm)) {
        return false;
    }
    const int64_t channels = input->type.sizes[1];
    const int64_t weight_sizes[4] = {channels, 1, 1, 1};
    const struct rl_arg args[] = {rl_arg_value(input),
                                  rl_arg_value(rl_build_constant(&at, rank, weight_sizes, 1.0)),
                                  (struct rl_arg){.kind = RL_ARG_NONE},
                                  rl_arg_ints(graph->arena, ones, spatial),
                                  rl_arg_ints(graph->arena, zeros, spatial),
                                  rl_arg_ints(graph->arena, ones, spatial),
                                  rl_arg_int(channels)};
    const enum rl_op_id op = rank == 3 ? RL_OP_aten_conv1d : RL_OP_aten_conv2d;
    rl_node_set(node, "input", rl_arg_value(rl_build(&at, op, &input->type, args, 7)));
    return true;
}

// A batch norm of vectors becomes one of images of one pixel, and one of volumes one of images of their planes' rows.
static bool view_as_images(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *input = rl_node_tensor(node, "input");
    const int rank = input->type.rank;
    if ((rank != 2 && rank != 5) || input->type.dtype != RL_FLOAT32 || rl_node_bool(node, "training")) {
        return false;
    }
    const int64_t *from = input->type.sizes;
    const int64_t sizes[4] = {from[0], from[1], rank == 5 ? from[2] * from[3] : 1, rank == 5 ? from[4] : 1};
    struct rl_value *image = rl_build_view(&at, input, 4, sizes);
    struct rl_value *norm = rl_build(&at, node->op, &image->type, node->args, node->arg_count);
    rl_node_set(norm->producer, "input", rl_arg_value(image));
    rl_build_end_view(&at, norm);
    return true;
}

enum rl_status rl_pass_convolve_batch_norm(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_batch_norm, view_as_images);
    rl_lower_each(pass, RL_OP_aten_batch_norm, put_convolution_before);
    return rl_pass_fold_batch_norm(pass);
}
