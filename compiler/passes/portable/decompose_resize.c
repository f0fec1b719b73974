// SPDX-License-Identifier: Apache-2.0
//
// decompose_resize: bicubic upsampling becomes two products with constant matrices, one along each dimension.
//   needs   canonical operators; quantized operators are lowered
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
//
// Each element is a weighted sum of four elements along its row and four along its column. Beyond the border the last
// element is repeated. The weights are Keys' with a = -0.75. Positions are computed in float32, as in PyTorch.
#include "compiler/passes/passes.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// Keys, Cubic convolution interpolation for digital image processing (1981), at distance `x`.
static float weight_at(float x)
{
    const float a = -0.75f;
    x = fabsf(x);
    if (x <= 1.0f) {
        return ((a + 2.0f) * x - (a + 3.0f)) * x * x + 1.0f;
    }
    return x < 2.0f ? ((a * x - 5.0f * a) * x + 8.0f * a) * x - 4.0f * a : 0.0f;
}

struct scale {
    float step;
    bool align_corners;
};

// The constant [to, from] whose product with a vector upsamples it.
static struct rl_value *matrix(const struct rl_build *at, int64_t from, int64_t to, struct scale scale)
{
    const int64_t sizes[2] = {to, from};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    float *weights = rl_arena_array(at->graph->arena, (size_t)rl_tensor_numel(&type), sizeof *weights);
    memset(weights, 0, rl_tensor_bytes(&type));
    for (int64_t i = 0; i < to; i++) {
        const float position = scale.align_corners ? scale.step * (float)i : scale.step * ((float)i + 0.5f) - 0.5f;
        const float whole = floorf(position);
        for (int k = -1; k <= 2; k++) {
            const double place = fmin(fmax((double)whole + k, 0.0), (double)(from - 1));
            weights[i * from + (int64_t)place] += weight_at(position - whole - (float)k);
        }
    }
    return rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_weights", at->node->name), &type,
                                 weights);
}

// Elements of the input for each of the output; `factor` is 0 where none was given.
static struct scale scale_of(int64_t from, int64_t to, double factor, bool align_corners)
{
    if (align_corners) {
        return (struct scale){to > 1 ? (float)(from - 1) / (float)(to - 1) : 0.0f, true};
    }
    return (struct scale){factor > 0.0 ? (float)(1.0 / factor) : (float)from / (float)to, false};
}

static void read_factors(const struct rl_node *node, double factors[2])
{
    static const char *const names[2] = {"scales_h", "scales_w"};
    const bool has_list = node->op == RL_OP_aten_upsample_bicubic2d_vec;
    const struct rl_arg *list = has_list ? rl_node_arg(node, "scale_factors") : NULL;
    for (int i = 0; i < 2; i++) {
        factors[i] = 0.0;
        if (has_list && list->kind == RL_ARG_DOUBLES && list->count == 2) {
            factors[i] = list->as.numbers[i];
        } else if (!has_list && rl_node_arg(node, names[i])->kind != RL_ARG_NONE) {
            factors[i] = rl_node_number(node, names[i]);
        }
    }
}

// More than any core could hold.
enum { LARGEST_SIDE = 1 << 11 };

static bool decompose_bicubic(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t turn[4] = {0, 1, 3, 2};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *image = node->args[0].as.value;
    const struct rl_tensor_type *from = &image->type, *to = &node->results[0]->type;
    const bool align_corners = rl_node_bool(node, "align_corners");
    double factors[2];
    if (from->rank != 4 || to->rank != 4 || from->dtype != RL_FLOAT32) {
        return rl_decline(graph, node, "an image that is not a float32 tensor of rank 4");
    }
    for (int d = 2; d < 4; d++) {
        if (from->sizes[d] < 1 || from->sizes[d] > LARGEST_SIDE || to->sizes[d] < 1 || to->sizes[d] > LARGEST_SIDE) {
            return rl_decline(graph, node, "a side that is not 1 to %d", LARGEST_SIDE);
        }
    }
    read_factors(node, factors);
    struct rl_value *rows =
        matrix(&at, from->sizes[2], to->sizes[2], scale_of(from->sizes[2], to->sizes[2], factors[0], align_corners));
    struct rl_value *columns =
        matrix(&at, from->sizes[3], to->sizes[3], scale_of(from->sizes[3], to->sizes[3], factors[1], align_corners));
    struct rl_value *wide = rl_build_permute(&at, rl_build_linear(&at, image, columns, NULL), turn);
    const struct rl_arg args[] = {rl_arg_value(rl_build_linear(&at, wide, rows, NULL)),
                                  rl_arg_ints(graph->arena, turn, 4)};
    rl_build_end(&at, RL_OP_aten_permute_copy, args, 2);
    return true;
}

enum rl_status rl_pass_decompose_resize(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_upsample_bicubic2d, decompose_bicubic);
    rl_lower_each(pass, RL_OP_aten_upsample_bicubic2d_vec, decompose_bicubic);
    return RL_OK;
}
