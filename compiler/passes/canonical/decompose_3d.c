// SPDX-License-Identifier: Apache-2.0
//
// decompose_3d: convolutions and pools of volumes [N, C, D, H, W] become those of images.
//   needs   padding as numbers (resolve_padding); no in-place operators
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   conv3d             conv2d of [N * D', C * taps, H, W]: each channel with the planes that the taps along D meet, as
//                      channels of their own, so that each sum stays one sum. Batch norm and activations behind it
//                      follow, because they fuse into the convolution
//   max_pool3d, avg_pool3d, adaptive_avg_pool3d
//                      two pools: of planes [N, C * D, H, W], and of lines [N, C, D, H' * W']
//   constant_pad_nd    of more than four dimensions: a pad of fewer, in which neighbours without padding are one. Not
//                      in floating point, where the kernel takes any number
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

enum { DEPTH = 2, SPATIAL = 3, RANK = 5 };

static bool are_sizes(const int64_t *numbers, int count, int64_t least)
{
    for (int i = 0; i < count; i++) {
        if (numbers[i] < least || numbers[i] > INT16_MAX) {
            return false;
        }
    }
    return true;
}

static bool is_volume(const struct rl_value *value)
{
    return value->type.rank == RANK && are_sizes(value->type.sizes, 2, 1) &&
           are_sizes(value->type.sizes + DEPTH, SPATIAL, 1);
}

// The nodes that are built from now on carry the reason.
static void leave_to_stock(const struct rl_pass *pass, struct rl_node *node)
{
    if (rl_quantizes_as_stock(pass)) {
        rl_decline(pass->graph, node, "the stock quantizer leaves operators on volumes in floating point");
    }
}

// ---- convolutions

struct conv {
    struct rl_value *input, *weight;
    int64_t stride[SPATIAL], padding[SPATIAL], dilation[SPATIAL];
    int64_t groups;
};

static bool read_conv(const struct rl_node *node, struct conv *conv)
{
    conv->input = rl_node_tensor(node, "input");
    conv->weight = rl_node_tensor(node, "weight");
    conv->groups = rl_node_int(node, "groups");
    if (!is_volume(conv->input) || !is_volume(conv->weight) || !is_volume(node->results[0]) ||
        !rl_node_ints(node, "stride", SPATIAL, 1, conv->stride) ||
        !rl_node_ints(node, "padding", SPATIAL, 0, conv->padding) ||
        !rl_node_ints(node, "dilation", SPATIAL, 1, conv->dilation) || !are_sizes(conv->stride, SPATIAL, 1) ||
        !are_sizes(conv->padding, SPATIAL, 0) || !are_sizes(conv->dilation, SPATIAL, 1)) {
        return false;
    }
    const int64_t *in = conv->input->type.sizes, *out = node->results[0]->type.sizes, *taps = conv->weight->type.sizes;
    for (int i = 0; i < SPATIAL; i++) {
        const struct rl_window window = {(int32_t)taps[DEPTH + i], (int32_t)conv->stride[i], (int32_t)conv->padding[i],
                                         (int32_t)conv->dilation[i]};
        if (rl_count_windows((uint32_t)in[DEPTH + i], &window) != out[DEPTH + i]) {
            return false;
        }
    }
    return conv->groups >= 1 && in[0] == out[0] && taps[0] == out[1] && in[1] == taps[1] * conv->groups;
}

// The volume with zeros before and behind, along D. The pad is one of images, which the integer kernels take.
static struct rl_value *padded(const struct rl_build *at, struct rl_value *volume, int64_t amount)
{
    if (amount == 0) {
        return volume;
    }
    const int64_t *from = volume->type.sizes, amounts[4] = {0, 0, amount, amount};
    const int64_t lines[4] = {from[0], from[1], from[2], from[3] * from[4]};
    const int64_t sizes[RANK] = {from[0], from[1], from[2] + 2 * amount, from[3], from[4]};
    struct rl_value *flat = rl_build_view(at, volume, 4, lines);
    struct rl_tensor_type type = flat->type;
    type.sizes[DEPTH] = sizes[DEPTH];
    const struct rl_arg args[] = {rl_arg_value(flat), rl_arg_ints(at->graph->arena, amounts, 4)};
    return rl_build_view(at, rl_build(at, RL_OP_aten_constant_pad_nd, &type, args, 2), RANK, sizes);
}

// The planes of `planes` [N, D, C, H, W] that a tap meets, as [N * D', C, 1, H * W].
static struct rl_value *planes_of_tap(const struct rl_build *at, struct rl_value *planes, const struct conv *conv,
                                      int64_t tap, int64_t count)
{
    const int64_t *sizes = planes->type.sizes, start = tap * conv->dilation[0];
    struct rl_tensor_type type = rl_tensor_type_make(planes->type.dtype, RANK, sizes);
    type.sizes[1] = count;
    const struct rl_arg args[] = {rl_arg_value(planes), rl_arg_int(1), rl_arg_int(start),
                                  rl_arg_int(start + (count - 1) * conv->stride[0] + 1), rl_arg_int(conv->stride[0])};
    struct rl_value *part = rl_build(at, RL_OP_aten_slice_copy_tensor, &type, args, 5);
    const int64_t lines[4] = {sizes[0] * count, sizes[2], 1, sizes[3] * sizes[4]};
    return rl_build_view(at, part, 4, lines);
}

// The images of the convolution: [N * D', C * taps, H, W].
static struct rl_value *images_of(const struct rl_build *at, const struct conv *conv, int64_t count)
{
    static const int64_t depth_first[RANK] = {0, 2, 1, 3, 4};
    const int64_t taps = conv->weight->type.sizes[DEPTH];
    struct rl_value *volume = padded(at, conv->input, conv->padding[0]);
    const int64_t *sizes = volume->type.sizes;
    const int64_t images[4] = {sizes[0] * count, sizes[1] * taps, sizes[3], sizes[4]};
    if (taps == sizes[DEPTH] && conv->dilation[0] == 1) {
        return rl_build_view(at, volume, 4, images); // one window over all planes
    }
    struct rl_value *planes = rl_build_permute(at, volume, depth_first);
    struct rl_value **parts = rl_arena_array(at->graph->arena, (size_t)taps, sizeof *parts);
    for (int64_t tap = 0; tap < taps; tap++) {
        parts[tap] = planes_of_tap(at, planes, conv, tap, count);
    }
    return rl_build_view(at, taps == 1 ? parts[0] : rl_build_cat(at, parts, (int)taps, 2), 4, images);
}

static struct rl_value *weight_of_images(const struct rl_build *at, struct rl_value *weight)
{
    static const int in_order[RANK] = {0, 1, 2, 3, 4};
    const int64_t *from = weight->type.sizes;
    const int64_t sizes[4] = {from[0], from[1] * from[2], from[3], from[4]};
    if (weight->kind != RL_VALUE_CONSTANT || rl_value_is_state(weight)) {
        return rl_build_view(at, weight, 4, sizes);
    }
    struct rl_value *images = rl_constant_permuted(at->graph, weight, in_order, weight->name); // row-major
    images->type = rl_tensor_type_make(weight->type.dtype, 4, sizes);
    return images;
}

// Whether an operator computes the same on the images: it is a batch norm or an activation.
static bool follows(const struct rl_node *user, const struct rl_value *volume)
{
    return user && (user->op == RL_OP_aten_batch_norm || rl_op_get(user->op)->is_activation) &&
           user->result_count == 1 && user->args[0].kind == RL_ARG_VALUE && user->args[0].as.value == volume &&
           user->results[0]->type.dtype == volume->type.dtype &&
           rl_tensor_same_sizes(&user->results[0]->type, &volume->type);
}

static bool decompose_conv(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t channels_first[RANK] = {0, 2, 1, 3, 4};
    struct rl_graph *graph = pass->graph;
    struct conv conv;
    if (!read_conv(node, &conv)) {
        return rl_decline(graph, node, "no batch, or sizes that contradict each other or are above %d", INT16_MAX);
    }
    leave_to_stock(pass, node);
    struct rl_build at = {graph, node};
    const int64_t *out = node->results[0]->type.sizes, count = out[DEPTH];
    const int64_t volume[RANK] = {out[0], count, out[1], out[3], out[4]};
    const int64_t sizes[4] = {out[0] * count, out[1], out[3], out[4]};
    const struct rl_tensor_type type = rl_tensor_type_make(node->results[0]->type.dtype, 4, sizes);
    struct rl_value *images = images_of(&at, &conv, count);
    struct rl_value *weight = weight_of_images(&at, conv.weight);
    const struct rl_arg args[] = {rl_arg_value(images),
                                  rl_arg_value(weight),
                                  *rl_node_arg(node, "bias"),
                                  rl_arg_ints(graph->arena, conv.stride + 1, 2),
                                  rl_arg_ints(graph->arena, conv.padding + 1, 2),
                                  rl_arg_ints(graph->arena, conv.dilation + 1, 2),
                                  rl_arg_int(conv.groups)};
    struct rl_value *result = rl_build(&at, RL_OP_aten_conv2d, &type, args, 7);
    for (;;) {
        struct rl_node *user = rl_value_only_user(graph, at.node->results[0]);
        if (!follows(user, at.node->results[0])) {
            break;
        }
        at.node = user;
        struct rl_arg *same = rl_arena_array(graph->arena, (size_t)user->arg_count, sizeof *same);
        for (int i = 1; i < user->arg_count; i++) {
            same[i] = user->args[i];
        }
        same[0] = rl_arg_value(result);
        result = rl_build(&at, user->op, &type, same, user->arg_count);
    }
    result = rl_build_view(&at, result, RANK, volume);
    rl_build_result(&at, 0, rl_build_permute(&at, result, channels_first));
    return true;
}

// ---- pools

// The arguments of a pool, for H and W, and for D.
struct pool {
    struct rl_arg planes[7], lines[7];
    int count;
};

// Adds the list `name` of three numbers, of which D's stands beside `other` in the pool of lines.
static bool add_list(const struct rl_build *at, const char *name, int64_t other, const int64_t *fallback,
                     struct pool *pool)
{
    int64_t numbers[SPATIAL];
    const struct rl_arg *arg = rl_node_arg(at->node, name);
    if (fallback && (arg->kind != RL_ARG_INTS || arg->count == 0)) {
        for (int i = 0; i < SPATIAL; i++) {
            numbers[i] = fallback[i];
        }
    } else if (!rl_node_ints(at->node, name, SPATIAL, other, numbers)) {
        return false;
    }
    const int64_t line[2] = {numbers[0], other};
    pool->planes[pool->count] = rl_arg_ints(at->graph->arena, numbers + 1, 2);
    pool->lines[pool->count++] = rl_arg_ints(at->graph->arena, line, 2);
    return are_sizes(numbers, SPATIAL, 0);
}

static void add_same(const struct rl_node *node, const char *name, struct pool *pool)
{
    pool->planes[pool->count] = pool->lines[pool->count] = *rl_node_arg(node, name);
    pool->count++;
}

static bool read_pool(const struct rl_build *at, struct pool *pool)
{
    const struct rl_node *node = at->node;
    int64_t kernel[SPATIAL];
    *pool = (struct pool){.count = 1};
    if (node->op == RL_OP_aten_adaptive_avg_pool3d) {
        return true;
    }
    if (!rl_node_ints(node, "kernel_size", SPATIAL, 1, kernel) || !add_list(at, "kernel_size", 1, NULL, pool) ||
        !add_list(at, "stride", 1, kernel, pool) || !add_list(at, "padding", 0, NULL, pool)) {
        return false;
    }
    if (node->op == RL_OP_aten_max_pool3d) {
        if (!add_list(at, "dilation", 1, NULL, pool)) {
            return false;
        }
        add_same(node, "ceil_mode", pool);
        return true;
    }
    add_same(node, "ceil_mode", pool);
    add_same(node, "count_include_pad", pool);
    add_same(node, "divisor_override", pool);
    if (pool->planes[pool->count - 1].kind != RL_ARG_NONE) {
        pool->planes[pool->count - 1] = rl_arg_int(1); // sums of planes, whose sum is divided
    }
    return true;
}

static bool decompose_pool(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *volume = rl_node_tensor(node, "self");
    struct pool pool;
    if (!is_volume(volume) || !is_volume(node->results[0]) || !read_pool(&at, &pool)) {
        return rl_decline(graph, node, "no batch, or sizes above %d", INT16_MAX);
    }
    leave_to_stock(pass, node);
    const int64_t *in = volume->type.sizes, *out = node->results[0]->type.sizes;
    const enum rl_scalar_type dtype = volume->type.dtype;
    enum rl_op_id op = RL_OP_aten_avg_pool2d;
    if (node->op == RL_OP_aten_adaptive_avg_pool3d) {
        op = RL_OP_aten_adaptive_avg_pool2d;
        const int64_t lines[2] = {out[2], out[3] * out[4]};
        pool.planes[pool.count] = rl_arg_ints(graph->arena, out + 3, 2);
        pool.lines[pool.count++] = rl_arg_ints(graph->arena, lines, 2);
    } else if (node->op == RL_OP_aten_max_pool3d) {
        op = RL_OP_aten_max_pool2d;
    }
    const int64_t planes[4] = {in[0], in[1] * in[2], in[3], in[4]}, pooled[4] = {in[0], planes[1], out[3], out[4]};
    const int64_t lines[4] = {in[0], in[1], in[2], out[3] * out[4]}, ends[4] = {in[0], in[1], out[2], lines[3]};
    const struct rl_tensor_type plane_type = rl_tensor_type_make(dtype, 4, pooled);
    const struct rl_tensor_type line_type = rl_tensor_type_make(dtype, 4, ends);
    pool.planes[0] = rl_arg_value(rl_build_view(&at, volume, 4, planes));
    struct rl_value *of_planes = rl_build(&at, op, &plane_type, pool.planes, pool.count);
    pool.lines[0] = rl_arg_value(rl_build_view(&at, of_planes, 4, lines));
    rl_build_end_view(&at, rl_build(&at, op, &line_type, pool.lines, pool.count));
    return true;
}

// ---- pads

// Joins neighbouring dimensions without padding. Returns how many are left: `sizes` and `pads`, the latter in the order
// of the argument, from the last dimension on. 0 if the argument does not fit the operand.
static int join_dims(const struct rl_tensor_type *type, const struct rl_arg *arg, int64_t *sizes, int64_t *pads)
{
    int count = 0;
    bool has_joined = false;
    if (arg->kind != RL_ARG_INTS || arg->count % 2 != 0 || arg->count > 2 * type->rank) {
        return 0;
    }
    for (int i = 0; i < type->rank; i++) { // from the last dimension on
        const int64_t size = type->sizes[type->rank - 1 - i];
        const int64_t before = 2 * i < arg->count ? arg->as.integers[2 * i] : 0;
        const int64_t behind = 2 * i < arg->count ? arg->as.integers[2 * i + 1] : 0;
        const bool is_whole = before == 0 && behind == 0;
        if (is_whole && has_joined) {
            sizes[count - 1] *= size;
            continue;
        }
        has_joined = is_whole;
        sizes[count] = size;
        pads[2 * count] = before;
        pads[2 * count + 1] = behind;
        count++;
    }
    for (int i = 0; i < count / 2; i++) {
        const int64_t size = sizes[i];
        sizes[i] = sizes[count - 1 - i];
        sizes[count - 1 - i] = size;
    }
    return count;
}

static bool decompose_pad(const struct rl_pass *pass, struct rl_node *node)
{
    enum { MOST_DIMS = 4 };
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    int64_t sizes[RL_MAX_RANK], pads[2 * RL_MAX_RANK];
    if (self->type.rank <= MOST_DIMS) {
        return false;
    }
    const int rank = join_dims(&self->type, rl_node_arg(node, "pad"), sizes, pads);
    if (rank == 0 || rank > MOST_DIMS) {
        return rl_decline(graph, node, "padding along more than four dimensions");
    }
    struct rl_value *joined = rl_build_view(&at, self, rank, sizes);
    const struct rl_arg args[] = {rl_arg_value(joined), rl_arg_ints(graph->arena, pads, 2 * rank),
                                  *rl_node_arg(node, "value")};
    for (int i = 0; i < rank; i++) {
        sizes[i] += pads[2 * (rank - 1 - i)] + pads[2 * (rank - 1 - i) + 1];
    }
    const struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, rank, sizes);
    rl_build_end_view(&at, rl_build(&at, RL_OP_aten_constant_pad_nd, &type, args, 3));
    return true;
}

enum rl_status rl_pass_decompose_3d(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_conv3d, decompose_conv},
        {RL_OP_aten_max_pool3d, decompose_pool},
        {RL_OP_aten_avg_pool3d, decompose_pool},
        {RL_OP_aten_adaptive_avg_pool3d, decompose_pool},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    if (pass->options->quantization != RL_QUANTIZE_NONE && !rl_quantizes_as_stock(pass)) {
        rl_lower_each(pass, RL_OP_aten_constant_pad_nd, decompose_pad);
    }
    rl_graph_remove_dead(pass->graph);
    return RL_OK;
}
