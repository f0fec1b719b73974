// SPDX-License-Identifier: Apache-2.0
//
// decompose_gather: operators that copy elements from places known ahead of time become index_select.
//   needs   canonical operators
//   keeps   values, exactly; the names of the results
//   breaks  nothing
//
//   nearest-exact upsampling    nearest upsampling if that takes the same elements, else index_select along
//                               each dimension
//   im2col (nn.Unfold)          pad, index_select along both dimensions, a permutation
//   col2im (nn.Fold)            a permutation if no two patches overlap; else a transposed convolution with ones if
//                               the graph will be quantized, an index_put that adds if not
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

// Elements of an image, and of the rows or columns of all patches; more than any core could hold.
enum { LONGEST_SIDE = 1 << 14, MOST_PLACES = 1 << 16 };

static struct rl_value *constant_places(const struct rl_build *at, int rank, const int64_t *sizes,
                                        const int64_t *places)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT64, rank, sizes);
    return rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_places", at->node->name), &type,
                                 places);
}

static struct rl_value *select_places(const struct rl_build *at, struct rl_value *self, int dim, const int64_t *places,
                                      int64_t count)
{
    struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, self->type.rank, self->type.sizes);
    type.sizes[dim] = count;
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim),
                                  rl_arg_value(constant_places(at, 1, &count, places))};
    return rl_build(at, RL_OP_aten_index_select, &type, args, 3);
}

// ---- nearest-exact upsampling

// PyTorch takes element floor((i + 0.5) * scale), in float32; nearest upsampling takes floor(i * scale).
static int64_t *exact_places(const struct rl_build *at, int64_t from, int64_t to, double factor, bool *is_nearest)
{
    const float scale = factor > 0.0 ? (float)(1.0 / factor) : (float)from / (float)to;
    const float nearest = (float)from / (float)to;
    int64_t *places = rl_arena_array(at->graph->arena, (size_t)to, sizeof *places);
    for (int64_t i = 0; i < to; i++) {
        places[i] = (int64_t)fminf(floorf(((float)i + 0.5f) * scale), (float)(from - 1));
        *is_nearest = *is_nearest && places[i] == (int64_t)fminf(floorf((float)i * nearest), (float)(from - 1));
    }
    return places;
}

static double factor_of(const struct rl_node *node, int index)
{
    static const char *const names[2] = {"scales_h", "scales_w"};
    if (node->op == RL_OP_aten_upsample_nearest_exact2d) {
        const char *name = names[index];
        return rl_node_arg(node, name)->kind == RL_ARG_NONE ? 0.0 : rl_node_number(node, name);
    }
    const struct rl_arg *factors = rl_node_arg(node, "scale_factors");
    return factors->kind == RL_ARG_DOUBLES && index < factors->count ? factors->as.numbers[index] : 0.0;
}

static bool enlarge(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const int sides = node->op == RL_OP_aten_upsample_nearest_exact1d_vec ? 1 : 2;
    struct rl_value *value = node->args[0].as.value;
    const struct rl_tensor_type *to = &node->results[0]->type;
    int64_t *places[2] = {NULL, NULL};
    bool is_nearest = true;
    if (value->type.rank != sides + 2 || to->rank != sides + 2) {
        return rl_decline(graph, node, "an input of rank %d; accepted: %d", value->type.rank, sides + 2);
    }
    for (int i = 0; i < sides; i++) {
        const int64_t size = value->type.sizes[i + 2], size_to = to->sizes[i + 2];
        const double factor = factor_of(node, i);
        if (size < 1 || size > LONGEST_SIDE || size_to < 1 || size_to > LONGEST_SIDE || !(factor >= 0.0)) {
            return rl_decline(graph, node, "a side that is not 1 to %d", LONGEST_SIDE);
        }
        places[i] = exact_places(&at, size, size_to, factor, &is_nearest);
    }
    if (is_nearest) {
        const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(graph->arena, &to->sizes[2], sides)};
        rl_build_end(&at, sides == 1 ? RL_OP_aten_upsample_nearest1d_vec : RL_OP_aten_upsample_nearest2d_vec, args, 2);
        return true;
    }
    for (int i = 0; i < sides; i++) {
        value = select_places(&at, value, i + 2, places[i], to->sizes[i + 2]);
    }
    rl_build_end_view(&at, value);
    return true;
}

// ---- patches

// Patches of an image [batch, channels, rows, columns], of which the first two may be one dimension.
struct patches {
    int64_t image[2]; // with its padding
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    int64_t count[2]; // of patches down and across
};

