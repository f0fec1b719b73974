// SPDX-License-Identifier: Apache-2.0
//
// lower_recurrent: quantized directions of LSTMs, GRUs and RNNs become rushlight::quantized_lstm, quantized_gru,
// quantized_rnn_tanh and quantized_rnn_relu.
//   needs   directions that are one node each (split_recurrent); the quantizer's grids
//   keeps   values, to the rounding of the integer kernel; the names of the quantized values
//   breaks  nothing
//
// The kernel adds the terms of input and hidden state in steps of 2^-12 (rushlight/kernels/recurrent.h), so a row takes
//   factor = scale of the operand * scale of the row * 2^12
// and its bias goes to the term with the larger scale. In the last gate of a GRU, each bias stays with its own term.
// Rows of zeros may have any scale. The sums of an RNN with a rectifier have 64 steps in one of the hidden state, which
// leaves them a factor of two above its largest value.
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/passes/rewrite/weights.h"

enum { STEPS = 4096, RECTIFIED_STEPS = 64 }; // of the sums of a gate in 1, or in a step of the hidden state

// One of the two matrices, on the integers of its operand.
struct part {
    struct rl_value *operand;
    struct rl_grid grid;
    struct rl_weights weights;
    const float *bias; // NULL without
    int64_t depth;
    double *scales;  // of the sums, for each row
    int32_t *biases; // of the sums, for each row
};

struct recurrent {
    struct rl_node *node;
    struct part input, hidden;
    struct rl_value *cell;
    int cell_bits;
    struct rl_node *quantize[2]; // of the outputs and of the last cell; NULL: not used
};

// ---- what is in the graph

static bool read_bias(const struct rl_node *node, const char *name, int64_t rows, const float **bias)
{
    const struct rl_value *value = rl_node_tensor(node, name);
    *bias = value ? value->data : NULL;
    return !value || (value->kind == RL_VALUE_CONSTANT && value->type.dtype == RL_FLOAT32 &&
                      rl_tensor_numel(&value->type) == rows);
}

static bool read_part(struct rl_graph *graph, struct rl_node *node, const char *operand, const char *weight,
                      const char *bias, struct part *part)
{
    part->operand = rl_int8_behind(rl_node_tensor(node, operand), &part->grid);
    if (!part->operand) {
        return rl_decline(graph, node, "its %s is not int8", operand);
    }
    if (!rl_match_channel_weights(graph, node, weight, 0, &part->weights)) {
        return false;
    }
    part->depth = part->weights.value->type.sizes[1];
    return read_bias(node, bias, part->weights.channels, &part->bias) ||
           rl_decline(graph, node, "its bias is not constant");
}

// The fractional bits of a grid whose scale is a power of two; -1 for any other.
static int fractional_bits(const struct rl_grid *grid)
{
    int exponent;
    return frexp(grid->scale, &exponent) == 0.5 && grid->zero_point == 0 && exponent >= -14 && exponent <= 1
               ? 1 - exponent
               : -1;
}

static bool read_cell(struct rl_graph *graph, struct recurrent *r)
{
    struct rl_grid grid;
    r->cell = rl_integers_behind(rl_node_tensor(r->node, "cell"), &grid);
    r->cell_bits = r->cell && grid.dtype == RL_INT16 ? fractional_bits(&grid) : -1;
    return r->cell_bits >= 0 || rl_decline(graph, r->node, "its cell is not int16 in steps of a power of two");
}

// The quantize node of a result that is used, which must have the grid of the state before.
static bool read_result(struct rl_graph *graph, struct recurrent *r, int index, const struct rl_grid *grid)
{
    struct rl_grid found;
    const struct rl_value *result = r->node->results[index];
    if (rl_value_use_count(graph, result) == 0) {
        return true;
    }
    r->quantize[index] = rl_value_only_user(graph, result);
    return (r->quantize[index] && rl_is_quantize(r->quantize[index], &found) && rl_grid_equal(&found, grid) &&
            found.min == grid->min && found.max == grid->max) ||
           rl_decline(graph, r->node, "a result is not on the grid of the state");
}

// ---- integers

static bool is_zero_row(const struct part *part, int64_t row)
{
    for (int64_t i = 0; i < part->depth; i++) {
        if (rl_weight(&part->weights, row * part->depth + i) != 0) {
            return false;
        }
    }
    return true;
}

// The bias of a sum as an integer, without the room that its products may take.
static int32_t bias_steps(double bias, double scale)
{
    const double most = 1 << 30;
    return (int32_t)nearbyint(fmax(fmin(bias / scale, most), -most));
}

