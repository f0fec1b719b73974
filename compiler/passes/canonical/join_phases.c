// SPDX-License-Identifier: Apache-2.0
//
// join_phases: transposed convolutions whose results only the caller gets become convolutions, which may have int16
// results.
//   needs   sequences as images (widen_1d), no groups or dilation (decompose_transposed)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
// The phase of an output is the remainder of its place, the padding included, modulo the stride. Outputs of one phase
// meet every stride-th tap of the filter. Those of all phases around one pixel meet the same window of the input, so
// they are the channels of a pixel of one convolution with stride 1. Its pixels are then moved apart, and what the
// padding covers is cut off. Where the stride does not divide the kernel, some phases have fewer taps than others, and
// zeros in place of them.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum {
    LARGEST = 1 << 10, // of kernels and strides
    MOST_TIMES = 2,    // products, those with zeros included, for each one that is needed
    MOST_BEHIND = 16,  // movements between a convolution and the caller
};

// One axis.
struct axis {
    int64_t stride, kernel;
    int64_t taps;         // of each phase
    int64_t first, count; // pixels of the convolution that are needed, and with the padding there are
    int64_t border;       // padding of the convolution
    int64_t cut, outputs; // of the pixels moved apart
};

static int64_t divide_up(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

static bool read_axis(const struct rl_node *node, int i, struct axis *axis)
{
    int64_t strides[2], paddings[2];
    if (!rl_node_ints(node, "stride", 2, 1, strides) || !rl_node_ints(node, "padding", 2, 0, paddings)) {
        return false;
    }
    const int64_t inputs = node->args[0].as.value->type.sizes[2 + i], padding = paddings[i];
    axis->stride = strides[i];
    axis->kernel = rl_node_tensor(node, "weight")->type.sizes[2 + i];
    axis->outputs = node->results[0]->type.sizes[2 + i];
    if (axis->stride < 1 || axis->stride > LARGEST || axis->kernel < 1 || axis->kernel > LARGEST || padding < 0 ||
        padding > LARGEST || inputs < 1 || inputs > INT32_MAX || axis->outputs < 1) {
        return false;
    }
    axis->taps = divide_up(axis->kernel, axis->stride);
    axis->first = padding / axis->stride;
    axis->cut = padding % axis->stride;
    axis->border = axis->taps - 1 - axis->first;
    axis->count = inputs + 2 * axis->border - axis->taps + 1;
    return axis->border >= 0 && axis->count * axis->stride >= axis->cut + axis->outputs;
}

static bool read_axes(const struct rl_node *node, struct axis axes[2])
{
    const struct rl_value *weight = rl_node_tensor(node, "weight");
    int64_t dilation[2];
    if (weight->kind != RL_VALUE_CONSTANT || weight->type.rank != 4 || weight->type.dtype != RL_FLOAT32 ||
        node->args[0].as.value->type.rank != 4 || node->results[0]->type.rank != 4 ||
        rl_node_int(node, "groups") != 1 || !rl_node_ints(node, "dilation", 2, 1, dilation) || dilation[0] != 1 ||
        dilation[1] != 1 || !read_axis(node, 0, &axes[0]) || !read_axis(node, 1, &axes[1])) {
        return false;
    }
    const int64_t taps = axes[0].taps * axes[0].stride * axes[1].taps * axes[1].stride;
    return taps <= MOST_TIMES * axes[0].kernel * axes[1].kernel;
}

// ---- the convolution

// [phases of rows][phases of columns][outputs] filters of [inputs][rows][columns], the last tap first.
static struct rl_value *join_weights(const struct rl_build *at, const struct rl_value *weight,
                                     const struct axis axes[2])
{
    const struct axis *rows = &axes[0], *columns = &axes[1];
    const int64_t inputs = weight->type.sizes[0], outputs = weight->type.sizes[1];
    const int64_t sizes[4] = {rows->stride * columns->stride * outputs, inputs, rows->taps, columns->taps};
    struct rl_value *joined = rl_build_constant(at, 4, sizes, 0.0);
    float *data = (float *)joined->data;
    const int64_t count = rl_tensor_numel(&joined->type), pixel = rows->taps * columns->taps;
    for (int64_t at_tap = 0; at_tap < count; at_tap++) {
        const int64_t filter = at_tap / pixel / inputs, input = at_tap / pixel % inputs;
        const int64_t row = rows->taps - 1 - at_tap % pixel / columns->taps;
        const int64_t column = columns->taps - 1 - at_tap % columns->taps;
        const int64_t y = filter / outputs / columns->stride + row * rows->stride;
        const int64_t x = filter / outputs % columns->stride + column * columns->stride;
        if (y < rows->kernel && x < columns->kernel) {
            const int64_t from = ((input * outputs + filter % outputs) * rows->kernel + y) * columns->kernel + x;
            data[at_tap] = ((const float *)weight->data)[rl_constant_offset(weight, from)];
        }
    }
    return joined;
}

static struct rl_value *repeat_bias(const struct rl_build *at, const struct rl_value *bias, int64_t times)
{
    const int64_t outputs = rl_tensor_numel(&bias->type), count = times * outputs;
    struct rl_value *repeated = rl_build_constant(at, 1, &count, 0.0);
    for (int64_t i = 0; i < count; i++) {
        ((float *)repeated->data)[i] = ((const float *)bias->data)[rl_constant_offset(bias, i % outputs)];
    }
    return repeated;
}

static struct rl_value *convolve(const struct rl_build *at, struct rl_value *weight, const struct rl_value *bias,
                                 const struct axis axes[2])
{
    static const int64_t ones[2] = {1, 1};
    struct rl_arena *arena = at->graph->arena;
    struct rl_value *input = at->node->args[0].as.value;
    const int64_t sizes[4] = {input->type.sizes[0], weight->type.sizes[0], axes[0].count, axes[1].count};
    const int64_t borders[2] = {axes[0].border, axes[1].border}, phases = axes[0].stride * axes[1].stride;
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, sizes);
    struct rl_arg bias_arg = {.kind = RL_ARG_NONE};
    if (bias) {
        bias_arg = rl_arg_value(repeat_bias(at, bias, phases));
    }
    const struct rl_arg args[] = {rl_arg_value(input),
                                  rl_arg_value(weight),
                                  bias_arg,
                                  rl_arg_ints(arena, ones, 2),
                                  rl_arg_ints(arena, borders, 2),
                                  rl_arg_ints(arena, ones, 2),
                                  rl_arg_int(1)};
    return rl_build(at, RL_OP_aten_conv2d, &type, args, 7);
}

