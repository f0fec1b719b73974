// SPDX-License-Identifier: Apache-2.0
//
// lower_curve: functions of int16 values, one behind the other, become rushlight::quantized_activation_s16, and so do
// those of int8 values whose result is int16.
//   needs   relu, clamps and factors before the quantize node fused into it (fuse_activation, fuse_factor)
//   keeps   values, to the interpolation in the table; the name of the quantized value
//   breaks  nothing
//
//   dequantize (int16) -> add a number -> log -> quantize (int8)
//
// The functions are computed in double precision for each place of the table (rl_curve_run). A pole becomes the end of
// int8 on its side. Where the functions are not defined, a place has the result of the next larger one that has one. If
// they are not defined at the least int16, the table has no places for negative integers. These get the result of 0.
//
// Without a function between them, the two nodes change the grid.
#include "compiler/passes/lower/curve.h"

#include <math.h>

#include "compiler/passes/lower/number.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "rushlight/kernels/activation.h"

enum { MOST_FUNCTIONS = 16 };

// From the last function to the first.
struct curve {
    const struct rl_node *nodes[MOST_FUNCTIONS];
    int count;
    struct rl_match match; // of the last node, or of the quantize node if there is none
};

static int operand_of(const struct rl_node *node)
{
    struct rl_number_function function;
    const struct rl_function *known = rl_function_find(node->op);
    if (!rl_function_is_smooth(node->op) || (known && !rl_read_number_function(node, known, &function))) {
        return -1;
    }
    return known ? function.operand : 0;
}

static struct rl_value *operand_value(const struct rl_node *node)
{
    const int operand = operand_of(node);
    return operand >= 0 && node->args[operand].kind == RL_ARG_VALUE ? node->args[operand].as.value : NULL;
}

// Whether nothing changes but the bounds of integers: a clamp of these does it.
static bool only_clamps(const struct curve *curve)
{
    struct rl_bounds bounds;
    for (int i = 0; i < curve->count; i++) {
        if (!rl_read_clamp(curve->nodes[i], &bounds)) {
            return false;
        }
    }
    return rl_grid_equal(&curve->match.operands[0].grid, &curve->match.output);
}

// Reads the functions in front of a quantize node. False if they neither start nor end with int16 values.
static bool read_curve(const struct rl_graph *graph, struct rl_node *quantize, struct curve *curve)
{
    struct rl_value *value = rl_node_tensor(quantize, "input");
    *curve = (struct curve){.match = {.quantize = quantize}};
    if (!rl_is_quantize(quantize, &curve->match.output) ||
        (curve->match.output.dtype != RL_INT8 && curve->match.output.dtype != RL_INT16)) {
        return false;
    }
    struct rl_grid *grid = &curve->match.operands[0].grid;
    while (value && value->kind == RL_VALUE_RESULT && !rl_is_dequantize(value->producer, grid)) {
        struct rl_value *operand = operand_value(value->producer);
        if (curve->count == MOST_FUNCTIONS || !operand || rl_value_use_count(graph, value) != 1 ||
            !rl_tensor_same_sizes(&operand->type, &value->type)) {
            return false;
        }
        curve->nodes[curve->count++] = value->producer;
        value = operand;
    }
    curve->match.operands[0].value = rl_integers_behind(value, grid);
    curve->match.node = curve->count > 0 ? (struct rl_node *)curve->nodes[0] : NULL;
    const bool is_wide = grid->dtype == RL_INT16 || curve->match.output.dtype == RL_INT16;
    return curve->match.operands[0].value && is_wide && !only_clamps(curve);
}

bool rl_is_in_curve(const struct rl_graph *graph, const struct rl_node *node)
{
    struct curve curve;
    struct rl_grid grid;
    for (int i = 0; node && i < MOST_FUNCTIONS; i++) {
        if (rl_is_quantize(node, &grid)) {
            return i > 0 && read_curve(graph, (struct rl_node *)node, &curve);
        }
        node = operand_value(node) ? rl_value_only_user(graph, node->results[0]) : NULL;
    }
    return false;
}

