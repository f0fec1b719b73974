// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/geometry.h"

// Bound on the products below, so that the kernels' size formulas, at most some hundred times as large, fit int32.
enum { MAX_ELEMENTS = INT32_MAX / 512 };

// Where a node's images have their height, width and channels.
struct image_dims {
    int h, w, c;
};

static struct image_dims dims_of(const struct rl_node *node)
{
    const struct image_dims nchw = {2, 3, 1}, nhwc = {1, 2, 3};

    return rl_op_get(node->op)->layout == RL_LAYOUT_CHANNELS_LAST ? nchw : nhwc;
}

struct rl_image rl_geometry_image(const struct rl_node *node, const struct rl_tensor_type *type)
{
    const struct image_dims dims = dims_of(node);

    return (struct rl_image){.n = (int32_t)type->sizes[0],
                             .h = (int32_t)type->sizes[dims.h],
                             .w = (int32_t)type->sizes[dims.w],
                             .c = (int32_t)type->sizes[dims.c]};
}

static struct rl_extent extent(const struct rl_node *node, const char *name, int64_t fallback)
{
    int64_t hw[2] = {fallback, fallback};

    rl_node_ints(node, name, 2, fallback, hw);
    return (struct rl_extent){.h = (int32_t)hw[0], .w = (int32_t)hw[1]};
}

bool rl_is_winograd(const struct rl_node *node)
{
    return node->op == RL_OP_rl_quantized_conv2d_winograd || node->op == RL_OP_rl_quantized_conv2d_winograd_nhwc;
}

struct rl_geometry rl_geometry_of(const struct rl_node *node)
{
    const int64_t *filter = rl_node_tensor(node, "weight")->type.sizes;
    const int32_t more = rl_is_winograd(node) ? 1 : 0; // rows and columns of a transformed filter

    return (struct rl_geometry){
        .input = rl_geometry_image(node, &rl_node_tensor(node, "input")->type),
        .filter = {(int32_t)filter[0], (int32_t)filter[1] - more, (int32_t)filter[2] - more, (int32_t)filter[3]},
        .output = rl_geometry_image(node, &node->results[0]->type),
        .stride = extent(node, "stride", 1),
        .padding = extent(node, "padding", 0),
        .dilation = extent(node, "dilation", 1),
    };
}

// The kind of data of a convolution.
static enum rl_convolution_type type_of(const struct rl_node *node)
{
    if (rl_node_tensor(node, "input")->type.dtype == RL_INT16) {
        return RL_CONVOLUTION_S16_WIDE;
    }
    if (node->results[0]->type.dtype == RL_INT16) {
        return RL_CONVOLUTION_S8_S16;
    }
    if (rl_is_winograd(node)) {
        return RL_CONVOLUTION_WINOGRAD;
    }
    const bool is_prepacked = rl_op_get(node->op)->counts_as;
    if (node->op == RL_OP_rl_quantized_conv2d_prelu || node->op == RL_OP_rl_quantized_conv2d_prelu_prepacked) {
        return is_prepacked ? RL_CONVOLUTION_PREPACKED_PRELU : RL_CONVOLUTION_PRELU;
    }
    return is_prepacked ? RL_CONVOLUTION_PREPACKED : RL_CONVOLUTION_S8;
}

struct rl_convolution rl_geometry_convolution(const struct rl_node *node)
{
    const struct rl_geometry g = rl_geometry_of(node);

    return (struct rl_convolution){
        .type = type_of(node),
        .input = g.input,
        .output = g.output,
        .filter = {g.filter.h, g.filter.w},
        .stride = g.stride,
        .padding = g.padding,
        .dilation = g.dilation,
        .groups = g.filter.c > 0 ? g.input.c / g.filter.c : 0,
    };
}

// The number, limited to one beyond the bound, so that sums and products of a few fit 64 bits.
static int64_t bounded(int64_t number)
{
    const int64_t beyond = (int64_t)MAX_ELEMENTS + 1;
    if (number > beyond) {
        return beyond;
    }
    return number < -beyond ? -beyond : number;
}

// a * b, or one above the bound if the product exceeds it.
static int64_t bounded_product(int64_t a, int64_t b)
{
    return a > 0 && b > MAX_ELEMENTS / a ? (int64_t)MAX_ELEMENTS + 1 : a * b;
}

