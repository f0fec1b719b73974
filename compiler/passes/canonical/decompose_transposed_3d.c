// SPDX-License-Identifier: Apache-2.0
//
// decompose_transposed_3d: transposed convolutions of volumes become convolutions of the volume with zeros between its
// elements.
//   needs   functional operators
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { SPATIAL = 3, RANK = 5 };

// Of strides, dilations and kernels.
enum { LARGEST = 1 << 15 };

struct geometry {
    int64_t stride[SPATIAL], padding[SPATIAL], extra[SPATIAL], dilation[SPATIAL], groups;
    int64_t border[SPATIAL]; // padding of the convolution
};

static bool read_side(struct geometry *geometry, int i, int64_t kernel)
{
    if (geometry->stride[i] < 1 || geometry->stride[i] > LARGEST || geometry->dilation[i] < 1 ||
        geometry->dilation[i] > LARGEST || geometry->padding[i] < 0 || kernel < 1 || kernel > LARGEST ||
        geometry->extra[i] < 0 || geometry->extra[i] >= geometry->stride[i]) {
        return false;
    }
    geometry->border[i] = geometry->dilation[i] * (kernel - 1) - geometry->padding[i];
    return geometry->border[i] >= 0;
}

static bool read_geometry(const struct rl_node *node, struct geometry *geometry)
{
    const struct rl_value *weight = rl_node_tensor(node, "weight"), *volume = rl_node_tensor(node, "input");
    const struct rl_tensor_type *result = &node->results[0]->type;
    double elements = (double)rl_tensor_numel(&volume->type); // of the volume with zeros
    geometry->groups = rl_node_int(node, "groups");
    if (weight->kind != RL_VALUE_CONSTANT || rl_value_is_state(weight) || weight->type.rank != RANK ||
        weight->type.dtype != RL_FLOAT32 || volume->type.rank != RANK || result->rank != RANK ||
        volume->type.dtype != RL_FLOAT32 || geometry->groups < 1 || weight->type.sizes[0] % geometry->groups != 0 ||
        weight->type.sizes[0] != volume->type.sizes[1] ||
        result->sizes[1] != weight->type.sizes[1] * geometry->groups || rl_tensor_numel(result) == 0 ||
        !rl_node_ints(node, "stride", SPATIAL, 1, geometry->stride) ||
        !rl_node_ints(node, "padding", SPATIAL, 0, geometry->padding) ||
        !rl_node_ints(node, "output_padding", SPATIAL, 0, geometry->extra) ||
        !rl_node_ints(node, "dilation", SPATIAL, 1, geometry->dilation)) {
        return false;
    }
    for (int i = 0; i < SPATIAL; i++) {
        if (!read_side(geometry, i, weight->type.sizes[2 + i])) {
            return false;
        }
        elements *= (double)geometry->stride[i];
    }
    return elements > 0.0 && elements <= INT32_MAX;
}

// The volume with stride - 1 zeros behind each element, cut behind the last one and the extra zeros.
static struct rl_value *spread(const struct rl_build *at, struct rl_value *value, const struct geometry *geometry)
{
    for (int i = 0; i < SPATIAL; i++) {
        const int64_t stride = geometry->stride[i], count = value->type.sizes[2 + i];
        int64_t sizes[RANK], outer = 1, inner = 1;
        for (int d = 0; d < RANK; d++) {
            sizes[d] = value->type.sizes[d];
            outer *= d < 2 + i ? sizes[d] : 1;
            inner *= d > 2 + i ? sizes[d] : 1;
        }
        if (stride == 1) {
            continue;
        }
        const int64_t apart[4] = {outer, count, 1, inner}, amounts[4] = {0, 0, 0, stride - 1};
        struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, apart);
        type.sizes[2] = stride;
        const struct rl_arg args[] = {rl_arg_value(rl_build_view(at, value, 4, apart)),
                                      rl_arg_ints(at->graph->arena, amounts, 4), rl_arg_double(0.0)};
        sizes[2 + i] = count * stride;
        value = rl_build_view(at, rl_build(at, RL_OP_aten_constant_pad_nd, &type, args, 3), RANK, sizes);
        value = rl_build_slice(at, value, 2 + i, 0, (count - 1) * stride + 1 + geometry->extra[i]);
    }
    return value;
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t ones[SPATIAL] = {1, 1, 1};
    struct rl_arena *arena = pass->graph->arena;
    const struct rl_build at = {pass->graph, node};
    struct geometry geometry;
    if (!read_geometry(node, &geometry)) {
        return rl_decline(pass->graph, node,
                          "weights that are not constant, no batch, or more padding than its kernel reaches");
    }
    if (rl_quantizes_as_stock(pass)) {
        rl_decline(pass->graph, node, "the stock quantizer leaves operators on volumes in floating point");
    }
    struct rl_value *weight = rl_build_turned(&at, rl_node_tensor(node, "weight"), geometry.groups);
    const struct rl_arg args[] = {rl_arg_value(spread(&at, rl_node_tensor(node, "input"), &geometry)),
                                  rl_arg_value(weight),
                                  *rl_node_arg(node, "bias"),
                                  rl_arg_ints(arena, ones, SPATIAL),
                                  rl_arg_ints(arena, geometry.border, SPATIAL),
                                  rl_arg_ints(arena, geometry.dilation, SPATIAL),
                                  rl_arg_int(geometry.groups)};
    rl_build_end(&at, RL_OP_aten_conv3d, args, 7);
    return true;
}

enum rl_status rl_pass_decompose_transposed_3d(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv_transpose3d_input, decompose);
    return RL_OK;
}
