// SPDX-License-Identifier: Apache-2.0
//
// spell_out: short forms become the operators that they stand for.
//   needs   functional operators (functionalize)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   max, min along a dimension       amax, amin, or argmax, argmin, if one of their results is not used
//   rot90, fliplr, flipud            flip, and a permutation
//   take_along_dim                   gather
//   deg2rad, rad2deg                 products with a number
//   max_unpool2d                     a scatter into zeros
//   upsample_trilinear3d             two bilinear upsamplings
//   mse_loss, l1_loss, smooth_l1_loss, huber_loss, linalg_norm, linalg_matrix_norm("fro"), dist, vdot, inner,
//   linalg_vecdot, linalg_cross, std_mean    see spell_sums.c
#include "compiler/passes/canonical/spell_out.h"

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static const double half_turn_degrees = 180.0, half_turn = 3.14159265358979323846;

// ---- extremes

// Of a tensor without dimensions both operators have other rules.
static bool spell_extreme(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const bool is_max = node->op == RL_OP_aten_max_dim;
    const bool has_extreme = rl_value_use_count(pass->graph, node->results[0]) > 0;
    const bool has_place = rl_value_use_count(pass->graph, node->results[1]) > 0;
    struct rl_arg args[] = {node->args[0], node->args[1], node->args[2]};
    if (has_extreme == has_place || node->args[0].as.value->type.rank == 0) {
        return false;
    }
    enum rl_op_id op = is_max ? RL_OP_aten_argmax : RL_OP_aten_argmin;
    if (has_extreme) {
        op = is_max ? RL_OP_aten_amax : RL_OP_aten_amin;
        args[1] = rl_arg_ints(pass->graph->arena, &node->args[1].as.integer, 1);
    }
    const int kept = has_extreme ? 0 : 1;
    rl_build_result(&at, kept, rl_build(&at, op, &node->results[kept]->type, args, 3));
    rl_graph_remove(pass->graph, node);
    return true;
}

// ---- movement

static struct rl_value *flipped(const struct rl_build *at, struct rl_value *value, const int64_t *dims, int count)
{
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(at->graph->arena, dims, count)};
    return rl_build(at, RL_OP_aten_flip, &value->type, args, 2);
}

static bool spell_flip(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const int64_t dim = node->op == RL_OP_aten_fliplr ? 1 : 0;
    const struct rl_arg args[] = {node->args[0], rl_arg_ints(pass->graph->arena, &dim, 1)};
    rl_build_end(&at, RL_OP_aten_flip, args, 2);
    return true;
}

// One quarter of a turn flips the second dimension and exchanges both; three flip the first one.
static bool spell_turn(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value;
    const struct rl_arg *given = rl_node_arg(node, "dims");
    const int rank = self->type.rank;
    const int quarters = (int)((rl_node_int(node, "k") % 4 + 4) % 4);
    int64_t turned[2], dims[RL_MAX_RANK];
    for (int i = 0; i < 2; i++) {
        turned[i] = given->count == 2 ? rl_dim_normalized(given->as.integers[i], rank) : -1;
    }
    if (turned[0] < 0 || turned[1] < 0 || turned[0] == turned[1]) {
        return rl_decline(pass->graph, node, "other dimensions than two of the tensor");
    }
    if (quarters % 2 == 0) {
        rl_build_end_view(&at, quarters == 2 ? flipped(&at, self, turned, 2) : self);
        return true;
    }
    for (int d = 0; d < rank; d++) {
        dims[d] = d;
    }
    dims[turned[0]] = turned[1];
    dims[turned[1]] = turned[0];
    const struct rl_arg args[] = {rl_arg_value(flipped(&at, self, &turned[quarters == 1 ? 1 : 0], 1)),
                                  rl_arg_ints(pass->graph->arena, dims, rank)};
    rl_build_end(&at, RL_OP_aten_permute_copy, args, 2);
    return true;
}

static struct rl_value *flattened(const struct rl_build *at, struct rl_value *value)
{
    const int64_t count = rl_tensor_numel(&value->type);
    return rl_build_view(at, value, 1, &count);
}

// Without a dimension both tensors are flat. gather does not broadcast.
static bool spell_take(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *places = rl_node_tensor(node, "indices");
    const struct rl_arg *given = rl_node_arg(node, "dim");
    if (given->kind == RL_ARG_NONE) {
        self = flattened(&at, self);
        places = flattened(&at, places);
    }
    const int rank = self->type.rank;
    const int dim = given->kind == RL_ARG_NONE ? 0 : rl_dim_normalized(given->as.integer, rank);
    bool fits = dim >= 0 && places->type.rank == rank;
    for (int d = 0; d < rank && fits; d++) {
        fits = d == dim || self->type.sizes[d] == places->type.sizes[d];
    }
    if (!fits) {
        return rl_decline(pass->graph, node, "operands that broadcast");
    }
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim), rl_arg_value(places)};
    rl_build_end(&at, RL_OP_aten_gather, args, 3);
    return true;
}

