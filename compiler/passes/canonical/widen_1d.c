// SPDX-License-Identifier: Apache-2.0
//
// widen_1d: operators on sequences [N, C, L] become those on images [N, C, 1, L] of one row, for which there are
// integer kernels.
//   needs   batch norms folded (fold_batch_norm)
//   keeps   values; the names of the results
//   breaks  nothing
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *as_image(const struct rl_build *at, struct rl_value *value)
{
    const int64_t *sizes = value->type.sizes;
    const int64_t wide[4] = {sizes[0], sizes[1], 1, sizes[2]};
    return rl_build_view(at, value, 4, wide);
}

static struct rl_tensor_type image_type(const struct rl_tensor_type *type)
{
    const int64_t wide[4] = {type->sizes[0], type->sizes[1], 1, type->sizes[2]};
    return rl_tensor_type_make(type->dtype, 4, wide);
}

// Converts an int[1] to an int[2], with `row` for the single row. False for a list of another length.
static bool widened(const struct rl_build *at, const char *name, int64_t row, int64_t fallback, struct rl_arg *arg)
{
    int64_t pair[2] = {row, 0};
    if (!rl_node_ints(at->node, name, 1, fallback, &pair[1])) {
        return false;
    }
    *arg = rl_arg_ints(at->graph->arena, pair, 2);
    return true;
}

static bool is_sequence(const struct rl_node *node)
{
    return node->args[0].as.value->type.rank == 3 && node->results[0]->type.rank == 3;
}

static bool decline_rank(struct rl_graph *graph, struct rl_node *node)
{
    return rl_decline(graph, node, "a sequence of rank %d; accepted: 3", node->args[0].as.value->type.rank);
}

// What the stock quantizer does not take: the nodes that are built from now on carry the reason. For an explicit layout
// it takes convolutions.
static void leave_to_stock(const struct rl_pass *pass, struct rl_node *node)
{
    const bool takes = pass->options->explicit_layout && node->op == RL_OP_aten_conv1d;
    if (rl_quantizes_as_stock(pass) && !takes) {
        rl_decline(pass->graph, node, "the stock quantizer leaves operators on sequences in floating point");
    }
}

static struct rl_value *constant_as_image(struct rl_graph *graph, const struct rl_value *constant)
{
    static const int same[3] = {0, 1, 2};
    const struct rl_tensor_type wide = image_type(&constant->type);
    struct rl_value *image = rl_constant_permuted(graph, constant, same, constant->name); // row-major
    image->type = wide;
    return image;
}

// The weight with a row. Where it is a dequantized constant, it stays one; its channels are dimension 0 or 1.
static struct rl_value *weight_as_image(const struct rl_build *at, struct rl_value *weight)
{
    if (weight->kind == RL_VALUE_CONSTANT) {
        return constant_as_image(at->graph, weight);
    }
    const struct rl_node *node = weight->kind == RL_VALUE_RESULT ? weight->producer : NULL;
    if (!node || rl_op_get(node->op)->dialect != RL_DIALECT_QUANTIZED_DECOMPOSED ||
        node->args[0].as.value->kind != RL_VALUE_CONSTANT) {
        return as_image(at, weight);
    }
    const struct rl_tensor_type type = image_type(&weight->type);
    struct rl_value *image = rl_build(at, node->op, &type, node->args, node->arg_count);
    image->producer->args[0] = rl_arg_value(constant_as_image(at->graph, node->args[0].as.value));
    return image;
}

static bool widen_conv(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *weight = rl_node_tensor(node, "weight");
    struct rl_arg stride;
    struct rl_arg padding;
    struct rl_arg dilation;
    if (!is_sequence(node) || weight->type.rank != 3) {
        return decline_rank(graph, node);
    }
    if (!widened(&at, "stride", 1, 1, &stride) || !widened(&at, "padding", 0, 0, &padding) ||
        !widened(&at, "dilation", 1, 1, &dilation)) {
        return rl_decline(graph, node, "stride, padding or dilation of an unexpected length");
    }
    leave_to_stock(pass, node);
    weight = weight_as_image(&at, weight);
    const struct rl_tensor_type type = image_type(&node->results[0]->type);
    struct rl_arg args[8] = {rl_arg_value(as_image(&at, node->args[0].as.value)),
                             rl_arg_value(weight),
                             *rl_node_arg(node, "bias"),
                             stride,
                             padding,
                             dilation,
                             *rl_node_arg(node, "groups")};
    if (node->op == RL_OP_aten_conv1d) {
        rl_build_end_view(&at, rl_build(&at, RL_OP_aten_conv2d, &type, args, 7));
        return true;
    }
    args[7] = dilation;
    if (!widened(&at, "output_padding", 0, 0, &args[5])) {
        return rl_decline(graph, node, "output padding of an unexpected length");
    }
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_conv_transpose2d_input, &type, args, 8));
    return true;
}

