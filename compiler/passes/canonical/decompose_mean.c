// SPDX-License-Identifier: Apache-2.0
//
// decompose_mean: means over height and width become average pools, for which there is an integer kernel.
//   needs   canonical operators
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
//   mean(x, [2, 3])             avg_pool2d over the whole plane, and a view when keepdim is false
//   adaptive_avg_pool2d(x, o)   avg_pool2d if the input is a multiple of the output, so that all windows are equal
//   adaptive_max_pool(x, o)     max_pool2d, under the same condition; otherwise the maxima of slices
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

static void become_pool(struct rl_graph *graph, struct rl_node *node, struct rl_value *input, const int64_t *kernel,
                        const int64_t *stride)
{
    const int64_t zeros[2] = {0, 0};
    rl_node_become(graph, node, RL_OP_aten_avg_pool2d);
    rl_node_set(node, "self", rl_arg_value(input));
    rl_node_set(node, "kernel_size", rl_arg_ints(graph->arena, kernel, 2));
    rl_node_set(node, "stride", rl_arg_ints(graph->arena, stride, 2));
    rl_node_set(node, "padding", rl_arg_ints(graph->arena, zeros, 2));
    rl_node_set(node, "ceil_mode", rl_arg_bool(false));
    rl_node_set(node, "count_include_pad", rl_arg_bool(false));
}

static bool is_spatial_mean(const struct rl_node *node)
{
    const struct rl_value *input = rl_node_tensor(node, "self");
    const struct rl_arg *dims = rl_node_arg(node, "dim");
    if (input->type.rank != 4 || dims->kind != RL_ARG_INTS || dims->count != 2 ||
        rl_node_arg(node, "dtype")->kind != RL_ARG_NONE) {
        return false;
    }
    const int first = rl_dim_normalized(dims->as.integers[0], 4);
    const int second = rl_dim_normalized(dims->as.integers[1], 4);
    return (first == 2 && second == 3) || (first == 3 && second == 2);
}

static bool decompose_mean(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    if (!is_spatial_mean(node)) {
        return rl_decline(graph, node, "a mean over other dimensions than height and width");
    }
    struct rl_value *input = rl_node_tensor(node, "self");
    const int64_t *sizes = input->type.sizes;
    const int64_t kernel[2] = {sizes[2], sizes[3]};
    const int64_t ones[2] = {1, 1};
    if (rl_node_bool(node, "keepdim")) {
        become_pool(graph, node, input, kernel, ones);
        return true;
    }
    struct rl_tensor_type pooled = input->type;
    pooled.sizes[2] = pooled.sizes[3] = 1;
    struct rl_node *pool = rl_insert_before(graph, node, RL_OP_aten_avg_pool2d,
                                            rl_arena_format(graph->arena, "%s_pool", node->name), node, &pooled);
    become_pool(graph, pool, input, kernel, ones);
    rl_node_become(graph, node, RL_OP_aten_view_copy);
    rl_node_set(node, "self", rl_arg_value(pool->results[0]));
    rl_node_set(node, "size", rl_arg_ints(graph->arena, sizes, 2));
    return true;
}

static bool decompose_adaptive(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_value *input = rl_node_tensor(node, "self");
    const struct rl_tensor_type *from = &input->type;
    const struct rl_tensor_type *to = &node->results[0]->type;
    if (from->rank != 4 || to->rank != 4) {
        return rl_decline(graph, node, "adaptive pooling of rank %d; accepted: 4", from->rank);
    }
    int64_t kernel[2];
    for (int i = 0; i < 2; i++) {
        const int64_t size = from->sizes[2 + i];
        const int64_t windows = to->sizes[2 + i];
        if (windows <= 0 || size % windows != 0) {
            return rl_decline(graph, node, "adaptive pooling of %lld into %lld windows of different sizes",
                              (long long)size, (long long)windows);
        }
        kernel[i] = size / windows;
    }
    const int64_t ones[2] = {1, 1};
    const bool whole_plane = to->sizes[2] == 1 && to->sizes[3] == 1;
    if (!whole_plane && rl_quantizes_as_stock(pass)) {
        rl_decline(graph, node, "the stock quantizer takes adaptive pools of whole planes only");
    }
    become_pool(graph, node, input, kernel, whole_plane ? ones : kernel);
    return true;
}

// ---- adaptive maxima

static struct rl_value *max_pool(const struct rl_build *at, enum rl_op_id op, struct rl_value *image,
                                 const int64_t *kernel, const struct rl_tensor_type *type)
{
    struct rl_arena *arena = at->graph->arena;
    const int64_t zeros[2] = {0, 0};
    const int64_t ones[2] = {1, 1};
    const struct rl_arg args[] = {rl_arg_value(image),           rl_arg_ints(arena, kernel, 2),
                                  rl_arg_ints(arena, kernel, 2), rl_arg_ints(arena, zeros, 2),
                                  rl_arg_ints(arena, ones, 2),   rl_arg_bool(false)};
    return rl_build(at, op, type, args, 6);
}