static double value_of(const struct curve *curve, double x)
{
    for (int i = curve->count - 1; i >= 0; i--) {
        struct rl_number_function function;
        struct rl_bounds bounds;
        if (rl_read_clamp(curve->nodes[i], &bounds)) {
            x = isnan(x) ? x : fmin(fmax(x, bounds.min), bounds.max);
        } else if (rl_read_number_function(curve->nodes[i], rl_function_find(curve->nodes[i]->op), &function)) {
            x = rl_number_function_of(&function, x);
        }
    }
    return x;
}

// The integer at a place of the table.
static double integer_at(int place)
{
    enum { DENSE = 64, PLACES = DENSE / 2 };
    const int shift = place < DENSE ? 0 : place / PLACES - 1;
    return ldexp((double)(place - PLACES * shift), shift);
}

// A result in the table, with 8 fractional bits if it is int8.
static int16_t on_grid(const struct rl_grid *grid, double y)
{
    const double one = grid->dtype == RL_INT16 ? 1.0 : 256.0;
    const double scaled = y / grid->scale + (double)grid->zero_point;
    const double limited = fmin(fmax(scaled, (double)grid->min), (double)grid->max);
    return (int16_t)nearbyint(limited * one);
}

// Fills in `count` results, of the integers at their places. False if none is defined.
static bool fill(const struct curve *curve, double (*integer_of)(int place), double sign, int count, int16_t *table)
{
    const struct rl_grid *grid = &curve->match.operands[0].grid;
    int next = -1;
    for (int place = count - 1; place >= 0; place--) {
        const double integer = sign * integer_of(place) - (double)grid->zero_point;
        const double y = value_of(curve, integer * grid->scale);
        next = isnan(y) ? next : place;
        table[place] = isnan(y) && next >= 0 ? table[next] : on_grid(&curve->match.output, isnan(y) ? 0.0 : y);
    }
    return next >= 0;
}

static double int8_at(int place)
{
    return place + INT8_MIN;
}

// Whether negative integers have a result.
static bool has_negative(const struct curve *curve)
{
    return !isnan(value_of(curve, INT16_MIN * curve->match.operands[0].grid.scale));
}

// The table; NULL if no result is defined.
static const int16_t *make_table(struct rl_graph *graph, const struct curve *curve, int64_t *places)
{
    if (curve->match.operands[0].grid.dtype == RL_INT8) {
        *places = RL_TABLE_SIZE;
        int16_t *table = rl_arena_array(graph->arena, RL_TABLE_SIZE, sizeof *table);
        return fill(curve, int8_at, 1.0, RL_TABLE_SIZE, table) ? table : NULL;
    }
    const bool is_whole = has_negative(curve);
    *places = is_whole ? 2 * RL_CURVE_PLACES : RL_CURVE_PLACES;
    int16_t *table = rl_arena_array(graph->arena, (size_t)*places, sizeof *table);
    const bool is_defined = fill(curve, integer_at, 1.0, RL_CURVE_PLACES, table) &&
                            (!is_whole || fill(curve, integer_at, -1.0, RL_CURVE_PLACES, table + RL_CURVE_PLACES));
    return is_defined ? table : NULL;
}

static bool lower(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct curve curve;
    if (!read_curve(graph, node, &curve) || !rl_may_use_rushlight(pass, node)) {
        return false;
    }
    const struct rl_grid *grid = &curve.match.operands[0].grid;
    if ((grid->dtype == RL_INT16 && grid->zero_point != 0) || (curve.count == 0 && rl_is_imported(pass))) {
        return false;
    }
    int64_t places;
    const int16_t *table = make_table(graph, &curve, &places);
    if (!table) {
        return rl_decline(graph, node, "its functions are not defined on any number of the input's grid");
    }
    struct rl_node *lowered = node;
    if (curve.count > 0) {
        lowered = rl_match_replace(graph, &curve.match, RL_OP_rl_quantized_activation_s16);
    } else {
        rl_node_become(graph, node, RL_OP_rl_quantized_activation_s16);
    }
    const struct rl_tensor_type type = rl_tensor_type_make(RL_INT16, 1, &places);
    const char *name = rl_arena_format(graph->arena, "%s_table", lowered->name);
    rl_node_set(lowered, "input", rl_arg_value(curve.match.operands[0].value));
    rl_node_set(lowered, "table", rl_arg_value(rl_graph_add_constant(graph, name, &type, table)));
    return true;
}

enum rl_status rl_pass_lower_curve(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_qd_quantize_per_tensor, lower);
    return RL_OK;
}