static bool widen_pool(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const bool is_max = node->op == RL_OP_aten_max_pool1d;
    struct rl_arg kernel;
    struct rl_arg stride;
    struct rl_arg padding;
    struct rl_arg dilation;
    if (!is_sequence(node)) {
        return decline_rank(graph, node);
    }
    if (!widened(&at, "kernel_size", 1, 1, &kernel) || !widened(&at, "padding", 0, 0, &padding) ||
        !widened(&at, "stride", 1, kernel.as.integers[1], &stride) ||
        (is_max && !widened(&at, "dilation", 1, 1, &dilation))) {
        return rl_decline(graph, node, "kernel, stride, padding or dilation of an unexpected length");
    }
    leave_to_stock(pass, node);
    const struct rl_tensor_type type = image_type(&node->results[0]->type);
    const struct rl_arg ceil_mode = *rl_node_arg(node, "ceil_mode");
    struct rl_arg args[] = {
        rl_arg_value(as_image(&at, node->args[0].as.value)), kernel, stride, padding, ceil_mode, ceil_mode};
    if (is_max) {
        args[4] = dilation;
    } else {
        args[5] = *rl_node_arg(node, "count_include_pad");
    }
    rl_build_end_view(&at, rl_build(&at, is_max ? RL_OP_aten_max_pool2d : RL_OP_aten_avg_pool2d, &type, args, 6));
    return true;
}

static bool widen_adaptive(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    if (!is_sequence(node)) {
        return decline_rank(graph, node);
    }
    leave_to_stock(pass, node);
    const struct rl_tensor_type type = image_type(&node->results[0]->type);
    const int64_t output[2] = {1, node->results[0]->type.sizes[2]};
    const struct rl_arg args[] = {rl_arg_value(as_image(&at, node->args[0].as.value)),
                                  rl_arg_ints(graph->arena, output, 2)};
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_adaptive_avg_pool2d, &type, args, 2));
    return true;
}

static bool widen_upsample(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    if (!is_sequence(node)) {
        return decline_rank(graph, node);
    }
    const struct rl_tensor_type type = image_type(&node->results[0]->type);
    const struct rl_arg *factors = rl_node_arg(node, "scale_factors");
    const bool is_linear = node->op == RL_OP_aten_upsample_linear1d_vec;
    const int last = is_linear ? 3 : 2; // the place of the factors
    struct rl_arg args[4] = {rl_arg_value(as_image(&at, node->args[0].as.value))};
    if (is_linear) {
        args[2] = *rl_node_arg(node, "align_corners");
    }
    if (factors->kind == RL_ARG_DOUBLES && factors->count == 1) {
        const double pair[2] = {1.0, factors->as.numbers[0]};
        args[last] = rl_arg_doubles(graph->arena, pair, 2);
    } else {
        args[1] = rl_arg_ints(graph->arena, &type.sizes[2], 2);
    }
    const enum rl_op_id op = is_linear ? RL_OP_aten_upsample_bilinear2d_vec : RL_OP_aten_upsample_nearest2d_vec;
    rl_build_end_view(&at, rl_build(&at, op, &type, args, last + 1));
    return true;
}

// ---- views between two such operators

// Whether `part` is `image` without its batch of one, without its single row, or without both.
static bool leaves_out_ones(const struct rl_tensor_type *image, const struct rl_tensor_type *part)
{
    static const bool left_out[3][4] = {
        {true, false, false, false}, {false, false, true, false}, {true, false, true, false}};
    for (int way = 0; way < 3; way++) {
        bool same = true;
        int at = 0;
        for (int i = 0; i < 4; i++) {
            const bool is_out = left_out[way][i];
            same = same && (is_out ? image->sizes[i] == 1 : at < part->rank && image->sizes[i] == part->sizes[at]);
            at += is_out ? 0 : 1;
        }
        if (same && at == part->rank) {
            return true;
        }
    }
    return false;
}

// The image that only this input of `node`, a sequence or an image without a batch (add_batch), is a view of; NULL when
// it is not.
static struct rl_value *image_behind(const struct rl_graph *graph, const struct rl_node *node)
{
    const struct rl_value *sequence = node->args[0].as.value;
    if (sequence->kind != RL_VALUE_RESULT || sequence->producer->op != RL_OP_aten_view_copy ||
        rl_value_only_user(graph, sequence) != node) {
        return NULL;
    }
    struct rl_value *image = rl_node_tensor(sequence->producer, "self");
    return image->type.rank == 4 && leaves_out_ones(&image->type, &sequence->type) ? image : NULL;
}

// An activation of the sequence becomes one of the image, so that it can be fused into what made that.
static void widen_activation(struct rl_graph *graph, struct rl_node *node, struct rl_value *image)
{
    const struct rl_build at = {graph, node};
    node->args[0] = rl_arg_value(image);
    rl_build_end_view(&at, rl_build(&at, node->op, &image->type, node->args, node->arg_count));
}

static void join_views(struct rl_graph *graph)
{
    struct rl_node *next;
    for (struct rl_node *node = graph->first; node; node = next) {
        next = node->next;
        if (rl_op_get(node->op)->is_activation) {
            struct rl_value *image = image_behind(graph, node);
            if (image) {
                widen_activation(graph, node, image);
            }
        } else if (node->op == RL_OP_aten_view_copy) {
            struct rl_value *behind = image_behind(graph, node);
            if (behind) {
                rl_node_set(node, "self", rl_arg_value(behind));
                if (rl_tensor_same_sizes(&behind->type, &node->results[0]->type)) {
                    rl_replace_node(graph, node, behind);
                }
            }
        }
    }
    rl_graph_remove_dead(graph);
}

enum rl_status rl_pass_widen_1d(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_conv1d, widen_conv},
        {RL_OP_aten_conv_transpose1d, widen_conv},
        {RL_OP_aten_avg_pool1d, widen_pool},
        {RL_OP_aten_max_pool1d, widen_pool},
        {RL_OP_aten_adaptive_avg_pool1d, widen_adaptive},
        {RL_OP_aten_upsample_nearest1d_vec, widen_upsample},
        {RL_OP_aten_upsample_linear1d_vec, widen_upsample},
    };

    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    join_views(pass->graph);
    return RL_OK;
}
