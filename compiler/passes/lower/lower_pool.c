// SPDX-License-Identifier: Apache-2.0
//
// lower_pool: pools of int8 values become cortex_m::quantized_avg_pool2d and quantized_max_pool2d, and
// rushlight::quantized_avg_pool2d, those of int16 rushlight::quantized_avg_pool2d_s16 and quantized_max_pool2d_s16.
//   needs   means as pools (decompose_mean)
//   keeps   values (average pools: to the rounding of the integer kernel); the name of the pooled value
//   breaks  nothing
//
// A maximum is the same before and after dequantizing, so a max pool computes on the integers in front of the
// dequantize node, whatever follows it. The kernel of average pools gives averages on the grid of its input, and does
// not count padding in them. If PyTorch counts it (count_include_pad), a pad adds the zeros.
//
// An average pool whose result has another grid becomes rushlight::quantized_avg_pool2d, which rounds once. ExecuTorch
// does not have it. There the pool rounds to the grid of its input first. That is half a step of the input; if this is
// at most one step of the output, the result is at most one step away, and a table turns it into the other grid.
// Otherwise, or where its constants take no more memory than the table, the pool becomes a depthwise convolution with
// equal weights, which rounds once, too.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

struct pool {
    int64_t kernel[2], stride[2], padding[2], dilation[2];
    bool ceil_mode;
};

enum { MOST_DILATION = 32767 }; // of the runtime

static bool is_size(int64_t number, int64_t least)
{
    return number >= least && number <= INT32_MAX;
}

static bool read_pool(struct rl_graph *graph, struct rl_node *node, struct pool *pool)
{
    int64_t stride[2];
    if (node->results[0]->type.rank != 4) {
        return rl_decline(graph, node, "input of rank %d; accepted: 4 (a batch of images)",
                          node->results[0]->type.rank);
    }
    if (!rl_node_ints(node, "kernel_size", 2, 1, pool->kernel) || !rl_node_ints(node, "stride", 2, 0, stride) ||
        !rl_node_ints(node, "padding", 2, 0, pool->padding)) {
        return rl_decline(graph, node, "kernel, stride or padding of an unexpected length");
    }
    for (int i = 0; i < 2; i++) {
        pool->stride[i] = stride[0] == 0 ? pool->kernel[i] : stride[i];
        if (!is_size(pool->kernel[i], 1) || !is_size(pool->stride[i], 1) || !is_size(pool->padding[i], 0)) {
            return rl_decline(graph, node, "kernel and stride must be positive, padding not negative");
        }
    }
    pool->ceil_mode = rl_node_bool(node, "ceil_mode");
    return true;
}

static void set_geometry(struct rl_graph *graph, struct rl_node *lowered, const struct pool *pool)
{
    rl_node_set(lowered, "kernel_size", rl_arg_ints(graph->arena, pool->kernel, 2));
    rl_node_set(lowered, "stride", rl_arg_ints(graph->arena, pool->stride, 2));
    rl_node_set(lowered, "padding", rl_arg_ints(graph->arena, pool->padding, 2));
    rl_node_set(lowered, "ceil_mode", rl_arg_bool(pool->ceil_mode));
}

// ---- max

static bool is_dilation(int64_t number)
{
    return number >= 1 && number <= MOST_DILATION;
}

static bool lower_wide_max_pool(const struct rl_pass *pass, struct rl_node *node, const struct pool *pool,
                                struct rl_value *input)
{
    if (pool->dilation[0] != 1 || pool->dilation[1] != 1) {
        return rl_decline(pass->graph, node, "its input is int16, and it is dilated");
    }
    if (!rl_may_use_rushlight(pass, node)) {
        return false;
    }
    struct rl_node *lowered = rl_sink_dequantize(pass->graph, node, RL_OP_rl_quantized_max_pool2d_s16);
    rl_node_set(lowered, "input", rl_arg_value(input));
    set_geometry(pass->graph, lowered, pool);
    return true;
}