// Each window takes two nodes; beyond this number the pool stays as it is.
enum { MOST_WINDOWS = 64 };

// The maxima of windows of different sizes along one dimension.
static struct rl_value *largest_of_windows(const struct rl_build *at, struct rl_value *value, int dim, int64_t count)
{
    struct rl_value *parts[MOST_WINDOWS];
    const int64_t size = value->type.sizes[dim];
    const int64_t dims[1] = {dim};
    if (count == size) {
        return value;
    }
    for (int64_t i = 0; i < count; i++) {
        struct rl_value *window =
            rl_build_slice(at, value, dim, rl_adaptive_begin(size, count, i), rl_adaptive_end(size, count, i));
        parts[i] = rl_build_reduce(at, RL_OP_aten_amax, window, dims, 1);
    }
    return rl_build_cat(at, parts, (int)count, dim);
}

// The pool with the indices of the maxima, which takes the place of the indices of the adaptive one. An index counts
// along the rows of its plane, of which a sequence has one.
static struct rl_value *max_pool_with_indices(const struct rl_build *at, struct rl_value *image, const int64_t *kernel,
                                              const struct rl_tensor_type *type)
{
    const struct rl_value *indices = at->node->results[1];
    struct rl_value *largest = max_pool(at, RL_OP_aten_max_pool2d_with_indices, image, kernel, type);
    struct rl_tensor_type places = *type;
    places.dtype = RL_INT64;
    rl_node_append_result(at->graph, largest->producer, "indices", &places);
    rl_build_result(at, 1, rl_build_view(at, largest->producer->results[1], indices->type.rank, indices->type.sizes));
    return largest;
}

static bool decompose_adaptive_max(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *image = rl_node_tensor(node, "self");
    const struct rl_tensor_type *result = &node->results[0]->type;
    const bool is_sequence = node->op == RL_OP_aten_adaptive_max_pool1d;
    struct rl_tensor_type to = *result;
    if (image->type.rank != (is_sequence ? 3 : 4) || result->rank != image->type.rank) {
        return rl_decline(graph, node, "no batch");
    }
    if (rl_quantizes_as_stock(pass)) {
        rl_decline(graph, node, "the stock quantizer leaves adaptive maxima in floating point");
    }
    if (is_sequence) { // an image of one row
        const int64_t wide[4] = {image->type.sizes[0], image->type.sizes[1], 1, image->type.sizes[2]};
        image = rl_build_view(&at, image, 4, wide);
        to = image->type;
        to.sizes[3] = result->sizes[2];
    }
    const int64_t *from = image->type.sizes;
    const int64_t rows = to.sizes[2], columns = to.sizes[3];
    const bool is_most = (rows <= MOST_WINDOWS || rows == from[2]) && (columns <= MOST_WINDOWS || columns == from[3]);
    if (rows <= 0 || columns <= 0 || !is_most || from[2] <= 0 || from[2] > INT32_MAX || from[3] <= 0 ||
        from[3] > INT32_MAX) {
        return rl_decline(graph, node, "more than %d windows, or empty ones", MOST_WINDOWS);
    }
    const bool are_equal = from[2] % rows == 0 && from[3] % columns == 0;
    const bool has_indices = rl_value_use_count(graph, node->results[1]) > 0;
    if (has_indices && !are_equal) {
        return rl_decline(graph, node, "indices that are used, of windows of different sizes");
    }
    if (are_equal) {
        const int64_t kernel[2] = {from[2] / rows, from[3] / columns};
        image = has_indices ? max_pool_with_indices(&at, image, kernel, &to)
                            : max_pool(&at, RL_OP_aten_max_pool2d, image, kernel, &to);
    } else {
        image = largest_of_windows(&at, largest_of_windows(&at, image, 2, rows), 3, columns);
    }
    rl_build_result(&at, 0, is_sequence ? rl_build_view(&at, image, 3, result->sizes) : image);
    rl_graph_remove(graph, node);
    return true;
}

enum rl_status rl_pass_decompose_mean(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_mean, decompose_mean);
    rl_lower_each(pass, RL_OP_aten_adaptive_avg_pool2d, decompose_adaptive);
    rl_lower_each(pass, RL_OP_aten_adaptive_max_pool1d, decompose_adaptive_max);
    rl_lower_each(pass, RL_OP_aten_adaptive_max_pool2d, decompose_adaptive_max);
    return RL_OK;
}
