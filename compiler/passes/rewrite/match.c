// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/match.h"

#include <math.h>

#include "compiler/passes/rewrite/rewrite.h"

// ---- nodes that quantize and dequantize

static void read_grid(const struct rl_node *node, struct rl_grid *grid)
{
    *grid = (struct rl_grid){
        .scale = rl_node_number(node, "scale"),
        .zero_point = rl_node_int(node, "zero_point"),
        .min = rl_node_int(node, "quant_min"),
        .max = rl_node_int(node, "quant_max"),
        .dtype = (enum rl_scalar_type)rl_node_int(node, "dtype"),
    };
}

bool rl_is_quantize(const struct rl_node *node, struct rl_grid *grid)
{
    if (!rl_op_get(node->op)->quantizes) {
        return false;
    }
    read_grid(node, grid);
    return true;
}

bool rl_is_dequantize(const struct rl_node *node, struct rl_grid *grid)
{
    if (!rl_op_get(node->op)->dequantizes) {
        return false;
    }
    read_grid(node, grid);
    return true;
}

bool rl_is_scale(double scale)
{
    return scale > 0.0 && isfinite(scale);
}

// Whether all integers of the grid are of the type, int8 or int16.
static bool is_grid_of(const struct rl_grid *grid, enum rl_scalar_type dtype)
{
    const int64_t least = dtype == RL_INT8 ? INT8_MIN : INT16_MIN;
    const int64_t largest = dtype == RL_INT8 ? INT8_MAX : INT16_MAX;
    return grid->dtype == dtype && grid->min >= least && grid->max <= largest && grid->min <= grid->max &&
           grid->zero_point >= least && grid->zero_point <= largest && rl_is_scale(grid->scale);
}

static struct rl_value *integers_behind(const struct rl_value *value, enum rl_scalar_type dtype, struct rl_grid *grid)
{
    if (!value || value->kind != RL_VALUE_RESULT || !rl_is_dequantize(value->producer, grid) ||
        !is_grid_of(grid, dtype)) {
        return NULL;
    }
    struct rl_value *input = rl_node_tensor(value->producer, "input");
    return input->type.dtype == dtype && rl_tensor_same_sizes(&input->type, &value->type) ? input : NULL;
}

struct rl_value *rl_int8_behind(const struct rl_value *value, struct rl_grid *grid)
{
    return integers_behind(value, RL_INT8, grid);
}

struct rl_value *rl_integers_behind(const struct rl_value *value, struct rl_grid *grid)
{
    struct rl_value *integers = integers_behind(value, RL_INT8, grid);
    return integers ? integers : integers_behind(value, RL_INT16, grid);
}

enum rl_scalar_type rl_integer_type(const struct rl_value *value)
{
    struct rl_grid grid;
    return integers_behind(value, RL_INT16, &grid) ? RL_INT16 : RL_INT8;
}

bool rl_grid_equal(const struct rl_grid *a, const struct rl_grid *b)
{
    return a->scale == b->scale && a->zero_point == b->zero_point && a->dtype == b->dtype;
}

int64_t rl_grid_quantize(const struct rl_grid *grid, float real)
{
    const float inverse = (float)(1.0 / grid->scale);
    const double rounded = (double)nearbyintf(real * inverse) + (double)grid->zero_point;
    if (!(rounded > (double)grid->min)) {
        return grid->min;
    }
    return rounded < (double)grid->max ? (int64_t)rounded : grid->max;
}

// ---- operators between them

// The quantize node that is the only user of the value.
static struct rl_node *quantize_of(struct rl_graph *graph, const struct rl_value *value, enum rl_scalar_type dtype,
                                   struct rl_grid *grid)
{
    struct rl_node *user = rl_value_only_user(graph, value);
    if (!user || !rl_is_quantize(user, grid) || !is_grid_of(grid, dtype)) {
        return NULL;
    }
    const struct rl_tensor_type *type = &user->results[0]->type;
    return type->dtype == dtype && rl_tensor_same_sizes(type, &value->type) ? user : NULL;
}

static const char *name_of(enum rl_scalar_type dtype)
{
    return dtype == RL_INT16 ? "int16" : "int8";
}

