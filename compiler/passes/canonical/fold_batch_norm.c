// SPDX-License-Identifier: Apache-2.0
//
// fold_batch_norm: a batch norm behind a convolution or linear layer is folded into its weights.
//   needs   canonical operators; float32 constants
//   keeps   values up to rounding; the name of the normalized value
//   breaks  the name of the convolution's own value, which no longer exists
//
// The arithmetic is that of torch.nn.utils.fusion (fuse_conv_bn_weights, fuse_linear_bn_weights): float32, in the same
// order, so that the weights, and with them the scales of a quantizer, are the same to the bit:
//   s = gamma * (1 / sqrt(variance + eps)),  weight' = weight * s,
//   bias' = (bias - mean) * (1 / sqrt(variance + eps)) * gamma + beta   (linear: (bias - mean) * s + beta)
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/canonical/batch_norm.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool is_float_vector(const struct rl_value *value, int64_t count)
{
    return value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32 &&
           rl_tensor_numel(&value->type) == count;
}

// Element of an optional vector, or `fallback` where the vector is missing.
static float element(const struct rl_value *vector, int64_t index, float fallback)
{
    return !vector ? fallback : ((const float *)vector->data)[index];
}

bool rl_batch_norm_read(const struct rl_node *node, int64_t channels, struct rl_batch_norm *norm)
{
    *norm = (struct rl_batch_norm){
        .gamma = rl_node_tensor(node, "weight"),
        .beta = rl_node_tensor(node, "bias"),
        .mean = rl_node_tensor(node, "running_mean"),
        .variance = rl_node_tensor(node, "running_var"),
        .eps = (float)rl_node_number(node, "eps"),
    };
    return norm->mean && is_float_vector(norm->mean, channels) && norm->variance &&
           is_float_vector(norm->variance, channels) && (!norm->gamma || is_float_vector(norm->gamma, channels)) &&
           (!norm->beta || is_float_vector(norm->beta, channels));
}

// The dimension of output channels of a weight.
static int channel_axis(const struct rl_node *producer)
{
    return rl_op_get(producer->op)->transposed ? 1 : 0;
}

static struct rl_value *folded_weight(struct rl_graph *graph, const struct rl_value *weight, int axis,
                                      const struct rl_batch_norm *norm)
{
    const int64_t channels = weight->type.sizes[axis];
    const int64_t count = rl_tensor_numel(&weight->type);
    int64_t inner = 1;
    for (int i = axis + 1; i < weight->type.rank; i++) {
        inner *= weight->type.sizes[i];
    }
    const float *source = weight->data;
    float *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        const int64_t offset = rl_constant_offset(weight, i);
        const int64_t channel = i / inner % channels;
        const float inverse = 1.0f / sqrtf(element(norm->variance, channel, 1.0f) + norm->eps);
        data[offset] = source[offset] * (element(norm->gamma, channel, 1.0f) * inverse);
    }
    return rl_graph_take_constant(graph, weight->name, &weight->type, data);
}

static struct rl_value *folded_bias(struct rl_graph *graph, const struct rl_node *producer, int64_t channels,
                                    const struct rl_batch_norm *norm)
{
    const struct rl_value *bias = rl_node_tensor(producer, "bias");
    const bool linear = producer->op == RL_OP_aten_linear;
    float *data = rl_arena_array(graph->arena, (size_t)channels, sizeof *data);
    for (int64_t c = 0; c < channels; c++) {
        const float gamma = element(norm->gamma, c, 1.0f);
        const float inverse = 1.0f / sqrtf(element(norm->variance, c, 1.0f) + norm->eps);
        const float centred = element(bias, c, 0.0f) - element(norm->mean, c, 0.0f);
        const float scaled = linear ? centred * (gamma * inverse) : centred * inverse * gamma;
        data[c] = scaled + element(norm->beta, c, 0.0f);
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 1, &channels);
    const char *name = bias ? bias->name : rl_arena_format(graph->arena, "%s_bias", producer->name);
    return rl_graph_take_constant(graph, name, &type, data);
}

// The rank of the results of a layer into whose weights a batch norm can be folded; -1 for other operators.
static int rank_of(enum rl_op_id op)
{
    static const struct {
        enum rl_op_id op;
        int rank;
    } layers[] = {{RL_OP_aten_conv1d, 3},
                  {RL_OP_aten_conv_transpose1d, 3},
                  {RL_OP_aten_conv2d, 4},
                  {RL_OP_aten_conv_transpose2d_input, 4},
                  {RL_OP_aten_linear, 2}};
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        if (layers[i].op == op) {
            return layers[i].rank;
        }
    }
    return -1;
}

// The convolution or linear whose only use is this batch norm and whose output channels are the dimension it
// normalizes.
static struct rl_node *foldable_producer(const struct rl_graph *graph, struct rl_node *node)
{
    struct rl_value *input = rl_node_tensor(node, "input");
    if (input->kind != RL_VALUE_RESULT || rl_value_only_user(graph, input) != node) {
        return NULL;
    }
    struct rl_node *producer = input->producer;
    const bool in_groups = rl_op_get(producer->op)->transposed && rl_node_int(producer, "groups") != 1;
    return input->type.rank == rank_of(producer->op) && !in_groups ? producer : NULL;
}

static bool fold(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *producer = foldable_producer(graph, node);
    if (!producer || rl_node_bool(node, "training")) {
        return rl_decline(graph, node, "no convolution or linear before it to fold this batch norm into");
    }
    const struct rl_value *weight = rl_node_tensor(producer, "weight");
    const struct rl_value *bias = rl_node_tensor(producer, "bias");
    const int axis = channel_axis(producer);
    const int64_t channels = weight->type.rank > axis ? weight->type.sizes[axis] : 0;
    struct rl_batch_norm norm;
    if (weight->kind != RL_VALUE_CONSTANT || weight->type.rank < 2 || channels < 1 ||
        weight->type.dtype != RL_FLOAT32 || (bias && !is_float_vector(bias, channels)) ||
        !rl_batch_norm_read(node, channels, &norm)) {
        return rl_decline(graph, node, "folding needs constant float32 weights and statistics");
    }
    struct rl_value *result = producer->results[0];
    if (!rl_tensor_same_sizes(&result->type, &node->results[0]->type)) {
        return rl_decline(graph, node, "its result has another size than its input");
    }
    rl_node_set(producer, "bias", rl_arg_value(folded_bias(graph, producer, channels, &norm)));
    rl_node_set(producer, "weight", rl_arg_value(folded_weight(graph, weight, axis, &norm)));
    rl_graph_remove_constant(graph, weight); // so that at most one layer has its weights twice
    const char *name = node->results[0]->name;
    result->type = node->results[0]->type;
    rl_replace_node(graph, node, result);
    result->name = name;
    return true;
}

enum rl_status rl_pass_fold_batch_norm(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_batch_norm, fold);
    return RL_OK;
}
