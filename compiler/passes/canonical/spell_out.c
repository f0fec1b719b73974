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
//   max_unpool2d, max_unpool3d       a scatter into zeros
//   adaptive_max_pool3d              the same of images, twice
//   conv_tbc                         a convolution of sequences between permutations
//   max_pool1d_with_indices          the same of images
//   upsample_trilinear3d             two bilinear upsamplings
//   splits, diagonals, blocks, ...   see spell_parts.c
//   products, grids                  see spell_products.c
//   counts, ranks, running products  see spell_counts.c
//   fmax, nansum, isclose, ...       see spell_numbers.c
//   reductions by index              see spell_scatter.c
//   losses                           see spell_losses.c
//   norms, deviations                see spell_sums.c
#include "compiler/passes/canonical/spell_out.h"

#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

static const double half_turn_degrees = 180.0, half_turn = 3.14159265358979323846;

bool rl_are_floats(const struct rl_value *a, const struct rl_value *b)
{
    return rl_scalar_is_floating(a->type.dtype) && a->type.dtype == b->type.dtype;
}

int rl_all_dims(const struct rl_value *value, int64_t *dims)
{
    for (int d = 0; d < value->type.rank; d++) {
        dims[d] = d;
    }
    return value->type.rank;
}

bool rl_has_nan(const struct rl_pass *pass)
{
    return !rl_quantizes(pass);
}

const struct rl_value *rl_spelled_constant(const struct rl_value *value)
{
    while (value->kind == RL_VALUE_RESULT && rl_op_get(value->producer->op)->rearranges == RL_REARRANGES_SAME) {
        value = value->producer->args[0].as.value;
    }
    return value->kind == RL_VALUE_CONSTANT && rl_tensor_is_contiguous(&value->type) ? value : NULL;
}

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

// The larger of the sizes of both along every dimension but `dim`.
static struct rl_value *broadcast_beside(const struct rl_build *at, struct rl_value *value,
                                         const struct rl_tensor_type *other, int dim)
{
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0; d < value->type.rank; d++) {
        sizes[d] = d == dim ? value->type.sizes[d] : rl_broadcast_size(value->type.sizes[d], other->sizes[d]);
    }
    return rl_build_expand(at, value, value->type.rank, sizes);
}

// Without a dimension both tensors are flat. gather does not broadcast.
static bool spell_take(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *places = rl_node_tensor(node, "indices");
    const struct rl_arg *given = rl_node_arg(node, "dim");
    if (given->kind == RL_ARG_NONE) {
        self = rl_build_flat(&at, self);
        places = rl_build_flat(&at, places);
    }
    const int rank = self->type.rank;
    const int dim = given->kind == RL_ARG_NONE ? 0 : rl_dim_normalized(given->as.integer, rank);
    if (dim < 0 || places->type.rank != rank) {
        return rl_decline(pass->graph, node, "places of another rank");
    }
    struct rl_value *wide = broadcast_beside(&at, self, &places->type, dim);
    places = broadcast_beside(&at, places, &self->type, dim);
    const struct rl_arg args[] = {rl_arg_value(wide), rl_arg_int(dim), rl_arg_value(places)};
    rl_build_end(&at, RL_OP_aten_gather, args, 3);
    return true;
}

// The places count the elements of an image of the result.
static bool spell_unpool(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *places = rl_node_tensor(node, "indices");
    const struct rl_tensor_type *from = &self->type, *to = &node->results[0]->type;
    const int planes = from->rank - (node->op == RL_OP_aten_max_unpool3d ? 3 : 2);
    if (from->dtype != RL_FLOAT32 || planes < 1 || to->rank != from->rank ||
        !rl_tensor_same_sizes(from, &places->type)) {
        return rl_decline(pass->graph, node, "other operands than images of float32 and as many places");
    }
    int64_t small[RL_MAX_RANK], large[RL_MAX_RANK];
    for (int d = 0; d < planes; d++) {
        small[d] = large[d] = from->sizes[d];
    }
    small[planes] = large[planes] = 1;
    for (int d = planes; d < from->rank; d++) {
        small[planes] *= from->sizes[d];
        large[planes] *= to->sizes[d];
    }
    const struct rl_arg args[] = {rl_arg_value(rl_build_constant(&at, planes + 1, large, 0.0)), rl_arg_int(-1),
                                  rl_arg_value(rl_build_view(&at, places, planes + 1, small)),
                                  rl_arg_value(rl_build_view(&at, self, planes + 1, small))};
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, planes + 1, large);
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_scatter_src, &type, args, 4));
    return true;
}

