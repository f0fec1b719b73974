// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/grids.h"

#include <math.h>
#include <stdlib.h>

#include "compiler/evaluate/tables.h"
#include "compiler/plan/alias.h"
#include "format/pte_reader.h"
#include "runtime/math/functions.h"

// One call and the node that computes the same.
struct pair {
    struct rl_traced_grids *grids;
    const struct rl_traced_call *call;
    const struct rl_node *node;
    bool is_late; // what more exact relations give has been found
};

static struct rl_traced_grid *grid_of(struct rl_traced_grids *grids, const struct rl_value *value)
{
    const char *name = rl_alias_root(value)->name;
    struct rl_traced_grid *grid = rl_name_map_find(&grids->by_name, name);

    if (!grid) {
        const struct rl_grid *known = rl_name_map_find(&grids->retraced->grids, name);
        grid = rl_arena_alloc(grids->arena, sizeof *grid);
        if (known) {
            grid->model_scale = known->scale;
            grid->model_zero_point = (double)known->zero_point;
            grid->has_model_zero_point = true;
        }
        rl_name_map_add(&grids->by_name, name, grid);
    }
    return grid;
}

static void set_zero_point(struct rl_traced_grid *grid, double zero_point)
{
    grid->zero_point = zero_point;
    grid->has_zero_point = true;
}

static bool is_quantized(const struct rl_value *value)
{
    return value->type.dtype == RL_INT8 || value->type.dtype == RL_INT16;
}

// The grid of the tensor argument `name`, or that of the first integers among the arguments if `name` is NULL. NULL if
// there is none.
static struct rl_traced_grid *operand(const struct pair *pair, const char *name)
{
    const struct rl_op *op = rl_op_get(pair->node->op);

