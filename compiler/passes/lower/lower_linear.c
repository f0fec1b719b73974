// SPDX-License-Identifier: Apache-2.0
//
// lower_linear: quantized linear layers become cortex_m::quantized_linear, those with int16 results
// rushlight::quantized_linear_s16.
//   needs   activations fused into the quantize node (fuse_activation); weights on one grid (convolve_linear)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The operator takes the constant part of the sums in one of two forms, with equal results:
//   bias        int32 [out], for scalar and DSP kernels: sum((x + input_offset) * w) + bias
//   kernel_sum  int32 [1, out] = input_offset * sum(w) + bias, for MVE kernels, and ours without DSP:
//               sum(x * w) + kernel_sum
// Here w is a weight less its zero point. filter_offset tells the kernels that zero point, with the sign changed.
//
// On each core stock CMSIS-NN reads only the form for that core. Our kernels take both, but those for Helium are slow
// without kernel_sum, and those for cores without DSP take less time with it. Programs for target `any` therefore have
// both forms. The operator with int16 results has kernel sums on every core, as its bias.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/sums.h"
#include "compiler/passes/rewrite/weights.h"

static bool is_matrix(struct rl_graph *graph, struct rl_node *node, const struct rl_weights *weights)
{
    const struct rl_tensor_type *type = &weights->value->type;
    if (type->rank != 2) {
        return rl_decline(graph, node, "weights of rank %d; accepted: 2", type->rank);
    }
    return rl_tensor_numel(type) > 0 ||
           rl_decline(graph, node, "weights of the sizes [%lld, %lld]; accepted: 1 and more", (long long)type->sizes[0],
                      (long long)type->sizes[1]);
}

static bool read_linear(const struct rl_pass *pass, struct rl_node *node, struct rl_match *match,
                        struct rl_weights *weights, const struct rl_value **bias)
{
    struct rl_graph *graph = pass->graph;
    if (!rl_has_quantized_weights(pass, node) || !rl_match(graph, node, 1, match) ||
        !rl_match_shifted_weights(graph, node, "weight", 0, weights) ||
        !rl_match_bias(graph, node, match->operands[0].grid.scale, weights, bias)) {
        return false;
    }
    if (!is_matrix(graph, node, weights)) {
        return false;
    }
    return rl_weights_have_one_grid(weights) ||
           rl_decline(graph, node, "weights with a grid per channel; accepted: one");
}

static int64_t weight_offset(const struct rl_weights *weights)
{
    return weights->zero_points ? -weights->zero_points[0] : 0;
}

// Sums wrap around, as they do in the kernels.
static struct rl_value *kernel_sum_of(struct rl_graph *graph, const struct rl_weights *weights,
                                      const struct rl_value *bias, int64_t input_offset, const char *stem)
{
    const int64_t outputs = weights->channels;
    const int64_t inputs = weights->value->type.sizes[1];
    int32_t *sums = rl_arena_array(graph->arena, (size_t)outputs, sizeof *sums);
    for (int64_t row = 0; row < outputs; row++) {
        int64_t sum = 0;
        for (int64_t column = 0; column < inputs; column++) {
            sum += rl_weight(weights, row * inputs + column);
        }
        const int64_t offset = bias ? ((const int32_t *)bias->data)[row] : 0;
        sums[row] = (int32_t)(uint32_t)(uint64_t)(sum * input_offset + offset);
    }
    const int64_t sizes[2] = {1, outputs};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT32, 2, sizes);
    return rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_kernel_sum", stem), &type, sums);
}

// Whether kernel_sum replaces the bias: on Helium, and for our kernels on cores without DSP, whose loops then need not
// add the input offset.
static bool wants_sums(const struct rl_pass *pass)
{
    const enum rl_isa isa = pass->options->target.isa;
    const bool is_ours =
        pass->options->target.flow != RL_FLOW_EXECUTORCH && pass->options->quantizer != RL_QUANTIZER_STOCK;
    return isa == RL_ISA_MVE || (isa == RL_ISA_SCALAR && is_ours);
}

