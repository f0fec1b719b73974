// SPDX-License-Identifier: Apache-2.0
//
// decompose_bilinear: bilinear interpolation becomes linear layers or a depthwise convolution, for which there are
// integer kernels, and bicubic interpolation linear layers.
//   needs   sequences as images (widen_1d)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
// Either of
//   two linear layers     over columns and over rows, whose weights are the matrices of the interpolation
//   a convolution         by a whole factor: each pixel of the input gives a block of the output, all pixels of which
//                         are sums over the same 3x3 neighbours. The blocks are the convolution's channels.
// The first takes work that grows with the size of the image, the second weights for each channel. Interpolation with
// antialias, whose filter is as wide as a pixel of the result, always becomes the first. Runs only if the graph will be
// quantized.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// Multiply-adds that a linear layer may take for one of the convolution, and the most bytes of weights of each.
enum { WORTH = 4, MOST_BYTES = 1 << 16, NEIGHBOURS = 3, CONSTANTS_OF_CHANNEL = 8 };

// One dimension of the interpolation.
struct axis {
    int64_t from, to;
    double step; // of the input for each step of the output
    bool aligns;
    bool is_smooth; // with antialias
};

static struct axis axis_of(const struct rl_node *node, int dim)
{
    const struct rl_arg *factors = rl_node_arg(node, "scale_factors");
    struct axis axis = {.from = node->args[0].as.value->type.sizes[dim],
                        .to = node->results[0]->type.sizes[dim],
                        .aligns = rl_node_bool(node, "align_corners"),
                        .is_smooth = node->op == RL_OP_aten_upsample_bilinear2d_aa_vec};
    axis.step = (double)axis.from / (double)axis.to;
    if (axis.aligns) {
        axis.step = axis.to > 1 ? (double)(axis.from - 1) / (double)(axis.to - 1) : 0.0;
    } else if (factors->kind == RL_ARG_DOUBLES && factors->count == 2 && factors->as.numbers[dim - 2] > 0.0) {
        axis.step = 1.0 / factors->as.numbers[dim - 2];
    }
    return axis;
}

// The place in the input of a place in the output.
static double source_of(const struct axis *axis, int64_t place)
{
    return axis->aligns ? axis->step * (double)place : fmax(((double)place + 0.5) * axis->step - 0.5, 0.0);
}

// ---- linear layers

// An index of the input, or its end.
static int64_t index_at(double place, int64_t size)
{
    return (int64_t)fmin(fmax(floor(place), 0.0), (double)size);
}

// Weights of a triangle around the middle of each pixel of the result, which is as wide as two such pixels, or two of
// the input where these are larger.
static struct rl_value *smooth_matrix(const struct rl_build *at, const struct axis *axis)
{
    const int64_t sizes[2] = {axis->to, axis->from};
    const double width = fmax(axis->step, 1.0);
    struct rl_value *weight = rl_build_constant(at, 2, sizes, 0.0);
    float *row = (float *)weight->data;
    for (int64_t i = 0; i < axis->to; i++, row += axis->from) {
        const double center = axis->step * ((double)i + 0.5);
        const int64_t first = index_at(center - width + 0.5, axis->from),
                      end = index_at(center + width + 0.5, axis->from);
        double total = 0;
        for (int64_t k = first; k < end; k++) {
            total += fmax(1.0 - fabs((double)k + 0.5 - center) / width, 0.0);
        }
        for (int64_t k = first; k < end && total > 0; k++) {
            row[k] = (float)(fmax(1.0 - fabs((double)k + 0.5 - center) / width, 0.0) / total);
        }
    }
    return weight;
}

static struct rl_value *matrix(const struct rl_build *at, const struct axis *axis)
{
    if (axis->is_smooth) {
        return smooth_matrix(at, axis);
    }

    const int64_t sizes[2] = {axis->to, axis->from};
    struct rl_value *weight = rl_build_constant(at, 2, sizes, 0.0);
    float *data = (float *)weight->data;
    for (int64_t i = 0; i < axis->to; i++) {
        const double source = source_of(axis, i);
        const int64_t low = (int64_t)fmin(floor(source), (double)(axis->from - 1));
        const int64_t high = low + 1 < axis->from ? low + 1 : low;
        const double share = fmin(source - (double)low, 1.0);
        data[i * axis->from + low] += (float)(1.0 - share);
        data[i * axis->from + high] += (float)share;
    }
    return weight;
}

static void become_linear(const struct rl_build *at, struct rl_value *image, const struct axis *rows,
                          const struct axis *columns)
{
    static const int64_t swap[4] = {0, 1, 3, 2};
    if (columns->from != columns->to) {
        image = rl_build_linear(at, image, matrix(at, columns), NULL);
    }
    if (rows->from != rows->to) {
        image = rl_build_permute(at, image, swap);
        image = rl_build_linear(at, image, matrix(at, rows), NULL);
        image = rl_build_permute(at, image, swap);
    }
    rl_build_end_view(at, image);
}