static bool read_patches(const struct rl_node *node, const int64_t *image, struct patches *patches)
{
    if (!rl_node_ints(node, "kernel_size", 2, 1, patches->kernel) ||
        !rl_node_ints(node, "dilation", 2, 1, patches->dilation) ||
        !rl_node_ints(node, "padding", 2, 0, patches->padding) ||
        !rl_node_ints(node, "stride", 2, 1, patches->stride)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const int64_t kernel = patches->kernel[i], dilation = patches->dilation[i];
        if (image[i] < 1 || image[i] > LONGEST_SIDE || kernel < 1 || kernel > LONGEST_SIDE || dilation < 1 ||
            dilation > LONGEST_SIDE || patches->padding[i] < 0 || patches->padding[i] > LONGEST_SIDE ||
            patches->stride[i] < 1 || patches->stride[i] > LONGEST_SIDE) {
            return false;
        }
        const struct rl_window window = {(int32_t)kernel, (int32_t)patches->stride[i], (int32_t)patches->padding[i],
                                         (int32_t)dilation};
        patches->image[i] = image[i] + 2 * patches->padding[i];
        patches->count[i] = rl_count_windows((uint32_t)image[i], &window);
        if (kernel * patches->count[i] > MOST_PLACES) {
            return false;
        }
    }
    return true;
}

// Rows (0) or columns (1) of the padded image: those of all patches for each place in the kernel.
static int64_t *patch_places(const struct rl_build *at, const struct patches *patches, int side)
{
    const int64_t count = patches->count[side];
    int64_t *places = rl_arena_array(at->graph->arena, (size_t)(patches->kernel[side] * count), sizeof *places);
    for (int64_t i = 0; i < patches->kernel[side] * count; i++) {
        places[i] = i / count * patches->dilation[side] + i % count * patches->stride[side];
    }
    return places;
}

// The dimensions [planes, kernel rows, patches down, kernel columns, patches across], and the order that puts the
// kernel's before the patches'.
static void patch_sizes(const struct patches *patches, int64_t planes, int64_t sizes[5])
{
    sizes[0] = planes;
    for (int i = 0; i < 2; i++) {
        sizes[1 + 2 * i] = patches->kernel[i];
        sizes[2 + 2 * i] = patches->count[i];
    }
}

// The number of planes of an image, whose last two dimensions are replaced with padded ones; 0 when the image is empty
// or its elements cannot be counted.
static int64_t plane_count(const struct rl_tensor_type *image, const struct patches *patches)
{
    struct rl_tensor_type padded = *image;
    padded.sizes[image->rank - 2] = patches->image[0];
    padded.sizes[image->rank - 1] = patches->image[1];
    return rl_tensor_type_is_valid(&padded) ? rl_tensor_numel(&padded) / (patches->image[0] * patches->image[1]) : 0;
}

static bool unfold(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t kernel_first[5] = {0, 1, 3, 2, 4};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *image = node->args[0].as.value;
    const int rank = image->type.rank;
    struct patches patches;
    if (rank < 3 || rank > 4 || !read_patches(node, &image->type.sizes[rank - 2], &patches)) {
        return rl_decline(graph, node, "patches that do not lie in an image of 1 to %d pixels a side", LONGEST_SIDE);
    }
    const int64_t planes = plane_count(&image->type, &patches);
    int64_t sizes[5];
    if (planes == 0) {
        return rl_decline(graph, node, "an empty image, or one of too many elements");
    }
    if (patches.padding[0] > 0 || patches.padding[1] > 0) {
        struct rl_tensor_type type = rl_tensor_type_make(image->type.dtype, rank, image->type.sizes);
        const int64_t pad[4] = {patches.padding[1], patches.padding[1], patches.padding[0], patches.padding[0]};
        type.sizes[rank - 2] = patches.image[0];
        type.sizes[rank - 1] = patches.image[1];
        const struct rl_arg args[] = {rl_arg_value(image), rl_arg_ints(graph->arena, pad, 4), rl_arg_int(0)};
        image = rl_build(&at, RL_OP_aten_constant_pad_nd, &type, args, 3);
    }
    for (int i = 0; i < 2; i++) {
        image = select_places(&at, image, rank - 2 + i, patch_places(&at, &patches, i),
                              patches.kernel[i] * patches.count[i]);
    }
    patch_sizes(&patches, planes, sizes);
    rl_build_end_view(&at, rl_build_permute(&at, rl_build_view(&at, image, 5, sizes), kernel_first));
    return true;
}

// Adds patches that overlap: index_put adds them to zeros at every row and column.
static struct rl_value *add_patches(const struct rl_build *at, struct rl_value *values, const struct patches *patches,
                                    int64_t planes)
{
    struct rl_arena *arena = at->graph->arena;
    const int64_t down = patches->kernel[0] * patches->count[0];
    const int64_t across = patches->kernel[1] * patches->count[1];
    const int64_t flat[3] = {planes, down, across}, whole[3] = {planes, patches->image[0], patches->image[1]};
    const int64_t rows[2] = {down, 1}, columns[1] = {across};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 3, whole);
    struct rl_value *row_places = constant_places(at, 2, rows, patch_places(at, patches, 0));
    struct rl_value *column_places = constant_places(at, 1, columns, patch_places(at, patches, 1));
    struct rl_value *indices[3] = {NULL, row_places, column_places};
    const struct rl_arg zero[] = {rl_arg_ints(arena, whole, 3), rl_arg_int(0)};
    struct rl_value *zeros = rl_build(at, RL_OP_aten_full_out, &type, zero, 2);
    const struct rl_arg args[] = {rl_arg_value(zeros), rl_arg_values(arena, indices, 3),
                                  rl_arg_value(rl_build_view(at, values, 3, flat)), rl_arg_bool(true)};
    return rl_build(at, RL_OP_aten_index_put, &type, args, 4);
}