// The elements that the windows of one input row of a transposed convolution cover, and those of its filters.
static int64_t spread_elements(const struct rl_node *node)
{
    const int64_t *filter = rl_node_tensor(node, "weight")->type.sizes;
    int64_t stride[2] = {1, 1};

    rl_node_ints(node, "stride", 2, 1, stride);
    int64_t width = bounded_product(
        bounded(rl_node_tensor(node, "input")->type.sizes[dims_of(node).w]) + bounded(filter[2]), bounded(stride[1]));
    int64_t rows = bounded_product(bounded_product(width, filter[0]), bounded(filter[1]) + bounded(stride[0]));
    int64_t filters = bounded_product(bounded_product(filter[0], filter[1]), filter[2]);
    filters = bounded_product(filters, filter[3]);
    return rows > filters ? rows : filters;
}

// Elements under one filter, and of the padding beside a row.
static int64_t window_elements(const struct rl_node *node)
{
    const int64_t *filter = rl_node_tensor(node, "weight")->type.sizes;
    int64_t padding[2] = {0, 0};

    if (node->op == RL_OP_cm_quantized_transpose_conv2d) {
        return spread_elements(node);
    }

    rl_node_ints(node, "padding", 2, 0, padding);
    int64_t window = bounded_product(bounded_product(filter[1], filter[2]), filter[3]);
    int64_t beside = bounded_product(rl_node_tensor(node, "input")->type.sizes[dims_of(node).c],
                                     bounded(padding[0]) + bounded(padding[1]) + 1);
    return window > beside ? window : beside;
}

enum rl_status rl_geometry_check(struct rl_context *context, const struct rl_graph *graph, const struct rl_node *node)
{
    const struct rl_tensor_type *input = &rl_node_tensor(node, "input")->type;
    const struct rl_op *op = rl_op_get(node->op);
    bool is_pool = op->layer == RL_LAYER_AVG_POOL;

    if (input->rank != 4 || node->results[0]->type.rank != 4 ||
        (!is_pool && rl_node_tensor(node, "weight")->type.rank != 4)) {
        return rl_fail(context, RL_ERROR_TYPE, "%s: node '%s' (%s): expected tensors of rank 4, found %d and %d",
                       graph->source, node->name, op->name, input->rank, node->results[0]->type.rank);
    }
    if ((is_pool ? input->sizes[dims_of(node).c] : window_elements(node)) > MAX_ELEMENTS) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED,
                       "%s: node '%s' (%s): expected at most %d elements under a filter, found more", graph->source,
                       node->name, op->name, (int)MAX_ELEMENTS);
    }
    return RL_OK;
}

static bool is_small(struct rl_extent extent)
{
    const int32_t most = INT16_MAX;
    return extent.h >= 0 && extent.h <= most && extent.w >= 0 && extent.w <= most;
}

static bool fits(const struct rl_tensor_type *type)
{
    return type->rank == 4 && rl_tensor_numel(type) > 0 && rl_tensor_numel(type) <= MAX_ELEMENTS;
}

bool rl_geometry_prelu_pays(const struct rl_node *node)
{
    const struct rl_tensor_type *in = &rl_node_tensor(node, "input")->type, *out = &node->results[0]->type;
    const struct rl_tensor_type *weight = &rl_node_tensor(node, "weight")->type;
    if (!fits(in) || !fits(out) || !fits(weight)) {
        return false;
    }
    const int64_t *i = in->sizes, *o = out->sizes, *filter = weight->sizes;
    struct rl_convolution layer = {
        .type = RL_CONVOLUTION_S8,
        .input = {(int32_t)i[0], (int32_t)i[2], (int32_t)i[3], (int32_t)i[1]},
        .output = {(int32_t)o[0], (int32_t)o[2], (int32_t)o[3], (int32_t)o[1]},
        .filter = {(int32_t)filter[2], (int32_t)filter[3]},
        .stride = extent(node, "stride", 1),
        .padding = extent(node, "padding", 0),
        .dilation = extent(node, "dilation", 1),
        .groups = 1,
    };
    return is_small(layer.stride) && is_small(layer.padding) && is_small(layer.dilation) &&
           rl_convolution_prepare(&layer) == RL_OK && rl_convolution_prelu_pays(&layer, RL_ISA_ANY);
}
