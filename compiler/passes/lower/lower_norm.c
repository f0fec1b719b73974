// SPDX-License-Identifier: Apache-2.0
//
// lower_norm: quantized norms become rushlight::quantized_layer_norm and quantized_group_norm.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// Weight and bias are constants. They become integers on the grid of the output:
//   weight  int16 = weight / output scale * 2^shift, with the largest shift that the kernel takes and that fits
//   bias    int32 = bias / output scale * 2^8
// and epsilon a number on that of the input: epsilon / input scale^2 * n^2 * 2^f, for rows of n values
// (rushlight/kernels/normalization.h).
#include "compiler/passes/passes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "rushlight/kernels/normalization.h"

// What a norm does, whatever its name.
struct norm {
    enum rl_op_id op;     // that computes it on integers
    const char *extent;   // the argument of `op` that tells which values belong together,
    int64_t extent_value; // and its value
    int64_t values;       // of a row
    int64_t channels;     // with a weight each
    double epsilon;
    bool centered;
};

// Weight and bias as integers.
struct parameters {
    int16_t *weights;
    int32_t *bias; // NULL if there is none
    int shift;     // of the weights
};

// ---- kinds of norms

static bool read_layer_norm(struct rl_node *node, struct norm *norm)
{
    const struct rl_tensor_type *type = &rl_node_tensor(node, "input")->type;
    const struct rl_arg *eps = rl_node_arg(node, "eps");
    const int count = rl_node_arg(node, "normalized_shape")->count;
    if (count < 1 || count > type->rank) {
        return false;
    }
    *norm = (struct norm){.op = RL_OP_rl_quantized_layer_norm,
                          .extent = "dims",
                          .extent_value = count,
                          .values = 1,
                          .epsilon = eps->kind == RL_ARG_NONE ? (double)FLT_EPSILON : rl_node_number(node, "eps"),
                          .centered = node->op == RL_OP_aten_layer_norm};
    for (int i = type->rank - count; i < type->rank; i++) {
        norm->values *= type->sizes[i];
    }
    norm->channels = norm->values;
    return norm->values > 0;
}

static bool read_group_norm(struct rl_node *node, struct norm *norm)
{
    const struct rl_tensor_type *type = &rl_node_tensor(node, "input")->type;
    const bool by_channel = node->op == RL_OP_aten_instance_norm;
    if (type->rank < 2 || rl_tensor_numel(type) == 0 || (by_channel && !rl_node_bool(node, "use_input_stats"))) {
        return false;
    }
    const int64_t groups = by_channel ? type->sizes[1] : rl_node_int(node, "num_groups");
    if (groups < 1 || type->sizes[1] % groups != 0) {
        return false;
    }
    *norm = (struct norm){.op = RL_OP_rl_quantized_group_norm,
                          .extent = "groups",
                          .extent_value = groups,
                          .values = rl_tensor_numel(type) / (type->sizes[0] * groups),
                          .channels = type->sizes[1],
                          .epsilon = rl_node_number(node, "eps"),
                          .centered = true};
    return true;
}

static bool read_norm(struct rl_node *node, struct norm *norm)
{
    const bool is_layer = node->op == RL_OP_aten_layer_norm || node->op == RL_OP_aten_rms_norm;
    return is_layer ? read_layer_norm(node, norm) : read_group_norm(node, norm);
}

// ---- parameters

// Real numbers in output steps; `fallback` for all if there is no such argument. NULL if they are no constants of this
// number.
static double *read_steps(struct rl_graph *graph, const struct rl_node *node, const char *name, int64_t count,
                          double scale, double fallback)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);
    const struct rl_value *value = index < 0 ? NULL : node->args[index].as.value;
    struct rl_grid grid;
    const struct rl_value *integers = rl_int8_behind(value, &grid);
    const struct rl_value *constant = integers ? integers : value;
    const bool is_float = constant && constant->type.dtype == RL_FLOAT32;
    double *steps = rl_arena_array(graph->arena, (size_t)count, sizeof *steps);
    if (constant && (constant->kind != RL_VALUE_CONSTANT || rl_tensor_numel(&constant->type) != count ||
                     (!is_float && !integers))) {
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        double number = fallback;
        if (is_float) {
            number = (double)((const float *)constant->data)[rl_constant_offset(constant, i)];
        } else if (constant) {
            const int8_t integer = ((const int8_t *)constant->data)[rl_constant_offset(constant, i)];
            number = grid.scale * (double)(integer - grid.zero_point);
        }
        steps[i] = number / scale;
    }
    return steps;
}

static double largest(const double *numbers, int64_t count)
{
    double most = 0.0;
    for (int64_t i = 0; i < count; i++) {
        most = fabs(numbers[i]) > most || isnan(numbers[i]) ? fabs(numbers[i]) : most;
    }
    return most;
}