static bool lower_linear(const struct rl_pass *pass, struct rl_node *node)
{
    static const int in_order[2] = {0, 1};
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    struct rl_weights weights;
    const struct rl_value *bias;
    if (!read_linear(pass, node, &match, &weights, &bias)) {
        return false;
    }
    const int64_t input_offset = -match.operands[0].grid.zero_point;
    const struct rl_multiplier factor =
        rl_multiplier_of(match.operands[0].grid.scale * weights.scales[0] / match.output.scale);
    const int64_t multiplier = factor.multiplier;
    const int64_t shift = factor.shift;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_quantized_linear);
    rl_node_set(lowered, "input", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "weights",
                rl_arg_value(rl_constant_permuted(graph, weights.value, in_order, weights.value->name)));
    const bool is_folded = wants_sums(pass);
    if (is_folded || rl_target_runs_on(&pass->options->target, RL_ISA_MVE)) {
        rl_node_set(lowered, "kernel_sum",
                    rl_arg_value(kernel_sum_of(graph, &weights, bias, input_offset, lowered->name)));
    }
    if (!is_folded) {
        rl_node_set(lowered, "bias", rl_arg_value((struct rl_value *)bias));
    }
    rl_node_set(lowered, "input_offset", rl_arg_int(input_offset));
    rl_node_set(lowered, "filter_offset", rl_arg_int(weight_offset(&weights)));
    rl_node_set(lowered, "output_offset", rl_arg_int(match.output.zero_point));
    rl_node_set(lowered, "requantize_multipliers", rl_arg_ints(graph->arena, &multiplier, 1));
    rl_node_set(lowered, "requantize_shifts", rl_arg_ints(graph->arena, &shift, 1));
    rl_node_set(lowered, "activation_max", rl_arg_int(match.output.max));
    rl_node_set(lowered, "activation_min", rl_arg_int(match.output.min));
    rl_prove_sums(pass, lowered, &match, &weights, bias);
    return true;
}

// ---- int16 results

static bool lower_wide_linear(const struct rl_pass *pass, struct rl_node *node)
{
    static const int in_order[2] = {0, 1};
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    struct rl_weights weights;
    const struct rl_value *bias;
    if (!rl_may_use_rushlight(pass, node) || !rl_has_quantized_weights(pass, node) ||
        !rl_match_between(graph, node, RL_INT8, RL_INT16, &match) ||
        !rl_match_weights(graph, node, "weight", &weights) ||
        !rl_match_bias(graph, node, match.operands[0].grid.scale, &weights, &bias)) {
        return false;
    }
    if (!is_matrix(graph, node, &weights)) {
        return false;
    }
    if (match.output.zero_point != 0) {
        return rl_decline(graph, node, "int16 results with the zero point %lld; accepted: 0",
                          (long long)match.output.zero_point);
    }
    const int64_t input_offset = -match.operands[0].grid.zero_point;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_linear_s16);
    rl_node_set(lowered, "input", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "weights",
                rl_arg_value(rl_constant_permuted(graph, weights.value, in_order, weights.value->name)));
    rl_node_set(lowered, "bias", rl_arg_value(kernel_sum_of(graph, &weights, bias, input_offset, lowered->name)));
    rl_set_scales(graph, lowered, &match, &weights);
    rl_prove_sums(pass, lowered, &match, &weights, bias);
    rl_match_clamp(graph, &match, lowered);
    return true;
}

static bool lower_any_linear(const struct rl_pass *pass, struct rl_node *node)
{
    return rl_has_int16_result(pass->graph, node) ? lower_wide_linear(pass, node) : lower_linear(pass, node);
}

enum rl_status rl_pass_lower_linear(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_linear, lower_any_linear);
    return RL_OK;
}
