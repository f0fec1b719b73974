// SPDX-License-Identifier: Apache-2.0
//
// compose_layers: operators without an integer kernel become several that have one.
//   needs   canonical operators
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   glu                             the first half times the sigmoid of the second
//   prelu with a slope a channel    rushlight::prelu; in a program that has no kernel for that, the larger one of x and
//                                   x times the slope if no slope is outside of 0 to 1, else relu(x) plus the slope
//                                   times the rest; the slopes are a depthwise convolution
//   prelu with one slope, leaky_relu   rushlight::prelu behind a convolution, with which it may become one operator
//   embedding                       selected rows of the table
//   bags of embeddings              embeddings, and a sum, mean or maximum of each bag
//   adaptive averages               of windows of different sizes: averages of slices, along rows and columns
//
// Runs only if the graph will be quantized.
#include "compiler/passes/passes.h"

#include "compiler/passes/portable/lookup.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/gate.h"
#include "compiler/passes/rewrite/geometry.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

// ---- prelu

// Each channel of the image times its slope.
static struct rl_value *sloped(const struct rl_build *at, struct rl_value *image, const struct rl_value *slopes)
{
    static const int64_t ones[2] = {1, 1}, zeros[2] = {0, 0};
    static const int in_order[1] = {0};
    const int64_t sizes[4] = {image->type.sizes[1], 1, 1, 1};
    struct rl_arena *arena = at->graph->arena;
    struct rl_value *weight = rl_constant_permuted(at->graph, slopes, in_order, slopes->name);
    weight->type = rl_tensor_type_make(RL_FLOAT32, 4, sizes);
    const struct rl_arg args[] = {
        rl_arg_value(image),         rl_arg_value(weight),         (struct rl_arg){.kind = RL_ARG_NONE},
        rl_arg_ints(arena, ones, 2), rl_arg_ints(arena, zeros, 2), rl_arg_ints(arena, ones, 2),
        rl_arg_int(sizes[0])};
    return rl_build(at, RL_OP_aten_conv2d, &image->type, args, 7);
}

static bool are_shares(const struct rl_value *slopes)
{
    const float *data = slopes->data;
    for (int64_t i = 0; i < slopes->type.sizes[0]; i++) {
        if (!(data[i] >= 0.0f && data[i] <= 1.0f)) {
            return false;
        }
    }
    return true;
}

// Whether the program may have the operator for int8.
static bool has_prelu(const struct rl_pass *pass)
{
    return pass->options->target.flow != RL_FLOW_EXECUTORCH && pass->options->quantization != RL_QUANTIZE_A16W8;
}

// What a PReLU takes: of a sequence that a view makes of an image of one row, which nothing else reads, the image, so
// that the PReLU is next to what computes it.
static struct rl_value *operand_of(const struct rl_pass *pass, const struct rl_node *node)
{
    struct rl_value *x = rl_node_tensor(node, "self");
    const struct rl_node *view = x->kind == RL_VALUE_RESULT ? x->producer : NULL;
    if (!view || view->op != RL_OP_aten_view_copy || x->type.rank != 3 || rl_value_only_user(pass->graph, x) != node) {
        return x;
    }
    struct rl_value *image = rl_node_tensor(view, "self");
    const int64_t *sizes = image->type.sizes;
    const bool is_row = image->type.rank == 4 && sizes[0] == x->type.sizes[0] && sizes[1] == x->type.sizes[1] &&
                        sizes[2] == 1 && rl_value_only_user(pass->graph, image) == view;
    return is_row ? image : x;
}

static void become_prelu(const struct rl_pass *pass, struct rl_node *node, struct rl_value *slopes)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = operand_of(pass, node);
    const struct rl_arg args[] = {rl_arg_value(x), rl_arg_value(rl_build_constant(&at, 1, slopes->type.sizes, 1.0)),
                                  rl_arg_value(slopes)};
    if (x == rl_node_tensor(node, "self")) {
        rl_build_end(&at, RL_OP_rl_prelu, args, 3);
    } else {
        struct rl_value *image = rl_build(&at, RL_OP_rl_prelu, &x->type, args, 3), *sequence = node->results[0];
        rl_build_end_view(&at, image);
        if (!rl_value_is_output(pass->graph, sequence)) { // the model's name for what is computed
            const char *name = sequence->name;
            sequence->name = image->name;
            image->name = name;
        }
    }
}

// Whether the value is that of a convolution without groups that nothing else reads, with which a PReLU may become one
// operator.
static bool follows_convolution(const struct rl_pass *pass, const struct rl_node *node)
{
    const struct rl_value *x = operand_of(pass, node);
    const struct rl_node *conv = x->kind == RL_VALUE_RESULT ? x->producer : NULL;
    if (!conv || conv->op != RL_OP_aten_conv2d || rl_node_int(conv, "groups") != 1 || x->type.dtype != RL_FLOAT32 ||
        rl_value_use_count(pass->graph, x) != 1) {
        return false;
    }
    switch (pass->options->target.isa) { // rl_convolution_prelu_pays
    case RL_ISA_DSP:
        return x->type.sizes[1] % 4 == 0;
    case RL_ISA_ANY:
        return rl_geometry_prelu_pays(conv);
    default:
        return true;
    }
}

// Elsewhere one slope for all channels is a table of results.
static bool compose_leaky_relu(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const int64_t one = 1;
    if (!has_prelu(pass) || !follows_convolution(pass, node)) {
        return false;
    }
    become_prelu(pass, node, rl_build_constant(&at, 1, &one, rl_node_number(node, "negative_slope")));
    return true;
}