// ---- its pixels, moved apart

static struct rl_value *cut(const struct rl_build *at, struct rl_value *value, int dim, const struct axis *axis)
{
    const bool is_whole = axis->cut == 0 && value->type.sizes[dim] == axis->outputs;
    return is_whole ? value : rl_build_slice(at, value, dim, axis->cut, axis->cut + axis->outputs);
}

// Works on rows of pixels of a channels-last image.
static struct rl_value *move_apart(const struct rl_build *at, struct rl_value *value, const struct axis axes[2])
{
    static const int64_t last[4] = {0, 2, 3, 1}, exchange[4] = {0, 2, 1, 3};
    const struct axis *rows = &axes[0], *columns = &axes[1];
    const int64_t batch = value->type.sizes[0];
    const int64_t outputs = value->type.sizes[1] / rows->stride / columns->stride;
    const int64_t apart[4] = {batch * rows->count, columns->count, rows->stride, columns->stride * outputs};
    const int64_t whole[4] = {batch, rows->count * rows->stride, columns->count * columns->stride, outputs};
    value = rl_build_permute(at, value, last);
    if (rows->stride > 1) {
        value = rl_build_view(at, value, 4, apart);
        value = rl_build_permute(at, value, exchange);
    }
    value = rl_build_view(at, value, 4, whole);
    value = cut(at, value, 1, rows);
    return cut(at, value, 2, columns);
}

// ---- the results of the graph

static bool is_only_moved(const struct rl_node *node)
{
    return node->op == RL_OP_aten_view_copy || node->op == RL_OP_aten_permute_copy ||
           node->op == RL_OP_aten_slice_copy_tensor;
}

// Whether the caller gets the value, as it is or moved, and nothing else does.
// `depth`: nodes behind each other that may still follow.
static bool is_handed_out(const struct rl_graph *graph, const struct rl_value *value, int depth)
{
    bool is_used = false;
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        if (graph->outputs[i] == value) {
            if (i >= graph->output_count) { // the next value of a state
                return false;
            }
            is_used = true;
        }
    }
    for (const struct rl_node *node = value->producer->next; node; node = node->next) {
        if (rl_node_use_count(node, value) == 0) {
            continue;
        }
        if (!is_only_moved(node) || depth == 0 || !is_handed_out(graph, node->results[0], depth - 1)) {
            return false;
        }
        is_used = true;
    }
    return is_used;
}

static bool may_be_wide(const struct rl_pass *pass, const struct rl_node *node)
{
    const struct rl_compile_options *options = pass->options;
    if (options->interface == RL_INTERFACE_INT8 || options->target.flow == RL_FLOW_EXECUTORCH) {
        return false;
    }
    return options->quantization == RL_QUANTIZE_A16W8 || is_handed_out(pass->graph, node->results[0], MOST_BEHIND);
}

static bool join(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t first[4] = {0, 3, 1, 2};
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *bias = rl_node_arg(node, "bias");
    const struct rl_value *bias_value = bias->kind == RL_ARG_VALUE ? bias->as.value : NULL;
    struct axis axes[2];
    if (!may_be_wide(pass, node) || !read_axes(node, axes) ||
        (bias_value && (bias_value->kind != RL_VALUE_CONSTANT || bias_value->type.dtype != RL_FLOAT32))) {
        return false;
    }
    struct rl_value *weight = join_weights(&at, rl_node_tensor(node, "weight"), axes);
    struct rl_value *value = convolve(&at, weight, bias_value, axes);
    value = move_apart(&at, value, axes);
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(pass->graph->arena, first, 4)};
    rl_build_end(&at, RL_OP_aten_permute_copy, args, 2);
    return true;
}

enum rl_status rl_pass_join_phases(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_conv_transpose2d_input, join);
    return RL_OK;
}