static void start_part(struct rl_graph *graph, struct part *part)
{
    const int64_t rows = part->weights.channels;
    part->scales = rl_arena_array(graph->arena, (size_t)rows, sizeof *part->scales);
    part->biases = rl_arena_array(graph->arena, (size_t)rows, sizeof *part->biases);
    for (int64_t row = 0; row < rows; row++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < part->depth; i++) {
            sum += rl_weight(&part->weights, row * part->depth + i);
        }
        part->scales[row] = is_zero_row(part, row) ? 0x1p-16 : part->grid.scale * part->weights.scales[row];
        part->biases[row] = (int32_t)(uint32_t)(uint64_t)(-part->grid.zero_point * sum);
    }
}

static double bias_of(const struct part *part, int64_t row)
{
    return part->bias ? (double)part->bias[row] : 0.0;
}

static void add_bias(struct part *part, int64_t row, double bias)
{
    part->biases[row] = (int32_t)((uint32_t)part->biases[row] + (uint32_t)bias_steps(bias, part->scales[row]));
}

static void add_biases(struct recurrent *r)
{
    const int64_t rows = r->input.weights.channels;
    const int64_t joined = r->node->op == RL_OP_rl_gru ? rows / 3 * 2 : rows;
    for (int64_t row = 0; row < joined; row++) {
        struct part *part = r->input.scales[row] >= r->hidden.scales[row] ? &r->input : &r->hidden;
        add_bias(part, row, bias_of(&r->input, row) + bias_of(&r->hidden, row));
    }
    for (int64_t row = joined; row < rows; row++) {
        add_bias(&r->input, row, bias_of(&r->input, row));
        add_bias(&r->hidden, row, bias_of(&r->hidden, row));
    }
}

// ---- the call

// factor = multiplier / 2^32 * 2^shift, to the nearest multiplier.
static int32_t multiplier_at(double factor, int shift)
{
    return (int32_t)fmin(nearbyint(ldexp(factor, 32 - shift)), INT32_MAX);
}

static void set_vector(struct rl_graph *graph, struct rl_node *lowered, const char *name, const int32_t *data,
                       int64_t count)
{
    rl_node_set(lowered, name, rl_arg_value(rl_int32_vector(graph, lowered->name, name, data, count)));
}

static void set_part(struct rl_graph *graph, struct rl_node *lowered, const struct part *part, const char *prefix)
{
    static const int in_order[2] = {0, 1};
    rl_node_set(lowered, rl_arena_format(graph->arena, "%s_weights", prefix),
                rl_arg_value(rl_constant_permuted(graph, part->weights.value, in_order, part->weights.value->name)));
    set_vector(graph, lowered, rl_arena_format(graph->arena, "%s_bias", prefix), part->biases, part->weights.channels);
}

// One step of the sums of a gate.
static double gate_step(const struct recurrent *r)
{
    return r->node->op == RL_OP_rl_rnn_relu ? r->hidden.grid.scale / RECTIFIED_STEPS : 1.0 / STEPS;
}

// The larger factor of a row decides its shift; its multiplier has 31 bits.
static void set_scales(struct rl_graph *graph, struct rl_node *lowered, const struct recurrent *r)
{
    const int64_t rows = r->input.weights.channels;
    int32_t *input = rl_arena_array(graph->arena, (size_t)rows, sizeof *input);
    int32_t *hidden = rl_arena_array(graph->arena, (size_t)rows, sizeof *hidden);
    int32_t *shifts = rl_arena_array(graph->arena, (size_t)rows, sizeof *shifts);
    const double step = gate_step(r);
    for (int64_t row = 0; row < rows; row++) {
        const double of_input = r->input.scales[row] / step, of_hidden = r->hidden.scales[row] / step;
        const struct rl_multiplier larger = rl_multiplier_of(2 * fmax(of_input, of_hidden));
        shifts[row] = larger.shift;
        input[row] = multiplier_at(of_input, larger.shift);
        hidden[row] = multiplier_at(of_hidden, larger.shift);
    }
    set_vector(graph, lowered, "input_multipliers", input, rows);
    set_vector(graph, lowered, "hidden_multipliers", hidden, rows);
    set_vector(graph, lowered, "shifts", shifts, rows);
}

static bool is_zero(const struct rl_value *state, int64_t zero_point)
{
    for (int64_t i = 0; state->kind == RL_VALUE_CONSTANT && i < rl_tensor_numel(&state->type); i++) {
        const bool is_wide = state->type.dtype == RL_INT16;
        if ((is_wide ? ((const int16_t *)state->data)[i] : ((const int8_t *)state->data)[i]) != zero_point) {
            return false;
        }
    }
    return state->kind == RL_VALUE_CONSTANT;
}

// The kernel starts from zero without a state.
static void set_state(struct rl_node *lowered, const char *name, struct rl_value *state, int64_t zero_point)
{
    if (!is_zero(state, zero_point)) {
        rl_node_set(lowered, name, rl_arg_value(state));
    }
}

