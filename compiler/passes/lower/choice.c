// SPDX-License-Identifier: Apache-2.0
//
// Dequantizing keeps the order of integers, and equal integers equal. So the largest, the first, a sorted or a selected
// element is the same before and after it, and so is the result of a comparison.
//
// A number beside the elements (masked_fill, scatter) must be an element of the grid, or nothing but a quantize node of
// this grid reads the result. A number that elements are compared with need not: between two elements of the grid, the
// half between their integers takes its place.
#include "compiler/passes/lower/choice.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

struct choice {
    struct rl_graph *graph;
    struct rl_node *node;
    const struct rl_node *dequantize; // of the first operand
    struct rl_grid grid;              // of all operands
    struct rl_grid after;             // what numbers are quantized by
    bool is_quantized_again;          // nothing but a quantize node of this grid reads the result
    bool compares;                    // the result is not on the grid
};

static bool is_float(const struct rl_value *value)
{
    return value && value->type.dtype == RL_FLOAT32;
}

static int operand_count(const struct rl_arg *arg)
{
    return arg->kind == RL_ARG_VALUES ? arg->count : arg->kind == RL_ARG_VALUE;
}

static struct rl_value *operand_at(const struct rl_arg *arg, int index)
{
    return arg->kind == RL_ARG_VALUES ? arg->as.values[index] : arg->as.value;
}

// Takes the grid of the first quantized operand. False when there is none, or others differ.
static bool find_grid(struct choice *choice)
{
    struct rl_node *node = choice->node;
    for (int i = 0; i < node->arg_count; i++) {
        for (int k = 0; k < operand_count(&node->args[i]); k++) {
            const struct rl_value *operand = operand_at(&node->args[i], k);
            struct rl_grid grid;
            if (!is_float(operand) || !rl_integers_behind(operand, &grid)) {
                continue;
            }
            if (choice->dequantize && !rl_grid_equal(&choice->grid, &grid)) {
                return rl_decline(choice->graph, node, "its operands have different scales or zero points");
            }
            choice->dequantize = choice->dequantize ? choice->dequantize : operand->producer;
            choice->grid = grid;
        }
    }
    return choice->dequantize;
}

static void look_at_result(struct choice *choice)
{
    const struct rl_value *result = choice->node->results[0];
    const struct rl_node *user = rl_value_only_user(choice->graph, result);
    struct rl_grid after;
    choice->compares = !is_float(result);
    choice->is_quantized_again = user && rl_is_quantize(user, &after) && rl_grid_equal(&after, &choice->grid);
    choice->after = choice->is_quantized_again ? after : choice->grid;
}

static float real_of(const struct rl_grid *grid, int64_t integer)
{
    return (float)(integer - grid->zero_point) * (float)grid->scale;
}

// The integer that takes the place of a number among the elements.
static bool element_of(const struct choice *choice, double number, int64_t *integer)
{
    *integer = rl_grid_quantize(&choice->after, (float)number);
    return !isnan(number) && (choice->is_quantized_again || real_of(&choice->grid, *integer) == (float)number);
}

// What integers are compared with, in place of a number that their elements are compared with.
static bool bound_of(const struct choice *choice, float number, struct rl_arg *bound)
{
    const int64_t least = choice->grid.dtype == RL_INT16 ? INT16_MIN : INT8_MIN;
    int64_t below = least, end = choice->grid.dtype == RL_INT16 ? INT16_MAX + 1 : INT8_MAX + 1;
    const int64_t beyond = end;
    while (below < end) {
        const int64_t middle = (below + end - 1) / 2 - ((below + end - 1) % 2 < 0);
        if (real_of(&choice->grid, middle) < number) {
            below = middle + 1;
        } else {
            end = middle;
        }
    }
    const bool is_element = below < beyond && real_of(&choice->grid, below) == number;
    *bound = is_element ? rl_arg_int(below) : rl_arg_double((double)below - 0.5);
    return !isnan(number);
}

// A constant of floats as one of integers.
static struct rl_value *quantize_constant(const struct choice *choice, const struct rl_value *constant)
{
    const int64_t count = rl_tensor_numel(&constant->type);
    struct rl_tensor_type type = constant->type;
    type.dtype = choice->grid.dtype;
    int16_t *wide = rl_arena_array(choice->graph->arena, (size_t)count, sizeof *wide);
    int8_t *narrow = (int8_t *)wide;
    for (int64_t i = 0; i < count; i++) {
        int64_t integer;
        if (!element_of(choice, (double)((const float *)constant->data)[i], &integer)) {
            return NULL;
        }
        if (type.dtype == RL_INT16) {
            wide[i] = (int16_t)integer;
        } else {
            narrow[i] = (int8_t)integer;
        }
    }
    return rl_graph_add_constant(choice->graph, constant->name, &type, wide);
}