static bool lower_max_pool(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct pool pool;
    struct rl_grid grid;
    struct rl_value *input = rl_integers_behind(rl_node_tensor(node, "self"), &grid);
    if (!input) {
        return rl_decline(graph, node, "its input is not quantized to int8 or int16");
    }
    if (!read_pool(graph, node, &pool)) {
        return false;
    }
    if (!rl_node_ints(node, "dilation", 2, 1, pool.dilation) || !is_dilation(pool.dilation[0]) ||
        !is_dilation(pool.dilation[1])) {
        return rl_decline(graph, node, "a dilation outside of 1 to %d", MOST_DILATION);
    }
    const bool is_dilated = pool.dilation[0] != 1 || pool.dilation[1] != 1;
    if ((pool.ceil_mode || is_dilated) && pass->options->target.flow == RL_FLOW_EXECUTORCH) {
        return rl_decline(graph, node, "ceil_mode or dilation, which ExecuTorch's integer operator refuses");
    }
    if (grid.dtype == RL_INT16) {
        return lower_wide_max_pool(pass, node, &pool, input);
    }
    struct rl_node *lowered = rl_sink_dequantize(graph, node, RL_OP_cm_quantized_max_pool2d);
    rl_node_set(lowered, "input", rl_arg_value(input));
    set_geometry(graph, lowered, &pool);
    rl_node_set(lowered, "dilation", rl_arg_ints(graph->arena, pool.dilation, 2));
    rl_node_set(lowered, "input_zero_point", rl_arg_int(grid.zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(grid.zero_point));
    rl_node_set(lowered, "activation_min", rl_arg_int(INT8_MIN));
    rl_node_set(lowered, "activation_max", rl_arg_int(INT8_MAX));
    return true;
}

// ---- average: divisor and padding

static bool has_divisor(const struct rl_node *node)
{
    return rl_node_arg(node, "divisor_override")->kind != RL_ARG_NONE;
}

// Whether the divisor of the node itself is the number of values that each window has.
static bool divides_by_window(const struct rl_node *node, const struct pool *pool)
{
    return !pool->ceil_mode && pool->padding[0] == 0 && pool->padding[1] == 0 &&
           rl_node_int(node, "divisor_override") == pool->kernel[0] * pool->kernel[1];
}

// The padding behind an axis of `size` elements, with `padding` in front of it, for `windows` windows: none behind the
// last one. In ceil mode that may be less than in front, because no window starts in it.
static int64_t padding_behind(const struct pool *pool, int axis, int64_t size, int64_t windows)
{
    const int64_t end = (windows - 1) * pool->stride[axis] + pool->kernel[axis];
    const int64_t wanted = end - size - pool->padding[axis];
    if (!pool->ceil_mode || wanted >= pool->padding[axis]) {
        return pool->padding[axis];
    }
    return wanted > 0 ? wanted : 0;
}

// Pads the input with a node of its own, so that the pool does not pad. False if the pool of the padded input would
// have another number of windows.
static bool pad_input(struct rl_graph *graph, const struct rl_match *match, struct pool *pool, struct rl_value **input)
{
    struct rl_tensor_type type = (*input)->type;
    const int64_t *output = match->node->results[0]->type.sizes;
    int64_t behind[2];
    for (int i = 0; i < 2; i++) {
        const struct rl_window window = {
            .kernel = (int32_t)pool->kernel[i], .stride = (int32_t)pool->stride[i], .dilation = 1};
        behind[i] = padding_behind(pool, i, type.sizes[2 + i], output[2 + i]);
        type.sizes[2 + i] += pool->padding[i] + behind[i];
        const int64_t size = type.sizes[2 + i];
        if (!is_size(size, 0) || rl_count_pool_windows((uint32_t)size, &window, pool->ceil_mode) != output[2 + i]) {
            return false;
        }
    }
    const int64_t amounts[4] = {pool->padding[1], behind[1], pool->padding[0], behind[0]};
    struct rl_node *pad =
        rl_insert_before(graph, match->node, RL_OP_aten_constant_pad_nd,
                         rl_arena_format(graph->arena, "%s_pad", match->node->name), match->node, &type);
    rl_node_set(pad, "self", rl_arg_value(*input));
    rl_node_set(pad, "pad", rl_arg_ints(graph->arena, amounts, 4));
    rl_node_set(pad, "value", rl_arg_int(match->operands[0].grid.zero_point));
    *input = pad->results[0];
    pool->padding[0] = pool->padding[1] = 0;
    return true;
}

// ---- average, with another grid behind it

// Whether the result has the windows of the pool, each of which the kernel can take.
static bool has_windows(const struct rl_match *match, const struct pool *pool, bool ceil_mode)
{
    const struct rl_tensor_type *input = &match->operands[0].value->type;
    for (int i = 0; i < 2; i++) {
        const struct rl_window window = {.kernel = (int32_t)pool->kernel[i],
                                         .stride = (int32_t)pool->stride[i],
                                         .padding = (int32_t)pool->padding[i],
                                         .dilation = 1};
        const int64_t size = input->sizes[2 + i];
        if (!is_size(size, 1) || 2 * pool->padding[i] > pool->kernel[i] || pool->kernel[i] > 2 * size ||
            rl_count_pool_windows((uint32_t)size, &window, ceil_mode) != match->node->results[0]->type.sizes[2 + i]) {
            return false;
        }
    }
    return true;
}

// Whether each result is the sum of a whole window, in which padding counts as zeros, divided by its area.
static bool has_whole_windows(const struct rl_match *match, const struct pool *pool)
{
    const bool has_padding = pool->padding[0] != 0 || pool->padding[1] != 0;
    return has_windows(match, pool, false) && (!has_padding || rl_node_bool(match->node, "count_include_pad"));
}

// Whether the sum of each window, whole or not, is divided by one number.
static bool has_one_divisor(const struct rl_match *match, const struct pool *pool)
{
    return has_windows(match, pool, pool->ceil_mode) && has_divisor(match->node);
}

// What the sum of a window is divided by, if that is one number.
static double divisor_of(const struct rl_node *node, const struct pool *pool)
{
    return has_divisor(node) ? (double)rl_node_int(node, "divisor_override")
                             : (double)pool->kernel[0] * (double)pool->kernel[1];
}

// Whether sums stay within int32 before and after the left shift to the grid of the output.
static bool fits_sums(const struct rl_match *match, const struct pool *pool)
{
    const double most = 2147483647.0, area = (double)pool->kernel[0] * (double)pool->kernel[1];
    const double factor = match->operands[0].grid.scale / (match->output.scale * divisor_of(match->node, pool));
    const double inputs = 255 * area;
    return inputs <= most / 2 && inputs * factor <= most / 2 && factor < most / 2;
}

// The bytes of the constants of the convolution: its weights, and a multiplier and a shift for each channel.
static double constant_bytes(const struct rl_match *match, const struct pool *pool)
{
    enum { MULTIPLIER_AND_SHIFT = 8 };
    const double window = (double)pool->kernel[0] * (double)pool->kernel[1];
    return (double)match->node->results[0]->type.sizes[1] * (window + MULTIPLIER_AND_SHIFT);
}

// Makes the pool a depthwise convolution of floats, whose weights are dequantized ones.
static void convolve(struct rl_graph *graph, struct rl_node *node, const struct pool *pool)
{
    static const int64_t ones[2] = {1, 1};
    const struct rl_arg input = *rl_node_arg(node, "self");
    const int64_t channels = input.as.value->type.sizes[1];
    const int64_t sizes[4] = {channels, 1, pool->kernel[0], pool->kernel[1]};
    struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 4, sizes);
    const size_t count = (size_t)rl_tensor_numel(&type);
    int8_t *data = rl_arena_array(graph->arena, count, 1);
    memset(data, 1, count);
    struct rl_value *weight =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_weight", node->name), &type, data);
    type.dtype = RL_FLOAT32;
    struct rl_node *dequantize =
        rl_insert_before(graph, node, RL_OP_qd_dequantize_per_tensor,
                         rl_arena_format(graph->arena, "%s_dequantize", weight->name), node, &type);
    rl_node_set(dequantize, "input", rl_arg_value(weight));
    rl_node_set(dequantize, "scale", rl_arg_double(1.0 / (double)(pool->kernel[0] * pool->kernel[1])));
    rl_node_set(dequantize, "zero_point", rl_arg_int(0));
    rl_node_set(dequantize, "quant_min", rl_arg_int(INT8_MIN));
    rl_node_set(dequantize, "quant_max", rl_arg_int(INT8_MAX));
    rl_node_set(dequantize, "dtype", rl_arg_int(RL_INT8));
    rl_node_become(graph, node, RL_OP_aten_conv2d);
    rl_node_set(node, "input", input);
    rl_node_set(node, "weight", rl_arg_value(dequantize->results[0]));
    rl_node_set(node, "stride", rl_arg_ints(graph->arena, pool->stride, 2));
    rl_node_set(node, "padding", rl_arg_ints(graph->arena, pool->padding, 2));
    rl_node_set(node, "dilation", rl_arg_ints(graph->arena, ones, 2));
    rl_node_set(node, "groups", rl_arg_int(channels));
}

