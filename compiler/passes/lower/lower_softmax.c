// SPDX-License-Identifier: Apache-2.0
//
// lower_softmax: quantized softmax becomes cortex_m::softmax, of int16 rushlight::quantized_softmax_s16, and its
// logarithm rushlight::quantized_log_softmax.
//   needs   nothing
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The kernel works on differences to the maximum with 5 integer bits (CMSIS-NN, arm_softmax_s8):
//   factor = input scale * 2^26,  diff_min = -floor(31 * 2^26 / 2^shift)
// and always writes the grid 1/256, -128; of int16 to int16 1/32768, 0. It runs over the last dimension. Permutations
// bring another dimension there and back; assign_layout turns them into views if the order in memory allows it.
//
// Masked scores become -128 before it. Their grid has room there (widen_scores), and diff_min lies between them and the
// others, so that the kernel takes them for zero exactly, and leaves them out of the sum.
//
// The logarithm has a grid of its own. Its kernel takes the same exponentials (rushlight/kernels/softmax.h).
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/lower/scores.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "rushlight/kernels/softmax.h"

enum { INPUT_INTEGER_BITS = 5 };

static const struct rl_grid output_grid = {.scale = 1.0 / 256.0, .zero_point = -128, .dtype = RL_INT8};
static const struct rl_grid wide_grid = {.scale = 1.0 / 32768.0, .zero_point = 0, .dtype = RL_INT16};

// The permutation that brings dimension `dim` last, and the one that brings it back.
static void permutations(int rank, int dim, int64_t *there, int64_t *back)
{
    for (int i = 0; i < rank - 1; i++) {
        there[i] = i < dim ? i : i + 1;
        back[there[i]] = i;
    }
    there[rank - 1] = dim;
    back[dim] = rank - 1;
}

static void set_permutation(struct rl_graph *graph, struct rl_node *node, struct rl_value *value, const int64_t *dims)
{
    rl_node_set(node, "self", rl_arg_value(value));
    rl_node_set(node, "dims", rl_arg_ints(graph->arena, dims, value->type.rank));
}

// Makes `node`, a softmax over any dimension, the way back from one over the last dimension of the permuted input.
// Returns that one, whose results have the type `dtype`.
static struct rl_node *permute_around(struct rl_graph *graph, struct rl_node *node, struct rl_value **input, int dim,
                                      enum rl_scalar_type dtype)
{
    int64_t there[RL_MAX_RANK];
    int64_t back[RL_MAX_RANK];
    const int rank = (*input)->type.rank;
    permutations(rank, dim, there, back);
    struct rl_tensor_type type = rl_tensor_type_make((*input)->type.dtype, rank, (*input)->type.sizes);
    for (int i = 0; i < rank; i++) {
        type.sizes[i] = (*input)->type.sizes[there[i]];
    }
    struct rl_node *before =
        rl_insert_before(graph, node, RL_OP_aten_permute_copy,
                         rl_arena_format(graph->arena, "%s_permuted", (*input)->name), node, &type);
    set_permutation(graph, before, *input, there);
    type.dtype = dtype;
    struct rl_node *softmax =
        rl_insert_before(graph, node, node->op, rl_arena_format(graph->arena, "%s_permuted", node->name), node, &type);
    rl_node_become(graph, node, RL_OP_aten_permute_copy);
    set_permutation(graph, node, softmax->results[0], back);
    *input = before->results[0];
    return softmax;
}

// The scores with -128 where the mask is set.
static struct rl_value *masked(struct rl_graph *graph, struct rl_node *node, struct rl_value *scores,
                               struct rl_value *mask)
{
    static const int8_t lowest = INT8_MIN;
    const struct rl_tensor_type number = rl_tensor_type_make(RL_INT8, 0, NULL);
    const char *name = rl_arena_format(graph->arena, "%s_masked", node->name);
    struct rl_value *filler = rl_graph_add_constant(graph, name, &number, &lowest);
    struct rl_node *where = rl_insert_before(graph, node, RL_OP_aten_where_self, name, node, &scores->type);
    rl_node_set(where, "condition", rl_arg_value(mask));
    rl_node_set(where, "self", rl_arg_value(filler));
    rl_node_set(where, "other", rl_arg_value(scores));
    return where->results[0];
}