    for (int i = 0; i < pair->node->arg_count; i++) {
        const struct rl_arg *arg = &pair->node->args[i];
        const struct rl_value *value = arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
        if (arg->kind == RL_ARG_VALUES && arg->count > 0) {
            value = arg->as.values[0];
        }
        const bool is_wanted = name ? rl_op_argument(op, name) == i : value && is_quantized(value);
        if (value && is_wanted) {
            return grid_of(pair->grids, value);
        }
    }
    return NULL;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// The factor of a multiplier and its shift in the second compilation, divided by that in the program. If there are
// several, the median, because the weight scale of a channel may differ. 0 if it is not known.
static double factor(const struct pair *pair, const char *multiplier, const char *shift)
{
    const struct rl_traced_grids *grids = pair->grids;
    const double *numbers[4];
    const size_t all = rl_node_numbers(grids->arena, pair->node, multiplier, &numbers[0]);
    const size_t count = rl_node_numbers(grids->arena, pair->node, shift, &numbers[1]);
    size_t known = 0;

    // With a PReLU behind, there are two multipliers to a shift.
    if (count == 0 || (all != count && all != 2 * count) ||
        rl_traced_numbers(grids->trace, pair->call, multiplier, &numbers[2]) != all ||
        rl_traced_numbers(grids->trace, pair->call, shift, &numbers[3]) != count) {
        return 0;
    }
    double *factors = rl_arena_array(grids->arena, count, sizeof *factors);
    for (size_t i = 0; i < count; i++) {
        if (numbers[0][i] > 0 && numbers[2][i] > 0 && !rl_is_empty_channel(pair->node, i, count)) {
            factors[known++] = numbers[0][i] / numbers[2][i] * rl_math_exp2(numbers[1][i] - numbers[3][i]);
        }
    }
    if (known == 0) {
        return 0;
    }
    qsort(factors, known, sizeof *factors, compare_numbers);
    return factors[known / 2];
}

// result = first * second * factor, where two of the three are known. `second` may be NULL.
static void relate(struct rl_traced_grid *result, struct rl_traced_grid *first, struct rl_traced_grid *second,
                   double by)
{
    const double other = second ? second->ratio : 1;

    if (!result || !first || by <= 0) {
        return;
    }
    if (result->ratio == 0) {
        result->ratio = first->ratio * other * by;
    } else if (first->ratio == 0 && other > 0) {
        first->ratio = result->ratio / (other * by);
    } else if (second && second->ratio == 0 && first->ratio > 0) {
        second->ratio = result->ratio / (first->ratio * by);
    }
}

static double number(const struct pair *pair, const char *name, double fallback)
{
    const double *numbers;

    return rl_traced_numbers(pair->grids->trace, pair->call, name, &numbers) == 1 ? numbers[0] : fallback;
}

// Whether a layer has hardsigmoid fused into it: its offset is then not the zero point of its result, but that of what
// hardsigmoid takes, half of the range above.
static bool has_ramp(const struct pair *pair, const struct rl_traced_grid *result, const char *offset)
{
    const double *model;

    return result->has_model_zero_point && rl_op_argument(pair->call->op, "activation_min") >= 0 &&
           rl_node_numbers(pair->grids->arena, pair->node, offset, &model) == 1 && model[0] != result->model_zero_point;
}

// The zero point of a result, where an argument has it. That of hardsigmoid is the least integer, which stands for 0.
// Without such an argument, that of a linear layer and of int16 is 0.
static void read_zero_point(const struct pair *pair, struct rl_traced_grid *result)
{
    static const char *const names[] = {"output_offset", "output_zero_point", "zero_point"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double zero_point = number(pair, names[i], NAN);
        if (!isnan(zero_point)) {
            set_zero_point(result, has_ramp(pair, result, names[i]) ? number(pair, "activation_min", 0) : zero_point);
            return;
        }
    }
    if (pair->call->op->layer == RL_LAYER_LINEAR || pair->node->results[0]->type.dtype == RL_INT16) {
        set_zero_point(result, 0);
    }
}

// ---- one rule a kind of call

static void relate_sum(const struct pair *pair, struct rl_traced_grid *result)
{
    const double output = factor(pair, "output_multiplier", "output_shift");

    relate(result, operand(pair, "self"), NULL, factor(pair, "self_multiplier", "self_shift") * output);
    relate(result, operand(pair, "other"), NULL, factor(pair, "other_multiplier", "other_shift") * output);
}

static void relate_product(const struct pair *pair, struct rl_traced_grid *result)
{
    const bool is_matrix = rl_op_argument(pair->call->op, "lhs") >= 0;

    relate(result, operand(pair, is_matrix ? "lhs" : "self"), operand(pair, is_matrix ? "rhs_transposed" : "other"),
           factor(pair, "output_multiplier", "output_shift"));
}

// output_scale is the quotient of the operands' scales, divided by that of the result. Divisors often come from tables,
// whose scales are less exact than what follows from the layers behind.
static void relate_quotient(const struct pair *pair, struct rl_traced_grid *result)
{
    const double *model;
    const double own = number(pair, "output_scale", 0);
    const bool is_known = rl_node_numbers(pair->grids->arena, pair->node, "output_scale", &model) == 1;

    if (pair->is_late && is_known && own > 0 && model[0] > 0) {
        relate(operand(pair, "self"), result, operand(pair, "other"), own / model[0]);
    }
}

// A softmax always writes the same grid.
static void relate_softmax(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, "input");
    const double by = factor(pair, "input_multiplier", "input_shift");

    result->ratio = 1;
    if (input && input->ratio == 0 && by > 0) {
        input->ratio = 1 / by;
    }
}

// As factor, for numbers that all have one shift to the right: the quotient of their sums.
static double factor_of_sums(const struct pair *pair, const char *numbers, const char *shift)
{
    const double *model, *own, *model_shift;
    const size_t count = rl_node_numbers(pair->grids->arena, pair->node, numbers, &model);
    double model_sum = 0, own_sum = 0;

    if (count == 0 || rl_traced_numbers(pair->grids->trace, pair->call, numbers, &own) != count ||
        rl_node_numbers(pair->grids->arena, pair->node, shift, &model_shift) != 1) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        model_sum += fabs(model[i]);
        own_sum += fabs(own[i]);
    }
    return own_sum > 0 ? model_sum / own_sum * rl_math_exp2(number(pair, shift, 0) - model_shift[0]) : 0;
}

