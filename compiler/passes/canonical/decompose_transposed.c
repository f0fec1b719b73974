// SPDX-License-Identifier: Apache-2.0
//
// decompose_transposed: transposed convolutions with groups or dilation become convolutions of the image with zeros
// between its pixels, for which there is an integer kernel.
//   needs   sequences as images (widen_1d)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
// The weights are turned by half a turn, and their channels exchanged within each group. Runs only if the graph will be
// quantized.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// Of strides, dilations and kernels.
enum { LARGEST = 1 << 15 };

struct geometry {
    int64_t stride[2], padding[2], extra[2], dilation[2], groups;
    int64_t border[2]; // padding of the convolution
};

static bool read_geometry(const struct rl_node *node, struct geometry *geometry)
{
    const struct rl_value *weight = rl_node_tensor(node, "weight");
    const int64_t *kernel = weight->type.sizes + 2;
    double elements = (double)rl_tensor_numel(&node->args[0].as.value->type); // of the image with zeros
    geometry->groups = rl_node_int(node, "groups");
    if (weight->kind != RL_VALUE_CONSTANT || weight->type.rank != 4 || weight->type.dtype != RL_FLOAT32 ||
        geometry->groups < 1 || weight->type.sizes[0] % geometry->groups != 0 || node->results[0]->type.rank != 4 ||
        rl_tensor_numel(&node->results[0]->type) == 0 || !rl_node_ints(node, "stride", 2, 1, geometry->stride) ||
        !rl_node_ints(node, "padding", 2, 0, geometry->padding) ||
        !rl_node_ints(node, "output_padding", 2, 0, geometry->extra) ||
        !rl_node_ints(node, "dilation", 2, 1, geometry->dilation)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const bool fits = geometry->stride[i] >= 1 && geometry->stride[i] <= LARGEST && geometry->dilation[i] >= 1 &&
                          geometry->dilation[i] <= LARGEST && geometry->padding[i] >= 0 && kernel[i] >= 1 &&
                          kernel[i] <= LARGEST && geometry->extra[i] >= 0;
        if (!fits) {
            return false;
        }
        geometry->border[i] = geometry->dilation[i] * (kernel[i] - 1) - geometry->padding[i];
        if (geometry->border[i] < 0 || geometry->extra[i] >= geometry->stride[i]) {
            return false;
        }
        elements *= (double)geometry->stride[i];
    }
    return elements > 0.0 && elements <= INT32_MAX;
}

// [N, C, H, W] with stride - 1 zeros behind each pixel, cut behind the last one and the extra zeros. The steps are
// movements of rows and pixels of a channels-last image.
static struct rl_value *spread(const struct rl_build *at, struct rl_value *image, const struct geometry *geometry)
{
    static const int64_t there[4] = {0, 2, 3, 1}, back[4] = {0, 3, 1, 2};
    struct rl_value *value = rl_build_permute(at, image, there);
    const int64_t batch = value->type.sizes[0], channels = value->type.sizes[3];
    for (int i = 1; i >= 0; i--) { // pixels of a row first, then rows
        if (geometry->stride[i] == 1) {
            continue;
        }
        const int64_t outer = i == 1 ? value->type.sizes[0] * value->type.sizes[1] : value->type.sizes[0];
        const int64_t count = value->type.sizes[1 + i];
        const int64_t inner = rl_tensor_numel(&value->type) / outer / count;
        const int64_t apart[4] = {outer, count, 1, inner}, amounts[4] = {0, 0, 0, geometry->stride[i] - 1};
        struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, apart);
        type.sizes[2] = geometry->stride[i];
        const struct rl_arg args[] = {rl_arg_value(rl_build_view(at, value, 4, apart)),
                                      rl_arg_ints(at->graph->arena, amounts, 4), rl_arg_double(0.0)};
        int64_t sizes[4] = {batch, value->type.sizes[1], value->type.sizes[2], channels};
        sizes[1 + i] = count * geometry->stride[i];
        value = rl_build_view(at, rl_build(at, RL_OP_aten_constant_pad_nd, &type, args, 3), 4, sizes);
        value = rl_build_slice(at, value, 1 + i, 0, (count - 1) * geometry->stride[i] + 1 + geometry->extra[i]);
    }
    return rl_build_permute(at, value, back);
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_arena *arena = pass->graph->arena;
    const struct rl_build at = {pass->graph, node};
    static const int64_t ones[2] = {1, 1};
    struct geometry geometry;
    struct rl_value *image = node->args[0].as.value;
    if (!read_geometry(node, &geometry) || image->type.rank != 4 ||
        (geometry.groups == 1 && geometry.dilation[0] == 1 && geometry.dilation[1] == 1)) {
        return false;
    }
    const struct rl_arg bias = *rl_node_arg(node, "bias");
    struct rl_value *weight = rl_build_turned(&at, rl_node_tensor(node, "weight"), geometry.groups);
    const struct rl_arg args[] = {rl_arg_value(spread(&at, image, &geometry)),
                                  rl_arg_value(weight),
                                  bias,
                                  rl_arg_ints(arena, ones, 2),
                                  rl_arg_ints(arena, geometry.border, 2),
                                  rl_arg_ints(arena, geometry.dilation, 2),
                                  rl_arg_int(geometry.groups)};
    rl_build_end(&at, RL_OP_aten_conv2d, args, 7);
    return true;
}

enum rl_status rl_pass_decompose_transposed(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv_transpose2d_input, decompose);
    return RL_OK;
}