// A sequence is an image of one row, in which places count the same.
static bool spell_indexed_pool(const struct rl_pass *pass, struct rl_node *node)
{
    static const char *const names[] = {"kernel_size", "stride", "padding", "dilation"};
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_tensor_type *to = &node->results[0]->type;
    const int rank = self->type.rank;
    struct rl_arg args[6];
    if (rank < 2 || rank > 3 || to->rank != rank || self->type.dtype != RL_FLOAT32) {
        return rl_decline(pass->graph, node, "other operands than sequences of float32");
    }
    for (int i = 0; i < 4; i++) {
        int64_t pair[2] = {i == 2 ? 0 : 1, 0};
        if (!rl_node_ints(node, names[i], 1, i == 1 ? -1 : 0, &pair[1])) {
            return rl_decline(pass->graph, node, "%s of an unexpected length", names[i]);
        }
        const bool is_left_out = i == 1 && pair[1] == -1; // the stride is the kernel then
        args[1 + i] = is_left_out ? args[1] : rl_arg_ints(pass->graph->arena, pair, 2);
    }
    const int64_t columns = to->sizes[rank - 1],
                  image[] = {1, self->type.sizes[rank - 2], 1, self->type.sizes[rank - 1]};
    int64_t from[RL_MAX_RANK], sizes[RL_MAX_RANK];
    for (int d = 0; d < 4; d++) {
        from[d] = sizes[d] = d == 0 && rank == 3 ? self->type.sizes[0] : image[d];
    }
    sizes[3] = columns;
    args[0] = rl_arg_value(rl_build_view(&at, self, 4, from));
    args[5] = *rl_node_arg(node, "ceil_mode");
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, sizes);
    struct rl_value *pooled = rl_build(&at, RL_OP_aten_max_pool2d_with_indices, &type, args, 6);
    type.dtype = RL_INT64;
    rl_node_append_result(pass->graph, pooled->producer, "indices", &type);
    for (int i = 0; i < 2; i++) {
        rl_build_result(&at, i, rl_build_view(&at, pooled->producer->results[i], rank, to->sizes));
    }
    rl_graph_remove(pass->graph, node);
    return true;
}

static struct rl_value *largest_of_planes(const struct rl_build *at, struct rl_value *image, const int64_t *from,
                                          const int64_t *to)
{
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, to);
    const struct rl_arg args[] = {rl_arg_value(rl_build_view(at, image, 4, from)),
                                  rl_arg_ints(at->graph->arena, to + 2, 2)};
    struct rl_value *pooled = rl_build(at, RL_OP_aten_adaptive_max_pool2d, &type, args, 2);
    type.dtype = RL_INT64;
    rl_node_append_result(at->graph, pooled->producer, "indices", &type);
    return pooled;
}

// Rows and columns of every plane first, then planes, whose elements are columns that keep their number.
static bool spell_adaptive_volume(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const struct rl_tensor_type *to = &node->results[0]->type;
    const int rank = self->type.rank, first = rank - 3;
    if (rank < 4 || rank > 5 || to->rank != rank || self->type.dtype != RL_FLOAT32 ||
        rl_tensor_numel(&self->type) == 0 || rl_value_use_count(pass->graph, node->results[1]) > 0) {
        return rl_decline(pass->graph, node, "other operands than volumes of float32, or places that are used");
    }
    const int64_t *from = self->type.sizes;
    const int64_t channels = rank == 5 ? from[0] * from[1] : from[0];
    const int64_t planes[] = {1, channels * from[first], from[first + 1], from[first + 2]};
    const int64_t pooled[] = {1, planes[1], to->sizes[first + 1], to->sizes[first + 2]};
    const int64_t lines[] = {1, channels, from[first], pooled[2] * pooled[3]};
    const int64_t depth[] = {1, channels, to->sizes[first], lines[3]};
    struct rl_value *value = largest_of_planes(&at, self, planes, pooled);
    value = rl_build_view(&at, largest_of_planes(&at, value, lines, depth), rank, to->sizes);
    rl_build_result(&at, 0, value);
    rl_graph_remove(pass->graph, node);
    return true;
}

