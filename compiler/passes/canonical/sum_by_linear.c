// SPDX-License-Identifier: Apache-2.0
//
// sum_by_linear: sums, and means that are not pools, become linear layers of one output with equal weights, for which
// there is an integer kernel.
//   needs   means over images as pools (decompose_mean)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
// The weights take one byte for each summand, and the result has a grid of its own. Runs only if the graph will be
// quantized.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// More summands would take more flash than it is worth.
enum { MOST_SUMMANDS = 1 << 14, DEEPEST = 4 };

// Which dimensions are summed up, as bits; 0 if that is not known.
static unsigned summed_dims(const struct rl_node *node, int rank)
{
    const int argument = rl_op_argument(rl_op_get(node->op), "dim");
    const struct rl_arg *dims = argument < 0 ? NULL : &node->args[argument];
    if (!dims || dims->kind == RL_ARG_NONE || dims->count == 0) {
        return (1u << rank) - 1u;
    }
    unsigned bits = 0;
    for (int i = 0; dims->kind == RL_ARG_INTS && i < dims->count; i++) {
        const int dim = rl_dim_normalized(dims->as.integers[i], rank);
        bits |= dim < 0 ? 0 : 1u << dim;
    }
    return bits;
}

// Whether the value becomes an integer, or is tested for equality, after a few operators: a count, for example.
static bool must_be_exact(const struct rl_graph *graph, const struct rl_value *value, int depth)
{
    for (const struct rl_node *user = graph->first; user && depth > 0; user = user->next) {
        const struct rl_op *op = rl_op_get(user->op);
        if (rl_node_use_count(user, value) == 0 || op->has_weights) {
            continue;
        }
        const bool is_cut = op->converts && !rl_scalar_is_floating(user->results[0]->type.dtype);
        if (is_cut || op->needs_every_bit || must_be_exact(graph, user->results[0], depth - 1)) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct rl_node *node)
{
    const struct rl_tensor_type *type = &node->args[0].as.value->type;
    return type->dtype == RL_FLOAT32 && node->results[0]->type.dtype == RL_FLOAT32 && type->rank > 0 &&
           rl_tensor_numel(type) > 0 && rl_node_arg(node, "dtype")->kind == RL_ARG_NONE;
}

static bool sum(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const int rank = self->type.rank;
    const unsigned summed = summed_dims(node, rank);
    if (!is_wanted(node) || summed == 0 || must_be_exact(pass->graph, node->results[0], DEEPEST)) {
        return false;
    }
    int64_t dims[RL_MAX_RANK], summands = 1;
    int count = 0;
    bool in_order = true;
    for (int pass_over = 0; pass_over < 2; pass_over++) { // first the dimensions that stay, then the others
        for (int d = 0; d < rank; d++) {
            if ((summed >> d & 1u) == (unsigned)pass_over) {
                summands *= pass_over ? self->type.sizes[d] : 1;
                in_order = in_order && d == count;
                dims[count++] = d;
            }
        }
    }
    if (summands > MOST_SUMMANDS) {
        return rl_decline(pass->graph, node, "a sum of more than %d numbers", MOST_SUMMANDS);
    }
    const bool is_mean = node->op == RL_OP_aten_mean || node->op == RL_OP_aten_mean_all;
    const int64_t rows[2] = {rl_tensor_numel(&self->type) / summands, summands}, weights[2] = {1, summands};
    struct rl_value *moved = in_order ? self : rl_build_permute(&at, self, dims);
    struct rl_value *weight = rl_build_constant(&at, 2, weights, is_mean ? 1.0 / (double)summands : 1.0);
    node->reason = NULL;
    rl_build_end_view(&at, rl_build_linear(&at, rl_build_view(&at, moved, 2, rows), weight, NULL));
    return true;
}

enum rl_status rl_pass_sum_by_linear(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_mean, sum},
        {RL_OP_aten_mean_all, sum},
        {RL_OP_aten_sum, sum},
        {RL_OP_aten_sum_dim_intlist, sum},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