// The same for a graph that will be quantized: place k of a patch is channel k of a transposed convolution, whose
// weights put it there. Each plane is an image of a batch. Takes the padding off, too.
static struct rl_value *convolve_patches(const struct rl_build *at, struct rl_value *values,
                                         const struct patches *patches, int64_t planes)
{
    struct rl_arena *arena = at->graph->arena;
    const int64_t places = patches->kernel[0] * patches->kernel[1];
    const int64_t image[4] = {planes, places, patches->count[0], patches->count[1]};
    const int64_t kernel[4] = {places, 1, patches->kernel[0], patches->kernel[1]};
    int64_t whole[4] = {planes, 1}, rest[2];
    for (int i = 0; i < 2; i++) {
        whole[2 + i] = patches->image[i] - 2 * patches->padding[i];
        rest[i] = patches->image[i] - 1 - (patches->count[i] - 1) * patches->stride[i] -
                  patches->dilation[i] * (patches->kernel[i] - 1);
    }
    struct rl_value *weight = rl_build_constant(at, 4, kernel, 0.0);
    for (int64_t k = 0; k < places; k++) {
        ((float *)weight->data)[k * places + k] = 1.0f;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, whole);
    const struct rl_arg args[] = {rl_arg_value(rl_build_view(at, values, 4, image)),
                                  rl_arg_value(weight),
                                  {.kind = RL_ARG_NONE},
                                  rl_arg_ints(arena, patches->stride, 2),
                                  rl_arg_ints(arena, patches->padding, 2),
                                  rl_arg_ints(arena, rest, 2),
                                  rl_arg_int(1),
                                  rl_arg_ints(arena, patches->dilation, 2)};
    return rl_build(at, RL_OP_aten_conv_transpose2d_input, &type, args, 8);
}

// Patches of more places would take more products than float additions are worth.
enum { MOST_CONVOLVED = 64 };

static bool is_convolved(const struct rl_pass *pass, const struct patches *patches)
{
    return rl_quantizes(pass) && !rl_quantizes_as_stock(pass) &&
           patches->kernel[0] * patches->kernel[1] <= MOST_CONVOLVED;
}

static bool fold(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t rows_first[5] = {0, 1, 3, 2, 4}, place_last[5] = {0, 3, 1, 4, 2};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *columns = node->args[0].as.value;
    const struct rl_tensor_type *type = &node->results[0]->type;
    const int rank = type->rank;
    struct patches patches;
    if (rank < 3 || rank > 4 || columns->type.dtype != RL_FLOAT32 ||
        !read_patches(node, &type->sizes[rank - 2], &patches)) {
        return rl_decline(graph, node,
                          "patches that are not float32, or do not lie in an image of 1 to %d pixels a side",
                          LONGEST_SIDE);
    }
    const int64_t planes = plane_count(type, &patches);
    int64_t sizes[5];
    patch_sizes(&patches, planes, sizes);
    const int64_t kernel_first[5] = {planes, sizes[1], sizes[3], sizes[2], sizes[4]};
    const struct rl_tensor_type all = rl_tensor_type_make(RL_FLOAT32, 5, kernel_first);
    if (planes == 0 || !rl_tensor_type_is_valid(&all) || rl_tensor_numel(&all) != rl_tensor_numel(&columns->type)) {
        return rl_decline(graph, node, "columns that are not the patches of an image that is not empty");
    }
    struct rl_value *value = rl_build_view(&at, columns, 5, kernel_first);
    bool tiles = true;
    for (int i = 0; i < 2; i++) {
        tiles = tiles && patches.dilation[i] == 1 && patches.stride[i] == patches.kernel[i] &&
                patches.image[i] == patches.kernel[i] * patches.count[i];
    }
    if (!tiles && is_convolved(pass, &patches)) {
        rl_build_end_view(&at, convolve_patches(&at, value, &patches, planes));
        return true;
    }
    if (tiles) {
        value = rl_build_view(&at, rl_build_permute(&at, value, place_last), 3,
                              (int64_t[]){planes, patches.image[0], patches.image[1]});
    } else {
        value = add_patches(&at, rl_build_permute(&at, value, rows_first), &patches, planes);
    }
    for (int i = 0; i < 2; i++) {
        if (patches.padding[i] > 0) {
            value = rl_build_slice(&at, value, 1 + i, patches.padding[i], patches.image[i] - patches.padding[i]);
        }
    }
    rl_build_end_view(&at, value);
    return true;
}

enum rl_status rl_pass_decompose_gather(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_upsample_nearest_exact1d_vec, enlarge);
    rl_lower_each(pass, RL_OP_aten_upsample_nearest_exact2d_vec, enlarge);
    rl_lower_each(pass, RL_OP_aten_upsample_nearest_exact2d, enlarge);
    rl_lower_each(pass, RL_OP_aten_im2col, unfold);
    rl_lower_each(pass, RL_OP_aten_col2im, fold);
    return RL_OK;
}