// [steps, batch, channels] with weights [taps, channels, filters].
static bool spell_convolution(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t to_lines[] = {1, 2, 0}, back[] = {2, 0, 1}, to_filters[] = {2, 1, 0};
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *weight = rl_node_tensor(node, "weight");
    const struct rl_tensor_type *to = &node->results[0]->type;
    const int64_t one = 1;
    if (self->type.rank != 3 || weight->type.rank != 3 || to->rank != 3) {
        return rl_decline(pass->graph, node, "other operands than sequences of rank 3");
    }
    const int64_t sizes[] = {to->sizes[1], to->sizes[2], to->sizes[0]};
    const struct rl_tensor_type type = rl_tensor_type_make(to->dtype, 3, sizes);
    const struct rl_arg ones = rl_arg_ints(pass->graph->arena, &one, 1);
    struct rl_value *lines = rl_build_permute(&at, self, to_lines);
    const struct rl_arg args[] = {rl_arg_value(lines),
                                  rl_arg_value(rl_build_permute(&at, weight, to_filters)),
                                  *rl_node_arg(node, "bias"),
                                  ones,
                                  rl_arg_ints(pass->graph->arena, &rl_node_arg(node, "pad")->as.integer, 1),
                                  ones,
                                  rl_arg_int(1)};
    const struct rl_arg turned[] = {rl_arg_value(rl_build(&at, RL_OP_aten_conv1d, &type, args, 7)),
                                    rl_arg_ints(pass->graph->arena, back, 3)};
    rl_build_end(&at, RL_OP_aten_permute_copy, turned, 2);
    return true;
}