// The largest step below the maximum that counts, of masked scores.
static double largest_step(const struct rl_grid *grid)
{
    const double gap = rl_scores_gap_of_widened((double)(INT8_MAX - INT8_MIN) * grid->scale);
    return floor(gap / grid->scale) - 2.0;
}

// The factor of differences. Unlike those of other kernels it may have a shift of 31.
static struct rl_multiplier exponential_factor(double scale)
{
    const double real = fmin(scale * (1 << (31 - INPUT_INTEGER_BITS)), 2147483647.0);
    struct rl_multiplier factor = rl_multiplier_of(real < 0x1p29 ? real : real / 2.0);
    factor.shift += real < 0x1p29 ? 0 : 1;
    return factor;
}

static void set_arguments(struct rl_node *lowered, struct rl_value *input, const struct rl_grid *grid, double steps)
{
    const struct rl_multiplier factor = exponential_factor(grid->scale);
    const double all = floor(ldexp((1 << INPUT_INTEGER_BITS) - 1, 31 - INPUT_INTEGER_BITS - factor.shift));
    rl_node_set(lowered, "input", rl_arg_value(input));
    rl_node_set(lowered, "dim", rl_arg_int(input->type.rank - 1));
    rl_node_set(lowered, "input_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "input_shift", rl_arg_int(factor.shift));
    rl_node_set(lowered, "diff_min", rl_arg_int(-(int64_t)fmin(all, steps)));
}

static bool converts(const struct rl_node *node)
{
    const int argument = rl_op_argument(rl_op_get(node->op), "half_to_float");
    return (argument >= 0 && node->args[argument].as.boolean) ||
           node->results[0]->type.dtype != node->args[0].as.value->type.dtype;
}

// Matches a node and its grids. Returns its dimension, which counts from 0; -1 if it stays.
static int match_softmax(struct rl_graph *graph, struct rl_node *node, enum rl_scalar_type dtype,
                         enum rl_scalar_type result, struct rl_match *match)
{
    if (!rl_match_between(graph, node, dtype, result, match)) {
        return -1;
    }
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), node->results[0]->type.rank);
    if (dim < 0 || converts(node) || !rl_tensor_same_sizes(&match->operands[0].value->type, &node->results[0]->type)) {
        rl_decline(graph, node, "dimension out of range, a conversion, or a result of another size");
        return -1;
    }
    return dim;
}

static bool is_wide(const struct rl_node *node)
{
    return rl_integer_type(node->args[0].as.value) == RL_INT16;
}

static bool has_wide_result(const struct rl_graph *graph, const struct rl_node *node)
{
    const struct rl_node *user = rl_value_only_user(graph, node->results[0]);
    struct rl_grid grid;
    return user && rl_is_quantize(user, &grid) && grid.dtype == RL_INT16;
}

static bool lower_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    const bool wide = is_wide(node);
    if (wide && (node->op == RL_OP_aten_masked_softmax || !rl_may_use_rushlight(pass, node))) {
        return rl_decline(graph, node, "its input is int16, and it has a mask");
    }
    const struct rl_grid *accepted = wide && has_wide_result(graph, node) ? &wide_grid : &output_grid;
    const int dim = match_softmax(graph, node, wide ? RL_INT16 : RL_INT8, accepted->dtype, &match);
    const int rank = node->results[0]->type.rank;
    if (dim < 0) {
        return false;
    }
    if (fabs(match.output.scale - accepted->scale) > 1e-12 || match.output.zero_point != accepted->zero_point) {
        return rl_decline(graph, node, "output scale %g and zero point %lld; accepted: 1/%g and %lld",
                          match.output.scale, (long long)match.output.zero_point, 1 / accepted->scale,
                          (long long)accepted->zero_point);
    }
    const struct rl_grid grid = match.operands[0].grid;
    struct rl_value *input = match.operands[0].value;
    double steps = INFINITY;
    if (node->op == RL_OP_aten_masked_softmax) {
        input = masked(graph, node, input, rl_node_tensor(node, "mask"));
        steps = largest_step(&grid);
    }
    struct rl_node *lowered = rl_match_replace(graph, &match, wide ? RL_OP_rl_quantized_softmax_s16 : RL_OP_cm_softmax);
    struct rl_node *softmax = dim == rank - 1 ? lowered : permute_around(graph, lowered, &input, dim, accepted->dtype);
    set_arguments(softmax, input, &grid, steps);
    if (!wide) {
        rl_node_set(softmax, "input_zero_point", rl_arg_int(grid.zero_point));
        rl_node_set(softmax, "output_zero_point", rl_arg_int(output_grid.zero_point));
    }
    rl_match_clamp(graph, &match, lowered);
    return true;
}

