// SPDX-License-Identifier: Apache-2.0
//
// fuse_prelu: an integer convolution and the PReLU behind it become rushlight::quantized_conv2d_prelu, which rounds its
// sums once.
//   needs   integer operators with constant numbers; channels dropped (drop_channels), which looks at both apart
//   keeps   values, but for what the convolution rounded and clamped; the name of the PReLU's value
//   breaks  nothing
//
// The scale of a channel's sums is that of the convolution times the factor of the PReLU. The kernels decide which
// layers gain (rl_convolution_prelu_pays).
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/geometry.h"
#include "compiler/passes/rewrite/integer_layer.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

enum { FACTOR_BITS = 8, LEAST_SHIFT = -22, MOST_SHIFT = -2 };

// The convolution whose result the PReLU alone takes, or NULL.
static struct rl_node *convolution_before(const struct rl_graph *graph, const struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    struct rl_node *conv = input->kind == RL_VALUE_RESULT ? input->producer : NULL;
    const bool fits = conv && conv->op == RL_OP_cm_quantized_conv2d && rl_is_integer_layer(conv) &&
                      rl_node_tensor(conv, "weight")->type.sizes[3] == rl_node_tensor(conv, "input")->type.sizes[1] &&
                      rl_node_int(conv, "activation_min") == INT8_MIN &&
                      rl_node_int(conv, "activation_max") == INT8_MAX &&
                      rl_node_int(conv, "output_offset") == rl_node_int(node, "input_zero_point");
    return fits && rl_value_only_user(graph, input) == node ? conv : NULL;
}

// Whether all scales are constants that fit the channels.
static bool are_constant(const struct rl_node *conv, const struct rl_node *node, int64_t channels)
{
    const struct rl_value *positive = rl_node_tensor(node, "positive_multipliers");
    const struct rl_value *negative = rl_node_tensor(node, "negative_multipliers");
    if (!rl_node_tensor(conv, "requantize_multipliers") || !rl_node_tensor(conv, "requantize_shifts") ||
        !rl_is_integer_constant(positive, RL_INT16) || !rl_is_integer_constant(negative, RL_INT16)) {
        return false;
    }
    const int64_t count = rl_tensor_numel(&positive->type);
    return rl_tensor_numel(&negative->type) == count && (count == 1 || count == channels);
}

static bool pays(const struct rl_pass *pass, const struct rl_node *conv)
{
    struct rl_convolution layer = rl_geometry_convolution(conv);
    layer.weights = rl_node_tensor(conv, "weight")->data;
    return rl_convolution_prepare(&layer) == RL_OK && rl_convolution_prelu_pays(&layer, pass->options->target.isa);
}

// The factor of a channel, for sums of 0 and more or for negative ones.
static double factor_of(const struct rl_node *node, const char *factors, int64_t channel)
{
    const struct rl_value *value = rl_node_tensor(node, factors);
    const int16_t *numbers = value->data;
    return ldexp(numbers[rl_tensor_numel(&value->type) == 1 ? 0 : channel],
                 -FACTOR_BITS - (int)rl_node_int(node, "prelu_shift"));
}

static int32_t fixed(double real, int shift)
{
    return (int32_t)fmin(nearbyint(ldexp(real, 31 - shift)), INT32_MAX);
}

// Computes both multipliers and the shift of each channel. False if a scale is too large.
static bool find_scales(const struct rl_node *conv, const struct rl_node *node, int64_t channels, int32_t *multipliers,
                        int32_t *shifts)
{
    const int32_t *own = rl_node_tensor(conv, "requantize_multipliers")->data;
    const int32_t *own_shifts = rl_node_tensor(conv, "requantize_shifts")->data;
    for (int64_t c = 0; c < channels; c++) {
        const double scale = ldexp(own[c], own_shifts[c] - 31);
        const double positive = scale * factor_of(node, "positive_multipliers", c);
        const double negative = scale * factor_of(node, "negative_multipliers", c);
        const struct rl_multiplier larger = rl_multiplier_of(fmax(fabs(positive), fabs(negative)));
        if (larger.multiplier != 0 && larger.shift > MOST_SHIFT) {
            return false;
        }
        shifts[c] = larger.multiplier == 0 || larger.shift < LEAST_SHIFT ? LEAST_SHIFT : larger.shift;
        multipliers[c] = fixed(positive, shifts[c]);
        multipliers[channels + c] = fixed(negative, shifts[c]);
    }
    return true;
}

static bool fuse(const struct rl_pass *pass, struct rl_node *node)
{
    static const char *const taken[] = {"input",   "weight",   "bias",         "stride",
                                        "padding", "dilation", "input_offset", "scratch"};
    struct rl_graph *graph = pass->graph;
    struct rl_node *conv = convolution_before(graph, node);
    if (!conv || pass->options->explicit_layout || !pays(pass, conv)) {
        return false;
    }
    const int64_t channels = rl_node_tensor(conv, "weight")->type.sizes[0];
    if (!are_constant(conv, node, channels)) {
        return false;
    }
    int32_t *multipliers = rl_arena_array(graph->arena, 2 * (size_t)channels, sizeof *multipliers);
    int32_t *shifts = rl_arena_array(graph->arena, (size_t)channels, sizeof *shifts);
    if (!find_scales(conv, node, channels, multipliers, shifts)) {
        return false;
    }
    const int64_t zero_point = rl_node_int(node, "output_zero_point");
    rl_node_become(graph, node, RL_OP_rl_quantized_conv2d_prelu);
    node->name = conv->name;
    node->origin = conv->origin;
    node->layer = conv->layer;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        rl_node_set(node, taken[i], *rl_node_arg(conv, taken[i]));
    }
    struct rl_value *scale = rl_int32_vector(graph, conv->name, "multipliers", multipliers, 2 * channels);
    struct rl_value *shift = rl_int32_vector(graph, conv->name, "shifts", shifts, channels);
    rl_node_set(node, "requantize_multipliers", rl_arg_value(scale));
    rl_node_set(node, "requantize_shifts", rl_arg_value(shift));
    rl_node_set(node, "output_offset", rl_arg_int(zero_point));
    rl_node_set(node, "activation_min", rl_arg_int(INT8_MIN));
    rl_node_set(node, "activation_max", rl_arg_int(INT8_MAX));
    return true;
}

enum rl_status rl_pass_fuse_prelu(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_rl_quantized_prelu, fuse);
    return RL_OK;
}