static bool compose_prelu(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "self");
    struct rl_value *slopes = rl_node_tensor(node, "weight");
    const int rank = x->type.rank;
    if (slopes->kind != RL_VALUE_CONSTANT || slopes->type.rank != 1 || rank < 2 || x->type.dtype != RL_FLOAT32 ||
        slopes->type.dtype != RL_FLOAT32) {
        return false;
    }
    if (slopes->type.sizes[0] == 1 && has_prelu(pass) && follows_convolution(pass, node)) {
        become_prelu(pass, node, slopes);
        return true;
    }
    if (slopes->type.sizes[0] < 2 || slopes->type.sizes[0] != x->type.sizes[1]) {
        return false;
    }
    if (has_prelu(pass)) {
        become_prelu(pass, node, slopes);
        return true;
    }
    if (rank > 4) {
        return false;
    }
    const int64_t sizes[4] = {x->type.sizes[0], x->type.sizes[1], rank == 4 ? x->type.sizes[2] : 1,
                              rank == 2 ? 1 : x->type.sizes[rank - 1]};
    struct rl_value *image = rank == 4 ? x : rl_build_view(&at, x, 4, sizes), *result;
    if (are_shares(slopes)) {
        result = rl_build_binary(&at, RL_OP_aten_maximum, image, sloped(&at, image, slopes));
    } else {
        const struct rl_arg below[] = {rl_arg_value(image), (struct rl_arg){.kind = RL_ARG_NONE}, rl_arg_double(0.0)};
        struct rl_value *negative = rl_build(&at, RL_OP_aten_clamp, &image->type, below, 3);
        struct rl_value *positive = rl_build_unary(&at, RL_OP_aten_relu, image);
        result = rl_build_binary(&at, RL_OP_aten_add, positive, sloped(&at, negative, slopes));
    }
    if (rank != 4) {
        rl_build_end_view(&at, result);
        return true;
    }
    rl_build_result(&at, 0, result);
    rl_graph_remove(pass->graph, node);
    return true;
}

// ---- embedding

static bool compose_embedding(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *table = rl_node_tensor(node, "weight"), *places = rl_node_tensor(node, "indices");
    if (table->kind != RL_VALUE_CONSTANT || rl_value_is_state(table) || table->type.rank != 2 ||
        table->type.dtype != RL_FLOAT32 || (places->type.dtype != RL_INT64 && places->type.dtype != RL_INT32)) {
        return false;
    }
    const int64_t sizes[2] = {rl_tensor_numel(&places->type), table->type.sizes[1]};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    struct rl_value *flat = places->type.rank == 1 ? places : rl_build_view(&at, places, 1, sizes);
    const struct rl_arg args[] = {rl_arg_value(table), rl_arg_int(0), rl_arg_value(flat)};
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_index_select, &type, args, 3));
    return true;
}

// ---- adaptive averages

// Each window takes two nodes; beyond this number the pool stays as it is.
enum { MOST_WINDOWS = 64 };

static struct rl_value *average(const struct rl_build *at, struct rl_value *image, int dim)
{
    static const int64_t ones[2] = {1, 1}, zeros[2] = {0, 0};
    int64_t kernel[2] = {1, 1};
    kernel[dim - 2] = image->type.sizes[dim];
    struct rl_tensor_type type = image->type;
    type.sizes[dim] = 1;
    const struct rl_arg args[] = {rl_arg_value(image), rl_arg_ints(at->graph->arena, kernel, 2),
                                  rl_arg_ints(at->graph->arena, ones, 2), rl_arg_ints(at->graph->arena, zeros, 2)};
    return kernel[dim - 2] == 1 ? image : rl_build(at, RL_OP_aten_avg_pool2d, &type, args, 4);
}

static struct rl_value *averages(const struct rl_build *at, struct rl_value *image, int dim, int64_t count)
{
    struct rl_value *parts[MOST_WINDOWS];
    const int64_t size = image->type.sizes[dim];
    if (count == size) {
        return image;
    }
    for (int64_t i = 0; i < count; i++) {
        parts[i] = average(
            at, rl_build_slice(at, image, dim, rl_adaptive_begin(size, count, i), rl_adaptive_end(size, count, i)),
            dim);
    }
    return rl_build_cat(at, parts, (int)count, dim);
}

static bool compose_averages(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *image = rl_node_tensor(node, "self");
    const int64_t *from = image->type.sizes, *to = node->results[0]->type.sizes;
    if (image->type.rank != 4 || node->results[0]->type.rank != 4 || rl_tensor_numel(&image->type) == 0) {
        return false;
    }
    bool is_even = true;
    for (int d = 2; d < 4; d++) {
        if (to[d] < 1 || to[d] > MOST_WINDOWS || from[d] > INT32_MAX) {
            return false;
        }
        is_even = is_even && from[d] % to[d] == 0;
    }
    if (is_even) {
        return false; // decompose_mean makes one pool of it
    }
    rl_build_result(&at, 0, averages(&at, averages(&at, image, 2, to[2]), 3, to[3]));
    rl_graph_remove(pass->graph, node);
    return true;
}

enum rl_status rl_pass_compose_layers(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_glu, rl_decompose_glu},          {RL_OP_aten_prelu, compose_prelu},
        {RL_OP_aten_leaky_relu, compose_leaky_relu}, {RL_OP_aten_embedding_bag_padding_idx, rl_decompose_bags},
        {RL_OP_aten_embedding, compose_embedding},   {RL_OP_aten_adaptive_avg_pool2d, compose_averages},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