// ---- the logarithm

// Numbers of struct rl_log_softmax.
struct logarithm {
    int64_t step, fraction, multiplier, shift;
};

static bool find_logarithm(double input_scale, double output_scale, int64_t most_fraction, struct logarithm *found)
{
    enum { LOG_BITS = 24, MOST_SHIFT = 62 };
    const double log_of_2 = 0.69314718055994530942;
    int exponent;
    *found = (struct logarithm){.fraction = most_fraction};
    const double steps = input_scale / output_scale;
    while (found->fraction > 0 && ldexp(steps, (int)found->fraction) > RL_LOG_SOFTMAX_MOST_STEP) {
        found->fraction--;
    }
    const double step = nearbyint(ldexp(steps, (int)found->fraction));
    frexp(ldexp(log_of_2 / output_scale, (int)found->fraction - LOG_BITS), &exponent);
    found->shift = 31 - exponent < MOST_SHIFT ? 31 - exponent : MOST_SHIFT;
    if (!(step <= RL_LOG_SOFTMAX_MOST_STEP) || found->shift < 1) {
        return false;
    }
    const int power = (int)(found->shift + found->fraction) - LOG_BITS;
    found->step = (int64_t)step;
    found->multiplier = (int64_t)fmin(nearbyint(ldexp(log_of_2 / output_scale, power)), 2147483647.0);
    return true;
}

static bool lower_log_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    struct logarithm logarithm;
    if (!rl_may_use_rushlight(pass, node)) {
        return false;
    }
    enum { WIDE_FRACTION = 15 }; // of the kernel, for zero point 0
    const bool wide = is_wide(node);
    const enum rl_scalar_type dtype = wide ? RL_INT16 : RL_INT8;
    const int dim = match_softmax(graph, node, dtype, dtype, &match), rank = node->results[0]->type.rank;
    if (dim < 0) {
        return false;
    }
    if (wide && match.output.zero_point != 0) {
        return rl_decline(graph, node, "its input is int16, and there is a zero point");
    }
    const struct rl_grid grid = match.operands[0].grid;
    const int64_t zero_point = match.output.zero_point;
    const double least = ldexp(1.0, INPUT_INTEGER_BITS - 31);
    const int64_t most_fraction = wide ? WIDE_FRACTION : RL_LOG_SOFTMAX_MOST_FRACTION;
    if (grid.scale < least || !find_logarithm(grid.scale, match.output.scale, most_fraction, &logarithm)) {
        return rl_decline(graph, node, "scale %g of its input and %g of its result", grid.scale, match.output.scale);
    }
    struct rl_value *input = match.operands[0].value;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_log_softmax);
    struct rl_node *softmax = dim == rank - 1 ? lowered : permute_around(graph, lowered, &input, dim, dtype);
    set_arguments(softmax, input, &grid, INFINITY);
    rl_node_set(softmax, "step", rl_arg_int(logarithm.step));
    rl_node_set(softmax, "fraction", rl_arg_int(logarithm.fraction));
    rl_node_set(softmax, "log_multiplier", rl_arg_int(logarithm.multiplier));
    rl_node_set(softmax, "log_shift", rl_arg_int(logarithm.shift));
    rl_node_set(softmax, "output_zero_point", rl_arg_int(zero_point));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_softmax(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_softmax, lower_softmax);
    rl_lower_each(pass, RL_OP_aten_masked_softmax, lower_softmax);
    rl_lower_each(pass, RL_OP_aten_log_softmax_int, lower_log_softmax);
    rl_lower_each(pass, RL_OP_aten_log_softmax_internal, lower_log_softmax);
    return RL_OK;
}