// The weights of a norm are real numbers divided by the scale of its result, and its epsilon is divided by the square
// of the scale of its operand.
static void relate_norm(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, "input");
    const double *model_number;
    const double epsilon = number(pair, "epsilon", 0), by = factor_of_sums(pair, "weight", "weight_shift");

    result->ratio = by > 0 ? by : result->ratio;
    if (input && input->ratio == 0 && epsilon > 0 &&
        rl_node_numbers(pair->grids->arena, pair->node, "epsilon", &model_number) == 1) {
        input->ratio = sqrt(model_number[0] / epsilon);
    }
}

// The logarithm of a softmax: its factors say the scales of both grids.
static void relate_log_softmax(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, "input");
    const double by = factor(pair, "input_multiplier", "input_shift");
    const double *multiplier, *shift, *fraction;
    struct rl_arena *arena = pair->grids->arena;

    if (rl_node_numbers(arena, pair->node, "log_multiplier", &multiplier) == 1 &&
        rl_node_numbers(arena, pair->node, "log_shift", &shift) == 1 &&
        rl_node_numbers(arena, pair->node, "fraction", &fraction) == 1) {
        const double own_bits = number(pair, "log_shift", 0) + number(pair, "fraction", 0);
        const double own = number(pair, "log_multiplier", 0) * rl_math_exp2(shift[0] + fraction[0] - own_bits);
        result->ratio = own > 0 ? multiplier[0] / own : 0;
    }
    if (input && input->ratio == 0 && by > 0) {
        input->ratio = 1 / by;
    }
}

// A variance has the square of its operand's scale, a deviation the scale itself.
static void relate_variance(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, "input");
    const bool is_deviation = rl_node_bool(pair->node, "deviation");

    relate(result, input, is_deviation ? NULL : input, factor(pair, "variance_multiplier", "variance_shift"));
}

// Recurrent layers: gates have fixed scales, from which their input and their output follow. With a rectifier, the gate
// has that of the output.
static void relate_recurrent(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, "input");
    const double by = factor(pair, "input_multipliers", "shifts");

    if (pair->node->op == RL_OP_rl_quantized_rnn_relu) {
        relate(result, input, NULL, by);
        return;
    }
    result->ratio = factor(pair, "output_multiplier", "output_shift");
    if (input && input->ratio == 0 && by > 0) {
        input->ratio = 1 / by;
    }
}

// A value between real numbers and integers.
static void read_grid(const struct pair *pair, struct rl_traced_grid *grid)
{
    struct rl_grid model;

    if (!rl_is_quantize(pair->node, &model) && !rl_is_dequantize(pair->node, &model)) {
        return;
    }
    grid->model_scale = model.scale;
    grid->model_zero_point = (double)model.zero_point;
    grid->has_model_zero_point = true;
    grid->ratio = number(pair, "scale", 0) / model.scale;
    set_zero_point(grid, number(pair, "zero_point", 0));
}

static void relate_table(const struct pair *pair, struct rl_traced_grid *result)
{
    const struct rl_traced_grid *input = operand(pair, "input");
    const struct rl_value *model_table = rl_node_tensor(pair->node, "lut");
    const int8_t *table = rl_traced_table(pair->grids->trace, pair->call);
    struct rl_table_fit fit;

    if (!input || input->ratio == 0 || !input->has_zero_point || !input->has_model_zero_point || !table ||
        model_table->kind != RL_VALUE_CONSTANT || result->ratio != 0) {
        return;
    }
    if (rl_tables_fit(model_table->data, input->model_zero_point, table, input->zero_point, input->ratio, &fit)) {
        result->ratio = fit.ratio;
        if (result->has_model_zero_point) {
            set_zero_point(result, round(fit.offset + result->model_zero_point / fit.ratio));
        }
    }
}

