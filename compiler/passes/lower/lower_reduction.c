// SPDX-License-Identifier: Apache-2.0
//
// lower_reduction: quantized running sums, variances and deviations become rushlight::quantized_cumsum and
// quantized_var.
//   needs   nothing
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The variance is that of the last dimensions. A permutation brings others there. A view gives the result the
// dimensions of size 1 that keepdim asks for.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "rushlight/kernels/elementwise.h"
#include "rushlight/kernels/normalization.h"

static bool keeps_type(const struct rl_node *node)
{
    return node->results[0]->type.dtype == node->args[0].as.value->type.dtype;
}

// ---- running sums

// Whether sums stay within int32 before and after the left shift to the grid of the output.
static bool fits_sums(double factor, int64_t count)
{
    const double most = 255.0 * (double)count;
    return count <= RL_RUNNING_SUM_MOST && most * factor < 0x1p30;
}

static bool lower_cumsum(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    if (!rl_may_use_rushlight(pass, node) || !rl_match(graph, node, 1, &match)) {
        return false;
    }
    const struct rl_tensor_type *type = &node->results[0]->type;
    const struct rl_grid grid = match.operands[0].grid;
    struct rl_value *input = match.operands[0].value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), type->rank);
    if (dim < 0 || !keeps_type(node) || !rl_tensor_same_sizes(type, &input->type)) {
        return rl_decline(graph, node, "dimension out of range, a conversion, or a result of another size");
    }
    const double real = grid.scale / match.output.scale;
    if (!fits_sums(real, type->sizes[dim])) {
        return rl_decline(graph, node, "sums of %lld values times %g leave 32 bits", (long long)type->sizes[dim], real);
    }
    const struct rl_multiplier factor = rl_multiplier_of(real);
    const int64_t zero_point = match.output.zero_point;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_cumsum);
    rl_node_set(lowered, "input", rl_arg_value(input));
    rl_node_set(lowered, "dim", rl_arg_int(dim));
    rl_node_set(lowered, "input_zero_point", rl_arg_int(grid.zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(zero_point));
    rl_node_set(lowered, "multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "shift", rl_arg_int(factor.shift));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

// ---- variances

struct variance {
    bool is_over[RL_MAX_RANK]; // which dimensions
    int dims;                  // how many
    double values;             // of a row
    double correction;
    bool is_deviation;
};

static bool read_dims(const struct rl_node *node, const struct rl_tensor_type *type, struct variance *variance)
{
    const int argument = rl_op_argument(rl_op_get(node->op), "dim");
    const struct rl_arg *list = argument < 0 ? NULL : &node->args[argument];
    const bool is_over_all = !list || list->kind != RL_ARG_INTS || list->count == 0;
    for (int d = 0; d < type->rank; d++) {
        variance->is_over[d] = is_over_all;
    }
    for (int i = 0; !is_over_all && i < list->count; i++) {
        const int dim = rl_dim_normalized(list->as.integers[i], type->rank);
        if (dim < 0) {
            return false;
        }
        variance->is_over[dim] = true;
    }
    variance->values = 1.0;
    for (int d = 0; d < type->rank; d++) {
        variance->dims += variance->is_over[d] ? 1 : 0;
        variance->values *= variance->is_over[d] ? (double)type->sizes[d] : 1.0;
    }
    return variance->dims > 0;
}

static bool read_variance(const struct rl_node *node, const struct rl_tensor_type *type, struct variance *variance)
{
    *variance = (struct variance){.correction = rl_variance_correction(node)};
    variance->is_deviation =
        node->op == RL_OP_aten_std || node->op == RL_OP_aten_std_dim || node->op == RL_OP_aten_std_correction;
    return read_dims(node, type, variance) && keeps_type(node) && variance->values <= RL_NORM_MOST_VALUES &&
           variance->correction >= 0.0 && variance->values > variance->correction;
}

// The dimensions that stay, then the others; NULL if they are in this order.
static int64_t *order_of(struct rl_arena *arena, const struct variance *variance, int rank)
{
    int64_t *order = rl_arena_array(arena, (size_t)rank, sizeof *order);
    int count = 0;
    bool is_sorted = true;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < rank; d++) {
            if (variance->is_over[d] == (pass == 1)) {
                is_sorted = is_sorted && count == d;
                order[count++] = d;
            }
        }
    }
    return is_sorted ? NULL : order;
}