static bool set_weights(struct rl_graph *graph, const double *steps, int64_t count, struct parameters *parameters)
{
    const double most = largest(steps, count);
    int shift = RL_NORM_MOST_WEIGHT_SHIFT;
    while (shift > RL_NORM_LEAST_WEIGHT_SHIFT && ldexp(most, shift) > INT16_MAX) {
        shift--;
    }
    if (!(ldexp(most, shift) <= INT16_MAX)) {
        return false;
    }
    parameters->shift = shift;
    parameters->weights = rl_arena_array(graph->arena, (size_t)count, sizeof *parameters->weights);
    for (int64_t i = 0; i < count; i++) {
        parameters->weights[i] = (int16_t)nearbyint(ldexp(steps[i], shift));
    }
    return true;
}

static bool set_bias(struct rl_graph *graph, const double *steps, int64_t count, struct parameters *parameters)
{
    const double most = largest(steps, count);
    if (!(ldexp(most, RL_NORM_BIAS_BITS) <= 1 << 30)) {
        return false;
    }
    if (most == 0.0) {
        return true;
    }
    parameters->bias = rl_arena_array(graph->arena, (size_t)count, sizeof *parameters->bias);
    for (int64_t i = 0; i < count; i++) {
        parameters->bias[i] = (int32_t)nearbyint(ldexp(steps[i], RL_NORM_BIAS_BITS));
    }
    return true;
}

static bool read_parameters(struct rl_graph *graph, struct rl_node *node, const struct norm *norm, double scale,
                            struct parameters *parameters)
{
    const double *weights = read_steps(graph, node, "weight", norm->channels, scale, 1.0);
    const double *bias = read_steps(graph, node, "bias", norm->channels, scale, 0.0);
    if (!weights || !bias) {
        return rl_decline(graph, node, "its weight or bias is not constant");
    }
    if (!set_weights(graph, weights, norm->channels, parameters) ||
        !set_bias(graph, bias, norm->channels, parameters)) {
        return rl_decline(graph, node, "its weight or bias is too large for the scale of its result");
    }
    return true;
}

// In units of the input's grid; -1 if it does not fit.
static int64_t scaled_epsilon(const struct norm *norm, double scale)
{
    const double n = (double)norm->values;
    const double scaled =
        nearbyint(ldexp(norm->epsilon / (scale * scale) * n * n, rl_norm_fraction((int32_t)norm->values)));
    return scaled >= 0.0 && scaled < ldexp(1.0, 62) ? (int64_t)scaled : -1;
}

static struct rl_arg vector(struct rl_graph *graph, const char *stem, const char *suffix, enum rl_scalar_type dtype,
                            const void *data, int64_t count)
{
    const struct rl_tensor_type type = rl_tensor_type_make(dtype, 1, &count);
    return rl_arg_value(
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_%s", stem, suffix), &type, data));
}

static void set_parameters(struct rl_graph *graph, struct rl_node *lowered, const struct parameters *parameters,
                           int64_t count)
{
    rl_node_set(lowered, "weight", vector(graph, lowered->name, "weight", RL_INT16, parameters->weights, count));
    if (parameters->bias) {
        rl_node_set(lowered, "bias", vector(graph, lowered->name, "bias", RL_INT32, parameters->bias, count));
    }
    rl_node_set(lowered, "weight_shift", rl_arg_int(parameters->shift));
}

// ---- the pass

static bool lower_norm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    struct norm norm;
    struct parameters parameters = {0};
    if (!rl_may_use_rushlight(pass, node) || !rl_match(graph, node, 1, &match)) {
        return false;
    }
    if (!read_norm(node, &norm) || norm.values > RL_NORM_MOST_VALUES) {
        return rl_decline(graph, node, "recorded statistics, sizes that do not fit, or more than %d values a row",
                          RL_NORM_MOST_VALUES);
    }
    const int64_t epsilon = scaled_epsilon(&norm, match.operands[0].grid.scale);
    if (epsilon < 0) {
        return rl_decline(graph, node, "its epsilon is too large for the scale of its input");
    }
    if (!read_parameters(graph, node, &norm, match.output.scale, &parameters)) {
        return false;
    }
    struct rl_node *lowered = rl_match_replace(graph, &match, norm.op);
    rl_node_set(lowered, "input", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, norm.extent, rl_arg_int(norm.extent_value));
    set_parameters(graph, lowered, &parameters, norm.channels);
    if (norm.op == RL_OP_rl_quantized_layer_norm) {
        rl_node_set(lowered, "centered", rl_arg_bool(norm.centered));
    }
    rl_node_set(lowered, "input_zero_point", rl_arg_int(match.operands[0].grid.zero_point));
    rl_node_set(lowered, "epsilon", rl_arg_int(epsilon));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match.output.zero_point));
    rl_node_set(lowered, "activation_min", rl_arg_int(match.output.min));
    rl_node_set(lowered, "activation_max", rl_arg_int(match.output.max));
    return true;
}

enum rl_status rl_pass_lower_norm(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_layer_norm, lower_norm},
        {RL_OP_aten_rms_norm, lower_norm},
        {RL_OP_aten_group_norm, lower_norm},
        {RL_OP_aten_instance_norm, lower_norm},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