static bool spell_sampler(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_arg args[5];
    if (node->args[0].as.value->type.rank != 4) {
        return rl_decline(pass->graph, node, "samples of a volume; accepted: of images");
    }
    memcpy(args, node->args, sizeof args);
    rl_build_end(&at, RL_OP_aten_grid_sampler_2d, args, 5);
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

static const struct rl_lowering rules[] = {
    {RL_OP_aten_max_dim, spell_extreme},
    {RL_OP_aten_min_dim, spell_extreme},
    {RL_OP_aten_rot90, spell_turn},
    {RL_OP_aten_fliplr, spell_flip},
    {RL_OP_aten_flipud, spell_flip},
    {RL_OP_aten_take_along_dim, spell_take},
    {RL_OP_aten_max_unpool2d, spell_unpool},
    {RL_OP_aten_max_pool1d_with_indices, spell_indexed_pool},
    {RL_OP_aten_max_unpool3d, spell_unpool},
    {RL_OP_aten_adaptive_max_pool3d, spell_adaptive_volume},
    {RL_OP_aten_conv_tbc, spell_convolution},
    {RL_OP_aten_grid_sampler, spell_sampler},
    {RL_OP_aten_deg2rad, spell_angle},
    {RL_OP_aten_rad2deg, spell_angle},
    {RL_OP_aten_upsample_trilinear3d_vec, spell_trilinear},
    {RL_OP_aten_mse_loss, rl_spell_loss},
    {RL_OP_aten_l1_loss, rl_spell_loss},
    {RL_OP_aten_smooth_l1_loss, rl_spell_loss},
    {RL_OP_aten_huber_loss, rl_spell_loss},
    {RL_OP_aten_kl_div, rl_spell_divergence},
    {RL_OP_aten_binary_cross_entropy, rl_spell_binary_loss},
    {RL_OP_aten_binary_cross_entropy_with_logits, rl_spell_binary_loss},
    {RL_OP_aten_cross_entropy_loss, rl_spell_class_loss},
    {RL_OP_aten_nll_loss_nd, rl_spell_class_loss},
    {RL_OP_aten_linalg_norm, rl_spell_norm},
    {RL_OP_aten_linalg_norm_ord_str, rl_spell_norm},
    {RL_OP_aten_linalg_matrix_norm, rl_spell_norm},
    {RL_OP_aten_linalg_matrix_norm_str_ord, rl_spell_norm},
    {RL_OP_aten_dist, rl_spell_distance},
    {RL_OP_aten_std_mean, rl_spell_deviation},
    {RL_OP_aten_std_mean_dim, rl_spell_deviation},
    {RL_OP_aten_std_mean_correction, rl_spell_deviation},
    {RL_OP_aten_hsplit_int, rl_spell_split},
    {RL_OP_aten_hsplit_array, rl_spell_split},
    {RL_OP_aten_vsplit_int, rl_spell_split},
    {RL_OP_aten_vsplit_array, rl_spell_split},
    {RL_OP_aten_dsplit_int, rl_spell_split},
    {RL_OP_aten_dsplit_array, rl_spell_split},
    {RL_OP_aten_diag, rl_spell_diagonal},
    {RL_OP_aten_diagflat, rl_spell_flat_diagonal},
    {RL_OP_aten_diag_embed, rl_spell_diagonals},
    {RL_OP_aten_trace, rl_spell_trace},
    {RL_OP_aten_block_diag, rl_spell_blocks},
    {RL_OP_aten_cartesian_prod, rl_spell_tuples},
    {RL_OP_aten_take, rl_spell_elements},
    {RL_OP_aten_repeat_interleave_self_tensor, rl_spell_repeats},
    {RL_OP_aten_fft_fftshift, rl_spell_shift},
    {RL_OP_aten_fft_ifftshift, rl_spell_shift},
    {RL_OP_aten_tril_indices, rl_spell_triangle},
    {RL_OP_aten_triu_indices, rl_spell_triangle},
    {RL_OP_aten_vdot, rl_spell_product},
    {RL_OP_aten_inner, rl_spell_product},
    {RL_OP_aten_linalg_vecdot, rl_spell_vector_product},
    {RL_OP_aten_cross, rl_spell_cross},
    {RL_OP_aten_linalg_cross, rl_spell_cross},
    {RL_OP_aten_addr, rl_spell_sum_with_product},
    {RL_OP_aten_addmv, rl_spell_sum_with_product},
    {RL_OP_aten_addbmm, rl_spell_sum_with_product},
    {RL_OP_aten_linalg_multi_dot, rl_spell_chain},
    {RL_OP_aten_chain_matmul, rl_spell_chain},
    {RL_OP_aten_matrix_power, rl_spell_matrix_power},
    {RL_OP_aten_linalg_matrix_power, rl_spell_matrix_power},
    {RL_OP_aten_kron, rl_spell_kron},
    {RL_OP_aten_affine_grid_generator, rl_spell_affine_grid},
    {RL_OP_aten_count_nonzero, rl_spell_count},
    {RL_OP_aten_count_nonzero_dim_intlist, rl_spell_count},
    {RL_OP_aten_isin_tensor_tensor, rl_spell_membership},
    {RL_OP_aten_isin_tensor_scalar, rl_spell_membership},
    {RL_OP_aten_bucketize, rl_spell_buckets},
    {RL_OP_aten_searchsorted, rl_spell_search},
    {RL_OP_aten_searchsorted_scalar, rl_spell_search},
    {RL_OP_aten_msort, rl_spell_sort},
    {RL_OP_aten_quantile, rl_spell_quantile},
    {RL_OP_aten_quantile_scalar, rl_spell_quantile},
    {RL_OP_aten_cumprod, rl_spell_running},
    {RL_OP_aten_logcumsumexp, rl_spell_running},
    {RL_OP_aten_trapezoid_x, rl_spell_area},
    {RL_OP_aten_trapezoid_dx, rl_spell_area},
    {RL_OP_aten_trapz_x, rl_spell_area},
    {RL_OP_aten_trapz_dx, rl_spell_area},
    {RL_OP_aten_cumulative_trapezoid_x, rl_spell_area},
    {RL_OP_aten_cumulative_trapezoid_dx, rl_spell_area},
    {RL_OP_aten_fmax, rl_spell_extreme_number},
    {RL_OP_aten_fmin, rl_spell_extreme_number},
    {RL_OP_aten_nansum, rl_spell_sum_of_numbers},
    {RL_OP_aten_nanmean, rl_spell_sum_of_numbers},
    {RL_OP_aten_isposinf, rl_spell_infinite},
    {RL_OP_aten_isneginf, rl_spell_infinite},
    {RL_OP_aten_positive, rl_spell_same},
    {RL_OP_aten_rsub_tensor, rl_spell_reversed},
    {RL_OP_aten_heaviside, rl_spell_heaviside},
    {RL_OP_aten_xlogy_tensor, rl_spell_xlogy},
    {RL_OP_aten_special_xlogy, rl_spell_xlogy},
    {RL_OP_aten_round_decimals, rl_spell_decimals},
    {RL_OP_aten_renorm, rl_spell_renorm},
    {RL_OP_aten_embedding_renorm, rl_spell_renorm_rows},
    {RL_OP_aten_isclose, rl_spell_close},
    {RL_OP_aten_signbit, rl_spell_sign_bit},
    {RL_OP_aten_copysign, rl_spell_copied_sign},
    {RL_OP_aten_copysign_scalar, rl_spell_copied_sign},
    {RL_OP_aten_combinations, rl_spell_combinations},
    {RL_OP_aten_vander, rl_spell_powers},
    {RL_OP_aten_linalg_vander, rl_spell_powers},
    {RL_OP_aten_put, rl_spell_put},
    {RL_OP_aten_diagonal_scatter, rl_spell_diagonal_scatter},
    {RL_OP_aten_index_reduce, rl_spell_index_reduce},
    {RL_OP_aten_scatter_reduce, rl_spell_scatter_reduce},
    {RL_OP_aten_scatter_src_reduce, rl_spell_scatter},
    {RL_OP_aten_scatter_value_reduce, rl_spell_scatter},
    {RL_OP_aten_index_add, rl_spell_known_sum},
    {RL_OP_aten_scatter_add, rl_spell_known_sum},
    {RL_OP_aten_index_fill, rl_spell_known_fill},
};

enum rl_status rl_pass_spell_out(struct rl_pass *pass)
{
    rl_lower_table(pass, rules, sizeof rules / sizeof rules[0]);
    return RL_OK;
}