// ---- convolution

// The image with its first and last index along a dimension repeated.
static struct rl_value *with_edges(const struct rl_build *at, struct rl_value *image, int dim)
{
    const int64_t size = image->type.sizes[dim];
    struct rl_value *first = rl_build_slice(at, image, dim, 0, 1);
    struct rl_value *last = rl_build_slice(at, image, dim, size - 1, size);
    struct rl_value *parts[3] = {first, image, last};
    return rl_build_cat(at, parts, 3, dim);
}

// The share of neighbour -1, 0 or 1 in place `phase` of a block of `factor`.
static double share_of(int64_t factor, int64_t phase, int neighbour)
{
    const double offset = ((double)phase + 0.5) / (double)factor - 0.5;
    return fmax(1.0 - fabs(offset - neighbour), 0.0);
}

static struct rl_value *block_weights(const struct rl_build *at, int64_t channels, int64_t rows, int64_t columns)
{
    const int64_t sizes[4] = {channels * rows * columns, 1, NEIGHBOURS, NEIGHBOURS};
    struct rl_value *weight = rl_build_constant(at, 4, sizes, 0.0);
    float *data = (float *)weight->data;
    for (int64_t i = 0; i < sizes[0]; i++) {
        for (int y = 0; y < NEIGHBOURS; y++) {
            for (int x = 0; x < NEIGHBOURS; x++) {
                *data++ = (float)(share_of(rows, i / columns % rows, y - 1) * share_of(columns, i % columns, x - 1));
            }
        }
    }
    return weight;
}

static void become_convolution(const struct rl_build *at, struct rl_value *image, int64_t rows, int64_t columns)
{
    static const int64_t ones[2] = {1, 1}, zeros[2] = {0, 0}, interleave[6] = {0, 1, 4, 2, 5, 3};
    const int64_t *sizes = image->type.sizes;
    const int64_t blocks[6] = {sizes[0], sizes[1], rows, columns, sizes[2], sizes[3]};
    struct rl_arena *arena = at->graph->arena;
    struct rl_tensor_type type = image->type;
    type.sizes[1] *= rows * columns;
    const struct rl_arg args[] = {rl_arg_value(with_edges(at, with_edges(at, image, 2), 3)),
                                  rl_arg_value(block_weights(at, sizes[1], rows, columns)),
                                  (struct rl_arg){.kind = RL_ARG_NONE},
                                  rl_arg_ints(arena, ones, 2),
                                  rl_arg_ints(arena, zeros, 2),
                                  rl_arg_ints(arena, ones, 2),
                                  rl_arg_int(sizes[1])};
    struct rl_value *result = rl_build(at, RL_OP_aten_conv2d, &type, args, 7);
    rl_build_end_view(at, rl_build_permute(at, rl_build_view(at, result, 6, blocks), interleave));
}

// Whether the result is larger by whole factors, which the step agrees with.
static bool is_whole(const struct axis *axis)
{
    return !axis->aligns && !axis->is_smooth && axis->to % axis->from == 0 &&
           fabs(axis->step * (double)axis->to - (double)axis->from) < 1e-6 * (double)axis->from;
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *image = node->args[0].as.value;
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (image->type.rank != 4 || type->rank != 4 || image->type.dtype != RL_FLOAT32 || rl_tensor_numel(type) == 0 ||
        rl_tensor_numel(&image->type) == 0) {
        return rl_decline(pass->graph, node, "interpolation of another tensor than a batch of float images");
    }
    const struct axis rows = axis_of(node, 2), columns = axis_of(node, 3);
    const double channels = (double)type->sizes[1], blocks = (double)rows.to * (double)columns.to;
    const double linear = channels * (double)columns.to * ((double)columns.from + (double)rows.to) * (double)rows.from;
    const double bytes = channels * blocks / (double)rows.from / (double)columns.from;
    const bool convolves = is_whole(&rows) && is_whole(&columns) &&
                           linear > channels * blocks * NEIGHBOURS * NEIGHBOURS * WORTH &&
                           bytes * (NEIGHBOURS * NEIGHBOURS + CONSTANTS_OF_CHANNEL) <= MOST_BYTES;
    if (convolves) {
        become_convolution(&at, image, rows.to / rows.from, columns.to / columns.from);
        return true;
    }
    if ((double)rows.from * (double)rows.to > MOST_BYTES || (double)columns.from * (double)columns.to > MOST_BYTES) {
        return rl_decline(pass->graph, node, "interpolation whose weights would take more than %d bytes", MOST_BYTES);
    }
    become_linear(&at, image, &rows, &columns);
    return true;
}

enum rl_status rl_pass_decompose_bilinear(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_upsample_bilinear2d_vec, decompose);
    rl_lower_each(pass, RL_OP_aten_upsample_bilinear2d_aa_vec, decompose);
    return rl_pass_decompose_resize(pass); // bicubic
}