static void replace_results(struct rl_graph *graph, const struct recurrent *r, const struct rl_node *lowered)
{
    for (int i = 0; i < 2; i++) {
        if (r->quantize[i]) {
            const char *name = r->node->results[i]->name;
            rl_replace_node(graph, r->quantize[i], lowered->results[i]);
            r->node->results[i]->name = lowered->results[i]->name;
            lowered->results[i]->name = name;
        }
    }
}

// The operands and results of any kind but the cell; prepares the integers.
static bool read_layer(struct rl_graph *graph, struct recurrent *r)
{
    if (!read_part(graph, r->node, "input", "input_weight", "input_bias", &r->input) ||
        !read_part(graph, r->node, "hidden", "hidden_weight", "hidden_bias", &r->hidden) ||
        !read_result(graph, r, 0, &r->hidden.grid)) {
        return false;
    }
    if (r->hidden.grid.zero_point != 0 && r->node->op != RL_OP_rl_rnn_relu) {
        return rl_decline(graph, r->node, "its hidden state has another zero point than 0");
    }
    start_part(graph, &r->input);
    start_part(graph, &r->hidden);
    add_biases(r);
    return true;
}

// The operator with the arguments that all kinds have. `unit` is one step of what the kernel scales to the hidden
// state.
static struct rl_node *insert_layer(struct rl_graph *graph, const struct recurrent *r, enum rl_op_id op, double unit)
{
    struct rl_node *node = r->node;
    const bool has_cell = op == RL_OP_rl_quantized_lstm;
    struct rl_tensor_type types[2] = {node->results[0]->type};
    types[0].dtype = RL_INT8;
    if (has_cell) {
        types[1] = node->results[1]->type;
        types[1].dtype = RL_INT16;
    }
    struct rl_node *lowered = rl_graph_insert(graph, node, op, node->name, node, has_cell ? 2 : 1, types);
    lowered->name = node->name;
    rl_node_set(lowered, "input", rl_arg_value(r->input.operand));
    set_state(lowered, "hidden", r->hidden.operand, r->hidden.grid.zero_point);
    set_part(graph, lowered, &r->input, "input");
    set_part(graph, lowered, &r->hidden, "hidden");
    set_scales(graph, lowered, r);
    const struct rl_multiplier factor = rl_multiplier_of(unit / r->hidden.grid.scale);
    rl_node_set(lowered, "output_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "output_shift", rl_arg_int(factor.shift));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(r->hidden.grid.zero_point));
    rl_node_set(lowered, "reverse", *rl_node_arg(node, "reverse"));
    rl_set_scratch(graph, lowered);
    return lowered;
}

static bool lower_lstm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct recurrent r = {.node = node};
    if (!read_cell(graph, &r)) {
        return false;
    }
    const struct rl_grid cell = {ldexp(1.0, -r.cell_bits), 0, INT16_MIN, INT16_MAX, RL_INT16};
    if (!read_result(graph, &r, 1, &cell) || !read_layer(graph, &r)) {
        return false;
    }
    struct rl_node *lowered = insert_layer(graph, &r, RL_OP_rl_quantized_lstm, 0x1p-30);
    set_state(lowered, "cell", r.cell, 0);
    rl_node_set(lowered, "cell_bits", rl_arg_int(r.cell_bits));
    replace_results(graph, &r, lowered);
    rl_graph_remove(graph, node);
    return true;
}

static enum rl_op_id plain_operator(enum rl_op_id op)
{
    switch (op) {
    case RL_OP_rl_gru:
        return RL_OP_rl_quantized_gru;
    case RL_OP_rl_rnn_relu:
        return RL_OP_rl_quantized_rnn_relu;
    default:
        return RL_OP_rl_quantized_rnn_tanh;
    }
}

// What the kernel scales to the hidden state: a GRU to 256ths of a step of it.
static double plain_unit(const struct recurrent *r)
{
    switch (r->node->op) {
    case RL_OP_rl_gru:
        return 0x1p-7;
    case RL_OP_rl_rnn_relu:
        return gate_step(r);
    default:
        return 0x1p-15;
    }
}

static bool lower_plain(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct recurrent r = {.node = node};
    if (!read_layer(graph, &r)) {
        return false;
    }
    const struct rl_node *lowered = insert_layer(graph, &r, plain_operator(node->op), plain_unit(&r));
    replace_results(graph, &r, lowered);
    rl_graph_remove(graph, node);
    return true;
}

enum rl_status rl_pass_lower_recurrent(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {{RL_OP_rl_lstm, lower_lstm},
                                               {RL_OP_rl_gru, lower_plain},
                                               {RL_OP_rl_rnn_tanh, lower_plain},
                                               {RL_OP_rl_rnn_relu, lower_plain}};
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