static bool match_operands(struct rl_graph *graph, struct rl_node *node, int first, int count,
                           enum rl_scalar_type dtype, enum rl_scalar_type result, struct rl_match *match)
{
    *match = (struct rl_match){.node = node};
    for (int i = 0; i < count; i++) {
        const struct rl_arg *arg = &node->args[first + i];
        const struct rl_value *operand = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
        match->operands[i].value = integers_behind(operand, dtype, &match->operands[i].grid);
        if (!match->operands[i].value) {
            return rl_decline(graph, node, "input '%s' is not quantized to %s", operand ? operand->name : "None",
                              name_of(dtype));
        }
    }
    match->quantize = quantize_of(graph, node->results[0], result, &match->output);
    if (!match->quantize) {
        return rl_decline(graph, node, "its result is not quantized to %s, or used before it is", name_of(result));
    }
    return true;
}

bool rl_match(struct rl_graph *graph, struct rl_node *node, int operand_count, struct rl_match *match)
{
    return match_operands(graph, node, 0, operand_count, RL_INT8, RL_INT8, match);
}

bool rl_match_of_type(struct rl_graph *graph, struct rl_node *node, int operand_count, enum rl_scalar_type dtype,
                      struct rl_match *match)
{
    return match_operands(graph, node, 0, operand_count, dtype, dtype, match);
}

bool rl_has_int16_result(const struct rl_graph *graph, const struct rl_node *node)
{
    const struct rl_node *user = rl_value_only_user(graph, node->results[0]);
    struct rl_grid grid;
    return user && rl_is_quantize(user, &grid) && grid.dtype == RL_INT16;
}

bool rl_match_between(struct rl_graph *graph, struct rl_node *node, enum rl_scalar_type operand,
                      enum rl_scalar_type result, struct rl_match *match)
{
    return match_operands(graph, node, 0, 1, operand, result, match);
}

bool rl_match_argument(struct rl_graph *graph, struct rl_node *node, int argument, struct rl_match *match)
{
    return match_operands(graph, node, argument, 1, RL_INT8, RL_INT8, match);
}

static bool is_channel_vector(const struct rl_tensor_type *type)
{
    return rl_tensor_numel(type) == type->sizes[1];
}

static bool can_be_paired(const struct rl_tensor_type *a, const struct rl_tensor_type *b,
                          const struct rl_tensor_type *output)
{
    if (rl_tensor_same_sizes(a, b)) {
        return true;
    }
    return a->rank == 4 && b->rank == 4 && a->sizes[1] == b->sizes[1] &&
           ((is_channel_vector(a) && rl_tensor_same_sizes(b, output)) ||
            (is_channel_vector(b) && rl_tensor_same_sizes(a, output)));
}

bool rl_match_binary(struct rl_graph *graph, struct rl_node *node, struct rl_match *match)
{
    const struct rl_value *first = node->args[0].kind == RL_ARG_VALUE ? node->args[0].as.value : NULL;
    if (!rl_match_of_type(graph, node, 2, rl_integer_type(first), match)) {
        return false;
    }
    if (!can_be_paired(&match->operands[0].value->type, &match->operands[1].value->type, &node->results[0]->type)) {
        return rl_decline(graph, node, "operands of different sizes; accepted: equal sizes, or one value per channel");
    }
    return true;
}

bool rl_match_is_wide(const struct rl_pass *pass, const struct rl_match *match, int operand_count, bool *is_wide)
{
    bool has_zero_point = match->output.zero_point != 0;
    *is_wide = match->output.dtype == RL_INT16;
    if (!*is_wide) {
        return true;
    }
    for (int i = 0; i < operand_count; i++) {
        has_zero_point |= match->operands[i].grid.zero_point != 0;
    }
    if (has_zero_point) {
        return rl_decline(pass->graph, match->node, "int16 values with a zero point; accepted: 0");
    }
    return rl_may_use_rushlight(pass, match->node);
}

