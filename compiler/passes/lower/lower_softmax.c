// SPDX-License-Identifier: Apache-2.0
//
// lower_softmax: quantized softmax becomes cortex_m::softmax.
//   needs   nothing
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The kernel works on differences to the maximum with 5 integer bits (CMSIS-NN, arm_softmax_s8):
//   factor = input scale * 2^26,  diff_min = -floor(31 * 2^26 / 2^shift)
// and always writes the grid 1/256, -128. It runs over the last dimension. Permutations bring another dimension there
// and back; assign_layout turns them into views if the order in memory allows it.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { INPUT_INTEGER_BITS = 5 };

static const struct rl_grid output_grid = {.scale = 1.0 / 256.0, .zero_point = -128, .dtype = RL_INT8};

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

// Makes `node` the way back from a softmax over the last dimension of the permuted input; returns that softmax.
static struct rl_node *permute_around(struct rl_graph *graph, struct rl_node *node, struct rl_value **input, int dim)
{
    int64_t there[RL_MAX_RANK];
    int64_t back[RL_MAX_RANK];
    const int rank = (*input)->type.rank;
    permutations(rank, dim, there, back);
    struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, rank, (*input)->type.sizes);
    for (int i = 0; i < rank; i++) {
        type.sizes[i] = (*input)->type.sizes[there[i]];
    }
    struct rl_node *before =
        rl_insert_before(graph, node, RL_OP_aten_permute_copy,
                         rl_arena_format(graph->arena, "%s_permuted", (*input)->name), node, &type);
    set_permutation(graph, before, *input, there);
    struct rl_node *softmax = rl_insert_before(graph, node, RL_OP_cm_softmax,
                                               rl_arena_format(graph->arena, "%s_permuted", node->name), node, &type);
    rl_node_become(graph, node, RL_OP_aten_permute_copy);
    set_permutation(graph, node, softmax->results[0], back);
    *input = before->results[0];
    return softmax;
}

static void set_arguments(struct rl_node *lowered, struct rl_value *input, const struct rl_grid *grid)
{
    const struct rl_multiplier factor =
        rl_multiplier_of(fmin(grid->scale * (1 << (31 - INPUT_INTEGER_BITS)), 2147483647.0));
    const double diff_min = floor(ldexp((1 << INPUT_INTEGER_BITS) - 1, 31 - INPUT_INTEGER_BITS - factor.shift));
    rl_node_set(lowered, "input", rl_arg_value(input));
    rl_node_set(lowered, "dim", rl_arg_int(input->type.rank - 1));
    rl_node_set(lowered, "input_zero_point", rl_arg_int(grid->zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(output_grid.zero_point));
    rl_node_set(lowered, "input_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "input_shift", rl_arg_int(factor.shift));
    rl_node_set(lowered, "diff_min", rl_arg_int(-(int64_t)diff_min));
}

static bool lower_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    if (!rl_match(graph, node, 1, &match)) {
        return false;
    }
    if (fabs(match.output.scale - output_grid.scale) > 1e-12 || match.output.zero_point != output_grid.zero_point) {
        return rl_decline(graph, node, "output scale %g and zero point %lld; accepted: 1/256 and -128",
                          match.output.scale, (long long)match.output.zero_point);
    }
    const int rank = node->results[0]->type.rank;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), rank);
    if (dim < 0 || rl_node_bool(node, "half_to_float") ||
        !rl_tensor_same_sizes(&match.operands[0].value->type, &node->results[0]->type)) {
        return rl_decline(graph, node, "dimension out of range, a conversion, or a result of another size");
    }
    struct rl_value *input = match.operands[0].value;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_softmax);
    struct rl_node *softmax = dim == rank - 1 ? lowered : permute_around(graph, lowered, &input, dim);
    set_arguments(softmax, input, &match.operands[0].grid);
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_softmax(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_softmax, lower_softmax);
    return RL_OK;
}