// Fits the table of a call to that of the model.
static bool fit_curve(const struct pair *pair, const struct rl_traced_grid *input, bool is_wide,
                      struct rl_table_fit *fit)
{
    const struct rl_value *model = rl_node_tensor(pair->node, "table");
    const bool is_looked_up = pair->node->args[0].as.value->type.dtype == RL_INT8;
    const int count = is_looked_up ? RL_TABLE_ITEMS : RL_CURVE_PLACES;
    int16_t table[RL_CURVE_PLACES];

    if (model->kind != RL_VALUE_CONSTANT || rl_tensor_numel(&model->type) < count ||
        !rl_traced_curve(pair->grids->trace, pair->call, count, table)) {
        return false;
    }
    if (!is_looked_up) {
        return rl_curves_fit(model->data, table, input->ratio, is_wide, fit);
    }
    return input->has_zero_point && input->has_model_zero_point &&
           rl_wide_tables_fit(model->data, input->model_zero_point, table, input->zero_point, input->ratio, fit);
}

static void relate_curve(const struct pair *pair, struct rl_traced_grid *result)
{
    const struct rl_traced_grid *input = operand(pair, "input");
    const bool is_wide = pair->node->results[0]->type.dtype == RL_INT16;
    struct rl_table_fit fit;

    if (!input || input->ratio == 0 || result->ratio != 0 || !fit_curve(pair, input, is_wide, &fit)) {
        return;
    }
    result->ratio = fit.ratio;
    if (result->has_model_zero_point && !is_wide) {
        set_zero_point(result, round(fit.offset + result->model_zero_point / fit.ratio));
    }
}

// The multiplier of a root is that of its square.
static void relate_magnitude(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, "self");
    const double by = factor(pair, "magnitude_multiplier", "magnitude_shift");
    const bool root = rl_node_bool(pair->node, "root");

    relate(result, input, root ? NULL : input, root ? sqrt(by) : by);
}

// Operators that move or choose values keep their grid.
static void relate_same(const struct pair *pair, struct rl_traced_grid *result)
{
    struct rl_traced_grid *input = operand(pair, NULL);

    if (!input) {
        return;
    }
    relate(result, input, NULL, 1);
    if (result->model_scale == 0) {
        result->model_scale = input->model_scale;
    }
    if (!result->has_model_zero_point && input->has_model_zero_point) {
        result->model_zero_point = input->model_zero_point;
        result->has_model_zero_point = true;
    }
    if (!result->has_zero_point && input->has_zero_point) {
        set_zero_point(result, input->zero_point);
    }
}

// An average pool keeps the grid, and its multiplier is the scale; or it has a grid of its own.
static void relate_pool(const struct pair *pair, struct rl_traced_grid *result)
{
    const double by = factor(pair, "multiplier", "shift");

    if (rl_op_argument(pair->call->op, "output_zero_point") >= 0) {
        relate(result, operand(pair, "input"), NULL, by);
        return;
    }
    relate_same(pair, result);
    if (result->ratio == 0 && by > 0) {
        result->ratio = 1 / by;
    }
}