static bool integers_of_operand(const struct choice *choice, struct rl_value **operand)
{
    struct rl_grid grid;
    struct rl_value *integers = rl_integers_behind(*operand, &grid);
    if (!is_float(*operand)) {
        return true;
    }
    if (!integers && (*operand)->kind == RL_VALUE_CONSTANT) {
        integers = quantize_constant(choice, *operand);
    }
    if (!integers) {
        return rl_decline(choice->graph, choice->node, "'%s' is not on the grid of its other operands",
                          (*operand)->name);
    }
    *operand = integers;
    return true;
}

// Places and conditions are not elements. Integers and truth values in the place of elements are on no grid.
static bool holds_elements(const struct rl_op_arg *schema)
{
    static const char *const others[] = {"index", "indices", "mask", "condition"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(schema->name, others[i]) == 0) {
            return false;
        }
    }
    return true;
}

// The argument as it is beside integers.
static bool integers_of_argument(const struct choice *choice, const struct rl_op_arg *schema, struct rl_arg *arg)
{
    const bool is_number = arg->kind == RL_ARG_INT || arg->kind == RL_ARG_DOUBLE;
    if (schema->type == RL_TYPE_SCALAR && is_number) {
        const double number = arg->kind == RL_ARG_INT ? (double)arg->as.integer : arg->as.number;
        int64_t integer = 0;
        const bool fits =
            choice->compares ? bound_of(choice, (float)number, arg) : element_of(choice, number, &integer);
        if (!fits) {
            return rl_decline(choice->graph, choice->node, "%g is not on the grid of its input", number);
        }
        *arg = choice->compares ? *arg : rl_arg_int(integer);
    }
    for (int i = 0; i < operand_count(arg); i++) {
        const struct rl_value *operand = operand_at(arg, i);
        if (operand && !is_float(operand) && holds_elements(schema)) {
            return rl_decline(choice->graph, choice->node, "'%s' is not on the grid of its other operands",
                              operand->name);
        }
    }
    if (arg->kind == RL_ARG_VALUE) {
        return integers_of_operand(choice, &arg->as.value);
    }
    if (arg->kind == RL_ARG_VALUES) {
        *arg = rl_arg_values(choice->graph->arena, arg->as.values, arg->count);
        for (int i = 0; i < arg->count; i++) {
            if (!integers_of_operand(choice, &arg->as.values[i])) {
                return false;
            }
        }
    }
    return true;
}

// Makes a result one of integers, with a dequantize node behind it.
static void dequantize_result(const struct choice *choice, struct rl_node *before, struct rl_value *result)
{
    struct rl_graph *graph = choice->graph;
    const struct rl_node *like = choice->dequantize;
    struct rl_node *dequantize =
        rl_insert_before(graph, before, like->op, rl_arena_format(graph->arena, "%s_dequantize", result->name),
                         choice->node, &result->type);
    rl_graph_replace_uses(graph, result, dequantize->results[0]);
    for (int i = 0; i < like->arg_count; i++) {
        dequantize->args[i] = like->args[i];
    }
    dequantize->args[0] = rl_arg_value(result);
    result->type.dtype = choice->grid.dtype;
}

static bool adds_elements(const struct rl_node *node)
{
    return rl_op_argument(rl_op_get(node->op), "accumulate") >= 0 && rl_node_bool(node, "accumulate");
}

void rl_sink_choice(struct rl_graph *graph, struct rl_node *node)
{
    struct choice choice = {.graph = graph, .node = node};
    struct rl_node *next = node->next;
    if (!find_grid(&choice)) {
        return;
    }
    if (adds_elements(node)) {
        rl_decline(graph, node, "it adds to elements");
        return;
    }
    look_at_result(&choice);
    struct rl_arg *args = rl_arena_array(graph->arena, (size_t)node->arg_count, sizeof *args);
    for (int i = 0; i < node->arg_count; i++) {
        args[i] = node->args[i];
        if (!integers_of_argument(&choice, &rl_op_get(node->op)->args[i], &args[i])) {
            return;
        }
    }
    node->args = args;
    for (int i = 0; i < node->result_count; i++) {
        if (is_float(node->results[i])) {
            dequantize_result(&choice, next, node->results[i]);
        }
    }
}

bool rl_is_choice_of_one(const struct rl_graph *graph, const struct rl_node *node)
{
    if (!rl_op_get(node->op)->chooses || node->args[0].kind != RL_ARG_VALUE || !is_float(node->args[0].as.value)) {
        return false;
    }
    for (int i = 1; i < node->arg_count; i++) {
        const struct rl_op_arg *schema = &rl_op_get(node->op)->args[i];
        if (schema->type == RL_TYPE_SCALAR || (operand_count(&node->args[i]) > 0 && holds_elements(schema))) {
            return false;
        }
    }
    for (int i = 1; i < node->result_count; i++) {
        if (rl_value_use_count(graph, node->results[i]) > 0) {
            return false;
        }
    }
    return true;
}