struct rl_node *rl_match_replace(struct rl_graph *graph, const struct rl_match *match, enum rl_op_id op)
{
    struct rl_value *quantized = match->quantize->results[0];
    struct rl_node *lowered =
        rl_insert_before(graph, match->quantize, op, match->node->name, match->node, &quantized->type);
    rl_graph_replace_uses(graph, quantized, lowered->results[0]);
    lowered->name = match->node->name;
    lowered->results[0]->name = match->node->results[0]->name;
    rl_graph_remove(graph, match->quantize);
    rl_graph_remove(graph, match->node);
    return lowered;
}

struct rl_node *rl_match_table(struct rl_graph *graph, const struct rl_match *match, struct rl_value *input,
                               const int8_t table[RL_TABLE_SIZE])
{
    static const int64_t sizes[1] = {RL_TABLE_SIZE};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT8, 1, sizes);
    struct rl_value *constant =
        rl_graph_add_constant(graph, rl_arena_format(graph->arena, "%s_table", match->node->name), &type, table);
    struct rl_node *lowered = rl_match_replace(graph, match, RL_OP_cm_quantized_activation);
    rl_node_set(lowered, "input", rl_arg_value(input));
    rl_node_set(lowered, "lut", rl_arg_value(constant));
    return lowered;
}

void rl_fill_requantizing_table(const struct rl_grid *from, const struct rl_grid *to, int8_t table[RL_TABLE_SIZE])
{
    for (int i = 0; i < RL_TABLE_SIZE; i++) {
        const float real = (float)(i + INT8_MIN - from->zero_point) * (float)from->scale;
        table[i] = (int8_t)rl_grid_quantize(to, real);
    }
}

struct rl_node *rl_insert_clamp(struct rl_graph *graph, struct rl_node *before, struct rl_value *value, int64_t min,
                                int64_t max, const struct rl_node *like)
{
    struct rl_node *clamp = rl_insert_before(
        graph, before, RL_OP_aten_clamp, rl_arena_format(graph->arena, "%s_clamp", value->name), like, &value->type);
    rl_node_set(clamp, "self", rl_arg_value(value));
    rl_node_set(clamp, "min", rl_arg_int(min));
    rl_node_set(clamp, "max", rl_arg_int(max));
    return clamp;
}

void rl_match_clamp(struct rl_graph *graph, const struct rl_match *match, struct rl_node *lowered)
{
    const bool is_wide = match->output.dtype == RL_INT16;
    if (match->output.min <= (is_wide ? -INT16_MAX : INT8_MIN) &&
        match->output.max >= (is_wide ? INT16_MAX : INT8_MAX)) {
        return;
    }
    struct rl_value *result = lowered->results[0];
    const char *name = result->name;
    struct rl_node *clamp =
        rl_insert_clamp(graph, lowered->next, result, match->output.min, match->output.max, lowered);
    rl_graph_replace_uses(graph, result, clamp->results[0]);
    rl_node_set(clamp, "self", rl_arg_value(result));
    result->name = clamp->results[0]->name;
    clamp->results[0]->name = name;
}

struct rl_node *rl_sink_dequantize(struct rl_graph *graph, struct rl_node *node, enum rl_op_id op)
{
    struct rl_value *result = node->results[0];
    const struct rl_node *dequantize = node->args[0].as.value->producer;
    struct rl_tensor_type type = result->type;
    type.dtype = rl_node_tensor(dequantize, "input")->type.dtype;
    const char *new_name = rl_graph_unique_name(graph, rl_arena_format(graph->arena, "%s_dequantize", node->name));
    struct rl_node *lowered = rl_insert_before(graph, node, op, new_name, node, &type);
    struct rl_value *integers = lowered->results[0];
    lowered->name = node->name;
    integers->name = result->name;
    node->name = new_name;
    result->name = new_name;
    rl_node_become(graph, node, dequantize->op);
    for (int i = 0; i < node->arg_count; i++) {
        node->args[i] = dequantize->args[i];
    }
    node->args[0] = rl_arg_value(integers);
    return lowered;
}

void rl_set_scratch(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    for (int i = 0; i < op->arg_count; i++) {
        if (op->args[i].type == RL_TYPE_SCRATCH) {
            const char *name = rl_arena_format(graph->arena, "%s_%s", node->name, op->args[i].name);
            node->args[i] = rl_arg_value(rl_graph_add_scratch(graph, name, 0));
        }
    }
}