// The places count the elements of an image of the result.
static bool spell_unpool(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *places = rl_node_tensor(node, "indices");
    const struct rl_tensor_type *from = &self->type, *to = &node->results[0]->type;
    const int planes = from->rank - 2;
    if (from->dtype != RL_FLOAT32 || planes < 1 || to->rank != from->rank ||
        !rl_tensor_same_sizes(from, &places->type)) {
        return rl_decline(pass->graph, node, "other operands than images of float32 and as many places");
    }
    int64_t small[RL_MAX_RANK], large[RL_MAX_RANK];
    for (int d = 0; d < planes; d++) {
        small[d] = large[d] = from->sizes[d];
    }
    small[planes] = from->sizes[planes] * from->sizes[planes + 1];
    large[planes] = to->sizes[planes] * to->sizes[planes + 1];
    const struct rl_arg args[] = {rl_arg_value(rl_build_constant(&at, planes + 1, large, 0.0)), rl_arg_int(-1),
                                  rl_arg_value(rl_build_view(&at, places, planes + 1, small)),
                                  rl_arg_value(rl_build_view(&at, self, planes + 1, small))};
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, planes + 1, large);
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_scatter_src, &type, args, 4));
    return true;
}

// ---- numbers

static bool spell_angle(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const double factor =
        node->op == RL_OP_aten_deg2rad ? half_turn / half_turn_degrees : half_turn_degrees / half_turn;
    if (!rl_scalar_is_floating(node->args[0].as.value->type.dtype)) {
        return rl_decline(pass->graph, node, "another operand than floats");
    }
    const struct rl_arg args[] = {node->args[0], rl_arg_double(factor)};
    rl_build_end(&at, RL_OP_aten_mul_scalar, args, 2);
    return true;
}

// `image` [n, c, h, w] enlarged to `sizes`, which scales give where the model has them.
static struct rl_value *enlarged(const struct rl_build *at, struct rl_value *image, const int64_t *sizes,
                                 const double *scales)
{
    struct rl_tensor_type type = image->type;
    const struct rl_arg none = {.kind = RL_ARG_NONE};
    struct rl_arena *arena = at->graph->arena;
    type.sizes[2] = sizes[0];
    type.sizes[3] = sizes[1];
    const struct rl_arg args[] = {rl_arg_value(image), scales ? none : rl_arg_ints(arena, sizes, 2),
                                  *rl_node_arg(at->node, "align_corners"),
                                  scales ? rl_arg_doubles(arena, scales, 2) : none};
    type = rl_tensor_type_make(type.dtype, 4, type.sizes);
    return rl_build(at, RL_OP_aten_upsample_bilinear2d_vec, &type, args, 4);
}

// Rows and columns of every plane first, then planes, whose elements are columns that keep their number.
static bool spell_trilinear(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *input = rl_node_tensor(node, "input");
    const struct rl_arg *given = rl_node_arg(node, "scale_factors");
    const struct rl_tensor_type *from = &input->type, *to = &node->results[0]->type;
    const bool has_scales = given->kind == RL_ARG_DOUBLES;
    if (from->rank != 5 || to->rank != 5 || (has_scales && given->count != 3)) {
        return rl_decline(pass->graph, node, "other operands than volumes");
    }
    const int64_t planes[] = {from->sizes[0], from->sizes[1] * from->sizes[2], from->sizes[3], from->sizes[4]};
    const int64_t flat[] = {from->sizes[0], from->sizes[1], from->sizes[2], to->sizes[3] * to->sizes[4]};
    const int64_t depth[] = {to->sizes[2], flat[3]};
    const double depth_scales[] = {has_scales ? given->as.numbers[0] : 1.0, 1.0};
    struct rl_value *value =
        enlarged(&at, rl_build_view(&at, input, 4, planes), to->sizes + 3, has_scales ? given->as.numbers + 1 : NULL);
    value = enlarged(&at, rl_build_view(&at, value, 4, flat), depth, has_scales ? depth_scales : NULL);
    rl_build_end_view(&at, value);
    return true;
}

enum rl_status rl_pass_spell_out(struct rl_pass *pass)
{
    static const struct {
        enum rl_op_id op;
        bool (*spell)(const struct rl_pass *pass, struct rl_node *node);
    } rules[] = {
        {RL_OP_aten_max_dim, spell_extreme},
        {RL_OP_aten_min_dim, spell_extreme},
        {RL_OP_aten_rot90, spell_turn},
        {RL_OP_aten_fliplr, spell_flip},
        {RL_OP_aten_flipud, spell_flip},
        {RL_OP_aten_take_along_dim, spell_take},
        {RL_OP_aten_max_unpool2d, spell_unpool},
        {RL_OP_aten_deg2rad, spell_angle},
        {RL_OP_aten_rad2deg, spell_angle},
        {RL_OP_aten_upsample_trilinear3d_vec, spell_trilinear},
        {RL_OP_aten_mse_loss, rl_spell_loss},
        {RL_OP_aten_l1_loss, rl_spell_loss},
        {RL_OP_aten_smooth_l1_loss, rl_spell_loss},
        {RL_OP_aten_huber_loss, rl_spell_loss},
        {RL_OP_aten_linalg_norm, rl_spell_norm},
        {RL_OP_aten_linalg_norm_ord_str, rl_spell_norm},
        {RL_OP_aten_linalg_matrix_norm_str_ord, rl_spell_norm},
        {RL_OP_aten_dist, rl_spell_distance},
        {RL_OP_aten_vdot, rl_spell_product},
        {RL_OP_aten_inner, rl_spell_product},
        {RL_OP_aten_linalg_vecdot, rl_spell_vector_product},
        {RL_OP_aten_linalg_cross, rl_spell_cross},
        {RL_OP_aten_std_mean, rl_spell_deviation},
        {RL_OP_aten_std_mean_dim, rl_spell_deviation},
        {RL_OP_aten_std_mean_correction, rl_spell_deviation},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        rl_lower_each(pass, rules[i].op, rules[i].spell);
    }
    return RL_OK;
}