static void visit(const struct pair *pair)
{
    const struct rl_op *op = pair->call->op;

    if (op->dequantizes) {
        read_grid(pair, grid_of(pair->grids, pair->node->args[0].as.value));
        return;
    }
    if (pair->node->result_count == 0 || !is_quantized(pair->node->results[0])) {
        return;
    }
    struct rl_traced_grid *result = grid_of(pair->grids, pair->node->results[0]);
    if (op->quantizes) {
        read_grid(pair, result);
        return;
    }
    read_zero_point(pair, result);
    if (rl_op_argument(op, "requantize_multipliers") >= 0) {
        relate(result, operand(pair, "input"), NULL, factor(pair, "requantize_multipliers", "requantize_shifts"));
    } else if (op->layer == RL_LAYER_RECURRENT) {
        relate_recurrent(pair, result);
    } else if (rl_op_argument(op, "self_multiplier") >= 0) {
        relate_sum(pair, result);
    } else if (rl_op_argument(op, "output_multiplier") >= 0) {
        relate_product(pair, result);
    } else if (rl_op_argument(op, "variance_multiplier") >= 0) {
        relate_variance(pair, result);
    } else if (rl_op_argument(op, "log_multiplier") >= 0) {
        relate_log_softmax(pair, result);
    } else if (rl_op_argument(op, "input_multiplier") >= 0) {
        relate_softmax(pair, result);
    } else if (rl_op_argument(op, "weight_shift") >= 0) {
        relate_norm(pair, result);
    } else if (rl_op_argument(op, "prelu_shift") >= 0) {
        relate(result, operand(pair, "input"), NULL, factor_of_sums(pair, "positive_multipliers", "prelu_shift"));
    } else if (rl_op_argument(op, "magnitude_multiplier") >= 0) {
        relate_magnitude(pair, result);
    } else if (rl_op_argument(op, "table") >= 0) {
        relate_curve(pair, result);
    } else if (rl_op_argument(op, "lut") >= 0) {
        relate_table(pair, result);
    } else if (rl_op_argument(op, "multiplier") >= 0) {
        relate_pool(pair, result);
    } else if (rl_op_argument(op, "output_scale") >= 0) {
        relate_quotient(pair, result);
    } else {
        relate_same(pair, result);
    }
}

// ---- all of them

static void read_interface(struct rl_traced_grids *grids, const struct rl_program *program, const char *side,
                           struct rl_value *const *values, const struct rl_io_grid *known, int count)
{
    for (int i = 0; known && i < count; i++) {
        struct rl_io_grid own;
        if (known[i].scale > 0 && rl_interface_grid(program, side, i, &own)) {
            struct rl_traced_grid *grid = grid_of(grids, values[i]);
            grid->model_scale = known[i].scale;
            grid->model_zero_point = (double)known[i].zero_point;
            grid->has_model_zero_point = true;
            grid->ratio = own.scale / known[i].scale;
            set_zero_point(grid, (double)own.zero_point);
        }
    }
}

void rl_traced_grids_find(struct rl_arena *arena, const struct rl_program *program, const struct rl_trace *trace,
                          const struct rl_retraced *retraced, struct rl_traced_grids *grids)
{
    enum { ROUNDS = 4 };
    const struct rl_graph *graph = retraced->graph;

    *grids =
        (struct rl_traced_grids){.arena = arena, .trace = trace, .retraced = retraced, .by_name = {.arena = arena}};
    if (!graph) {
        return;
    }
    read_interface(grids, program, "input", graph->inputs, graph->input_grids, graph->input_count);
    read_interface(grids, program, "output", graph->outputs, graph->output_grids, graph->output_count);
    // Forward and backward in turns: a scale may be known on either side of a call only.
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < retraced->count; i++) {
            const int node = round % 2 == 0 ? i : retraced->count - 1 - i;
            if (retraced->calls[node] >= 0) {
                visit(&(struct pair){grids, &trace->calls[retraced->calls[node]], retraced->nodes[node],
                                     round >= ROUNDS / 2});
            }
        }
    }
}

bool rl_traced_grid_of(const struct rl_traced_grids *grids, const struct rl_value *value, struct rl_io_grid *grid)
{
    const struct rl_traced_grid *found = rl_name_map_find(&grids->by_name, rl_alias_root(value)->name);

    if (!found || !(found->model_scale * found->ratio > 0) || !found->has_zero_point) {
        return false;
    }
    *grid = (struct rl_io_grid){found->model_scale * found->ratio, (int64_t)found->zero_point};
    return true;
}
