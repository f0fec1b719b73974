// SPDX-License-Identifier: Apache-2.0
//
// lower_prelu: quantized PReLUs become rushlight::quantized_prelu.
//   needs   rushlight::prelu with constant factors (compose_layers)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// A factor f becomes the integer f * input scale / output scale * 2^(8 + shift), with the largest shift for which all
// factors fit int16.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { BITS = 8, MOST_SHIFT = 15 }; // of rl_prelu_run

static bool is_vector(const struct rl_value *value, int64_t channels)
{
    return value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32 && value->type.rank == 1 &&
           (value->type.sizes[0] == channels || value->type.sizes[0] == 1);
}

static double factor_of(const struct rl_value *factors, int64_t channel)
{
    const float *data = factors->data;
    return (double)data[factors->type.sizes[0] == 1 ? 0 : channel];
}

static double largest(const struct rl_value *factors)
{
    double most = 0;
    for (int64_t i = 0; i < factors->type.sizes[0]; i++) {
        const double size = fabs(factor_of(factors, i));
        most = isnan(size) ? INFINITY : fmax(most, size); // which fits no multiplier
    }
    return most;
}

// The largest shift for which the factor fits int16; 0 if there is none.
static int largest_shift(double factor)
{
    int shift = MOST_SHIFT;
    while (shift > 0 && ldexp(factor, BITS + shift) > INT16_MAX - 0.5) {
        shift--;
    }
    return shift;
}

// How many factors the kernel needs: one if all channels have the same.
static int64_t count_factors(const struct rl_value *positive, const struct rl_value *negative, int64_t channels)
{
    for (int64_t i = 1; i < channels; i++) {
        if (factor_of(positive, i) != factor_of(positive, 0) || factor_of(negative, i) != factor_of(negative, 0)) {
            return channels;
        }
    }
    return 1;
}

static struct rl_arg integers(struct rl_graph *graph, const struct rl_node *node, const char *suffix,
                              const struct rl_value *factors, int64_t count, double scale)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT16, 1, &count);
    int16_t *data = rl_arena_array(graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (int16_t)nearbyint(factor_of(factors, i) * scale);
    }
    const char *name = rl_arena_format(graph->arena, "%s_%s", node->name, suffix);
    return rl_arg_value(rl_graph_add_constant(graph, name, &type, data));
}

static bool lower(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_value *positive = rl_node_tensor(node, "positive"), *negative = rl_node_tensor(node, "negative");
    struct rl_match match;
    if (!rl_may_use_rushlight(pass, node) || !rl_match(graph, node, 1, &match)) {
        return false;
    }
    struct rl_value *input = match.operands[0].value;
    const int64_t channels = input->type.rank >= 2 ? input->type.sizes[1] : 1;
    if (!is_vector(positive, channels) || !is_vector(negative, channels)) {
        return rl_decline(graph, node, "factors that are neither one constant nor one for each channel");
    }
    const struct rl_grid *grid = &match.operands[0].grid;
    const double ratio = grid->scale / match.output.scale;
    const double most = fmax(largest(positive), largest(negative)) * ratio;
    const int shift = largest_shift(most);
    if (shift < 1) {
        return rl_decline(graph, node, "a factor of %g between its grids; accepted: below 64", most);
    }
    const int64_t count = count_factors(positive, negative, channels);
    const int64_t input_zero_point = grid->zero_point, output_zero_point = match.output.zero_point;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_prelu);
    const double scale = ldexp(ratio, BITS + shift);
    rl_node_set(lowered, "input", rl_arg_value(input));
    rl_node_set(lowered, "positive_multipliers", integers(graph, lowered, "positive", positive, count, scale));
    rl_node_set(lowered, "negative_multipliers", integers(graph, lowered, "negative", negative, count, scale));
    rl_node_set(lowered, "prelu_shift", rl_arg_int(shift));
    rl_node_set(lowered, "input_zero_point", rl_arg_int(input_zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(output_zero_point));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_prelu(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_rl_prelu, lower);
    return RL_OK;
}