static struct rl_value *permuted(struct rl_graph *graph, struct rl_node *before, struct rl_value *input,
                                 const int64_t *order)
{
    const int rank = input->type.rank;
    struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, rank, input->type.sizes);
    for (int d = 0; d < rank; d++) {
        type.sizes[d] = input->type.sizes[order[d]];
    }
    struct rl_node *node = rl_insert_before(graph, before, RL_OP_aten_permute_copy,
                                            rl_arena_format(graph->arena, "%s_permuted", input->name), before, &type);
    rl_node_set(node, "self", rl_arg_value(input));
    rl_node_set(node, "dims", rl_arg_ints(graph->arena, order, rank));
    return node->results[0];
}

// The node that computes: `lowered` itself, or one before it if the result keeps dimensions of size 1.
static struct rl_node *without_ones(struct rl_graph *graph, struct rl_node *lowered, const struct rl_value *input,
                                    int dims)
{
    const int rank = input->type.rank - dims;
    if (lowered->results[0]->type.rank == rank) {
        return lowered;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, rank, input->type.sizes);
    struct rl_node *node = rl_insert_before(graph, lowered, lowered->op,
                                            rl_arena_format(graph->arena, "%s_of_rows", lowered->name), lowered, &type);
    const struct rl_tensor_type *kept = &lowered->results[0]->type;
    rl_node_become(graph, lowered, RL_OP_aten_view_copy);
    rl_node_set(lowered, "self", rl_arg_value(node->results[0]));
    rl_node_set(lowered, "size", rl_arg_ints(graph->arena, kept->sizes, kept->rank));
    return node;
}

static bool lower_variance(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    struct variance variance;
    if (!rl_may_use_rushlight(pass, node) || !rl_match(graph, node, 1, &match)) {
        return false;
    }
    struct rl_value *input = match.operands[0].value;
    if (!read_variance(node, &input->type, &variance)) {
        return rl_decline(graph, node, "dimensions out of range, a conversion, or too few or too many values");
    }
    const double n = variance.values, spread = n * (n - variance.correction), scale = match.operands[0].grid.scale;
    const double real = (variance.is_deviation ? scale / sqrt(spread) : scale * scale / spread) / match.output.scale;
    int power;
    const double multiplier = fmin(nearbyint(ldexp(frexp(real, &power), 31)), 2147483647.0);
    if (!(real > 0.0) || power < -RL_VARIANCE_MOST_SHIFT || power > RL_VARIANCE_MOST_SHIFT) {
        return rl_decline(graph, node, "a factor of %g between its grids", real);
    }
    const int64_t zero_point = match.output.zero_point;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_var);
    const int64_t *order = order_of(graph->arena, &variance, input->type.rank);
    if (order) {
        input = permuted(graph, lowered, input, order);
    }
    struct rl_node *computes = without_ones(graph, lowered, input, variance.dims);
    rl_node_set(computes, "input", rl_arg_value(input));
    rl_node_set(computes, "dims", rl_arg_int(variance.dims));
    rl_node_set(computes, "deviation", rl_arg_bool(variance.is_deviation));
    rl_node_set(computes, "variance_multiplier", rl_arg_int((int64_t)multiplier));
    rl_node_set(computes, "variance_shift", rl_arg_int(power));
    rl_node_set(computes, "output_zero_point", rl_arg_int(zero_point));
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_reduction(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_cumsum, lower_cumsum},
        {RL_OP_aten_var, lower_variance},
        {RL_OP_aten_var_dim, lower_variance},
        {RL_OP_aten_var_correction, lower_variance},
        {RL_OP_aten_std, lower_variance},
        {RL_OP_aten_std_dim, lower_variance},
        {RL_OP_aten_std_correction, lower_variance},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