// A table from the integers of one grid to those of another, in place of the matched nodes.
static void requantize(struct rl_graph *graph, const struct rl_match *match, struct rl_value *integers)
{
    int8_t table[RL_TABLE_SIZE];
    rl_fill_requantizing_table(&match->operands[0].grid, &match->output, table);
    rl_match_table(graph, match, integers, table);
}

// ---- average

// Sets the arguments of an integer pool of `input`.
static void set_average(struct rl_graph *graph, struct rl_node *lowered, struct rl_value *input,
                        const struct pool *pool, const struct rl_grid *grid)
{
    const struct rl_multiplier factor = rl_multiplier_of(grid->scale);
    rl_node_set(lowered, "input", rl_arg_value(input));
    set_geometry(graph, lowered, pool);
    rl_node_set(lowered, "zero_point", rl_arg_int(grid->zero_point));
    rl_node_set(lowered, "multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "shift", rl_arg_int(factor.shift));
    rl_set_scratch(graph, lowered);
}

// The pool on the grid of its input, then the table.
static void average_and_requantize(struct rl_graph *graph, const struct rl_match *match, struct rl_value *input,
                                   const struct pool *pool)
{
    struct rl_tensor_type type = match->node->results[0]->type;
    type.dtype = RL_INT8;
    struct rl_node *average =
        rl_insert_before(graph, match->node, RL_OP_cm_quantized_avg_pool2d,
                         rl_arena_format(graph->arena, "%s_average", match->node->name), match->node, &type);
    set_average(graph, average, input, pool, &match->operands[0].grid);
    requantize(graph, match, average->results[0]);
}

// One operator from the grid of the input to that of the output.
static void average_on_own_grid(struct rl_graph *graph, const struct rl_match *match, const struct pool *pool)
{
    const struct rl_grid grid = match->operands[0].grid;
    struct rl_value *input = match->operands[0].value;
    const double divisor = divisor_of(match->node, pool);
    const struct rl_multiplier factor = rl_multiplier_of(grid.scale / (match->output.scale * divisor));
    struct rl_node *lowered = rl_match_replace(graph, match, RL_OP_rl_quantized_avg_pool2d);
    rl_node_set(lowered, "input", rl_arg_value(input));
    rl_node_set(lowered, "kernel_size", rl_arg_ints(graph->arena, pool->kernel, 2));
    rl_node_set(lowered, "stride", rl_arg_ints(graph->arena, pool->stride, 2));
    rl_node_set(lowered, "padding", rl_arg_ints(graph->arena, pool->padding, 2));
    rl_node_set(lowered, "input_zero_point", rl_arg_int(grid.zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match->output.zero_point));
    rl_node_set(lowered, "multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "shift", rl_arg_int(factor.shift));
    rl_match_clamp(graph, match, lowered);
}

// An average of int16 is on the grid of its input.
static bool lower_wide_avg_pool(const struct rl_pass *pass, struct rl_node *node, struct pool *pool)
{
    enum { MOST_ELEMENTS = 1 << 15 };
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    if (!rl_may_use_rushlight(pass, node) || !rl_match_of_type(graph, node, 1, RL_INT16, &match)) {
        return false;
    }
    if (!rl_grid_equal(&match.operands[0].grid, &match.output) || match.output.zero_point != 0) {
        return rl_decline(graph, node, "its input is int16, and its result has another grid, or there is a zero point");
    }
    if ((has_divisor(node) && !divides_by_window(node, pool)) ||
        (double)pool->kernel[0] * (double)pool->kernel[1] > MOST_ELEMENTS) {
        return rl_decline(graph, node,
                          "its input is int16, and it has a divisor of its own or a window of more than "
                          "%d elements",
                          MOST_ELEMENTS);
    }
    struct rl_value *input = match.operands[0].value;
    const bool has_padding = pool->padding[0] != 0 || pool->padding[1] != 0;
    if (has_padding && rl_node_bool(node, "count_include_pad") && !pad_input(graph, &match, pool, &input)) {
        return rl_decline(graph, node, "ceil_mode with padding that counts into the average");
    }
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_rl_quantized_avg_pool2d_s16);
    rl_node_set(lowered, "input", rl_arg_value(input));
    set_geometry(graph, lowered, pool);
    rl_match_clamp(graph, &match, lowered);
    return true;
}

static bool lower_avg_pool(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct pool pool;
    struct rl_match match;
    if (!read_pool(graph, node, &pool)) {
        return false;
    }
    if (rl_integer_type(rl_node_tensor(node, "self")) == RL_INT16) {
        return lower_wide_avg_pool(pass, node, &pool);
    }
    if (!rl_match(graph, node, 1, &match)) {
        return false;
    }
    const bool has_own_operator = pass->options->target.flow != RL_FLOW_EXECUTORCH;
    if (has_divisor(node) && !divides_by_window(node, &pool)) {
        if (!has_own_operator || rl_node_int(node, "divisor_override") < 1 || !has_one_divisor(&match, &pool) ||
            !fits_sums(&match, &pool)) {
            return rl_decline(graph, node, "divisor_override; accepted: the size of the window");
        }
        average_on_own_grid(graph, &match, &pool);
        return true;
    }
    const struct rl_grid *grid = &match.operands[0].grid;
    const bool keeps_grid = rl_grid_equal(grid, &match.output), rounds_finely = grid->scale <= 2 * match.output.scale;
    const bool is_whole = has_whole_windows(&match, &pool);
    if (!keeps_grid && is_whole && fits_sums(&match, &pool) && has_own_operator) {
        average_on_own_grid(graph, &match, &pool);
        return true;
    }
    const bool prefers_convolution = !rounds_finely || constant_bytes(&match, &pool) <= RL_TABLE_SIZE;
    if (!keeps_grid && prefers_convolution && is_whole) {
        convolve(graph, node, &pool);
        return true;
    }
    if (!keeps_grid && !rounds_finely) {
        return rl_decline(graph, node,
                          "the step of its input is more than two of its output, and some windows are not whole");
    }
    struct rl_value *input = match.operands[0].value;
    const bool has_padding = pool.padding[0] != 0 || pool.padding[1] != 0;
    if (has_padding && rl_node_bool(node, "count_include_pad") && !pad_input(graph, &match, &pool, &input)) {
        return rl_decline(graph, node, "ceil_mode with padding that counts into the average");
    }
    if (!keeps_grid) {
        average_and_requantize(graph, &match, input, &pool);
        return true;
    }
    const struct rl_grid kept = *grid;
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_quantized_avg_pool2d);
    set_average(graph, lowered, input, &pool, &kept);
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_pool(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_max_pool2d, lower_max_pool);
    rl_lower_each(pass, RL_OP_aten_avg_pool2d, lower_avg_pool);
    return RL_OK;
}
