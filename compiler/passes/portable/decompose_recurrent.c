// SPDX-License-Identifier: Apache-2.0
//
// decompose_recurrent: LSTM, GRU and plain recurrent layers become their steps, one after the other.
//   needs   the sizes of all tensors; quantized operators are lowered
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
// Formulas and order of the gates: PyTorch's documentation of nn.LSTM, nn.GRU and nn.RNN. The product of the inputs of
// all steps with the input weights is one linear operator. Each step multiplies only its state.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/recurrent.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *unary(const struct rl_recurrent_layer *layer, enum rl_op_id op, struct rl_value *x)
{
    return rl_build_unary(layer->at, op, x);
}

static struct rl_value *binary(const struct rl_recurrent_layer *layer, enum rl_op_id op, struct rl_value *a,
                               struct rl_value *b)
{
    return rl_build_binary(layer->at, op, a, b);
}

static struct rl_value *gate(const struct rl_recurrent_layer *layer, struct rl_value *gates, int index)
{
    return rl_build_slice(layer->at, gates, 1, index * layer->hidden, (index + 1) * layer->hidden);
}

static struct rl_value *sum(const struct rl_recurrent_layer *layer, struct rl_value *a, struct rl_value *b)
{
    return binary(layer, RL_OP_aten_add, a, b);
}

// Gates in the order input, forget, cell, output; returns the last one.
static struct rl_value *lstm_step(const struct rl_recurrent_layer *layer, struct rl_value *projected,
                                  struct rl_value **state, struct rl_value **cell)
{
    struct rl_value *gates =
        sum(layer, projected, rl_build_linear(layer->at, *state, layer->hidden_weight, layer->hidden_bias));
    struct rl_value *in = unary(layer, RL_OP_aten_sigmoid, gate(layer, gates, 0));
    struct rl_value *forget = unary(layer, RL_OP_aten_sigmoid, gate(layer, gates, 1));
    struct rl_value *candidate = unary(layer, RL_OP_aten_tanh, gate(layer, gates, 2));
    struct rl_value *out = unary(layer, RL_OP_aten_sigmoid, gate(layer, gates, 3));
    struct rl_value *kept = binary(layer, RL_OP_aten_mul, forget, *cell);
    struct rl_value *added = binary(layer, RL_OP_aten_mul, in, candidate);
    *cell = sum(layer, kept, added);
    *state = binary(layer, RL_OP_aten_mul, out, unary(layer, RL_OP_aten_tanh, *cell));
    if (layer->projection) {
        *state = rl_build_linear(layer->at, *state, layer->projection, NULL);
    }
    return out;
}

// Gates in the order reset, update, new: h' = n + z * (h - n).
static void gru_step(const struct rl_recurrent_layer *layer, struct rl_value *projected, struct rl_value **state)
{
    struct rl_value *own = rl_build_linear(layer->at, *state, layer->hidden_weight, layer->hidden_bias);
    struct rl_value *parts[2][3]; // of the input and of the state
    for (int i = 0; i < 3; i++) {
        parts[0][i] = gate(layer, projected, i);
        parts[1][i] = gate(layer, own, i);
    }
    struct rl_value *reset = unary(layer, RL_OP_aten_sigmoid, sum(layer, parts[0][0], parts[1][0]));
    struct rl_value *update = unary(layer, RL_OP_aten_sigmoid, sum(layer, parts[0][1], parts[1][1]));
    struct rl_value *kept = binary(layer, RL_OP_aten_mul, reset, parts[1][2]);
    struct rl_value *fresh = unary(layer, RL_OP_aten_tanh, sum(layer, parts[0][2], kept));
    struct rl_value *difference = binary(layer, RL_OP_aten_sub_tensor, *state, fresh);
    *state = sum(layer, fresh, binary(layer, RL_OP_aten_mul, update, difference));
}

static void rnn_step(const struct rl_recurrent_layer *layer, enum rl_op_id activation, struct rl_value *projected,
                     struct rl_value **state)
{
    struct rl_value *own = rl_build_linear(layer->at, *state, layer->hidden_weight, layer->hidden_bias);
    *state = unary(layer, activation, sum(layer, projected, own));
}

static void step(const struct rl_recurrent_layer *layer, struct rl_value *projected, struct rl_value **state,
                 struct rl_value **cell)
{
    switch (layer->op) {
    case RL_OP_aten_lstm_input:
    case RL_OP_aten_lstm_cell:
        lstm_step(layer, projected, state, cell);
        break;
    case RL_OP_aten_gru_input:
    case RL_OP_aten_gru_cell:
        gru_step(layer, projected, state);
        break;
    case RL_OP_aten_rnn_relu_input:
    case RL_OP_aten_rnn_relu_cell:
        rnn_step(layer, RL_OP_aten_relu, projected, state);
        break;
    default:
        rnn_step(layer, RL_OP_aten_tanh, projected, state);
        break;
    }
}

// One direction of one layer over a sequence [time, batch, features]; returns [time, batch, features of the state].
static struct rl_value *run_direction(const struct rl_recurrent_layer *layer, struct rl_value *sequence, bool backwards,
                                      struct rl_value **state, struct rl_value **cell)
{
    const struct rl_build *at = layer->at;
    const int64_t steps = sequence->type.sizes[0];
    struct rl_value *projected = rl_build_linear(at, sequence, layer->input_weight, layer->input_bias);
    struct rl_value **states = rl_arena_array(at->graph->arena, (size_t)steps, sizeof *states);
    const int64_t flat[2] = {layer->batch, projected->type.sizes[2]};
    const int64_t wide[3] = {1, layer->batch, (*state)->type.sizes[1]};
    for (int64_t i = 0; i < steps; i++) {
        const int64_t time = backwards ? steps - 1 - i : i;
        struct rl_value *row = rl_build_view(at, rl_build_slice(at, projected, 0, time, time + 1), 2, flat);
        step(layer, row, state, cell);
        states[time] = rl_build_view(at, *state, 3, wide);
    }
    return rl_build_cat(at, states, (int)steps, 0);
}

// ---- single directions (split_recurrent)

// The values of all steps, in the order of the sequence.
struct history {
    struct rl_value **outputs, **cells, **gates; // [1, batch, hidden] each
};

static struct history run_lstm(const struct rl_recurrent_layer *layer, struct rl_node *node)
{
    const struct rl_build *at = layer->at;
    struct rl_value *sequence = rl_node_tensor(node, "input");
    const size_t steps = (size_t)sequence->type.sizes[0];
    struct history all;
    all.outputs = rl_arena_array(at->graph->arena, steps, sizeof(struct rl_value *));
    all.cells = rl_arena_array(at->graph->arena, steps, sizeof(struct rl_value *));
    all.gates = rl_arena_array(at->graph->arena, steps, sizeof(struct rl_value *));
    struct rl_value *projected = rl_build_linear(at, sequence, layer->input_weight, layer->input_bias);
    struct rl_value *state = rl_node_tensor(node, "hidden"), *cell = rl_node_tensor(node, "cell");
    const bool backwards = rl_node_bool(node, "reverse");
    const int64_t flat[2] = {layer->batch, projected->type.sizes[2]};
    const int64_t wide[3] = {1, layer->batch, layer->hidden};
    for (size_t i = 0; i < steps; i++) {
        const size_t time = backwards ? steps - 1 - i : i;
        struct rl_value *slice = rl_build_slice(at, projected, 0, (int64_t)time, (int64_t)time + 1);
        struct rl_value *gate = lstm_step(layer, rl_build_view(at, slice, 2, flat), &state, &cell);
        all.outputs[time] = rl_build_view(at, state, 3, wide);
        all.cells[time] = rl_build_view(at, cell, 3, wide);
        all.gates[time] = rl_build_view(at, gate, 3, wide);
    }
    return all;
}

static bool has_sizes(const struct rl_value *value, int rank, const int64_t *sizes)
{
    return value->type.rank == rank && memcmp(value->type.sizes, sizes, (size_t)rank * sizeof *sizes) == 0;
}

static bool fits_cells(const struct rl_node *node, const int64_t all[3])
{
    return has_sizes(node->results[1], 2, all + 1) && has_sizes(node->results[2], 3, all) &&
           has_sizes(rl_node_tensor(node, "cell"), 2, all + 1);
}

// False for sizes that contradict each other, or more steps than graphs have room for. `gates` is the number of rows of
// weights for each number of the state.
static bool fits(const struct rl_recurrent_layer *layer, const struct rl_node *node, int gates)
{
    const struct rl_value *input = rl_node_tensor(node, "input");
    if (input->type.rank != 3 || node->results[0]->type.rank != 3 || layer->hidden < 1 || layer->hidden > INT32_MAX ||
        input->type.sizes[0] < 1 || input->type.sizes[0] > RL_LONGEST_SEQUENCE) {
        return false;
    }
    const int64_t all[3] = {input->type.sizes[0], layer->batch, layer->hidden}, rows = gates * layer->hidden;
    const int64_t inputs[2] = {rows, input->type.sizes[2]}, states[2] = {rows, layer->hidden};
    return input->type.sizes[1] == layer->batch && has_sizes(node->results[0], 3, all) &&
           has_sizes(rl_node_tensor(node, "hidden"), 2, all + 1) && has_sizes(layer->input_weight, 2, inputs) &&
           has_sizes(layer->hidden_weight, 2, states) && (node->op != RL_OP_rl_lstm || fits_cells(node, all)) &&
           (!layer->input_bias || has_sizes(layer->input_bias, 1, &rows)) &&
           (!layer->hidden_bias || has_sizes(layer->hidden_bias, 1, &rows));
}

// The layer of a single direction, `at` its node.
static struct rl_recurrent_layer direction_of(const struct rl_build *at, enum rl_op_id op)
{
    const struct rl_node *node = at->node;
    return (struct rl_recurrent_layer){
        .at = at,
        .op = op,
        .input_weight = rl_node_tensor(node, "input_weight"),
        .hidden_weight = rl_node_tensor(node, "hidden_weight"),
        .input_bias = rl_node_tensor(node, "input_bias"),
        .hidden_bias = rl_node_tensor(node, "hidden_bias"),
        .batch = node->results[0]->type.sizes[1],
        .hidden = node->results[0]->type.sizes[2],
    };
}

// Calibration also watches all cells. So that they are computed, the outputs come from them once more: the same
// products, of all steps at once.
static bool decompose_lstm(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_recurrent_layer layer = direction_of(&at, RL_OP_aten_lstm_input);
    if (!fits(&layer, node, 4)) {
        return rl_decline(pass->graph, node, "its sizes contradict each other, or it has more than %d steps",
                          RL_LONGEST_SEQUENCE);
    }
    const int steps = (int)node->results[0]->type.sizes[0];
    const struct history all = run_lstm(&layer, node);
    const int64_t last = rl_node_bool(node, "reverse") ? 0 : steps - 1;
    struct rl_value *cells = rl_build_cat(&at, all.cells, steps, 0);
    struct rl_value *last_cell = rl_build_slice(&at, cells, 0, last, last + 1);
    struct rl_value *outputs;
    if (pass->is_observed) {
        struct rl_value *gates = rl_build_cat(&at, all.gates, steps, 0);
        outputs = binary(&layer, RL_OP_aten_mul, gates, unary(&layer, RL_OP_aten_tanh, cells));
    } else {
        outputs = rl_build_cat(&at, all.outputs, steps, 0);
    }
    rl_build_result(&at, 0, outputs);
    rl_build_result(&at, 1, rl_build_view(&at, last_cell, 2, node->results[1]->type.sizes));
    rl_build_result(&at, 2, cells);
    rl_graph_remove(pass->graph, node);
    return true;
}

// The operator of PyTorch whose steps a direction has.
static enum rl_op_id whole_of(enum rl_op_id direction)
{
    switch (direction) {
    case RL_OP_rl_gru:
        return RL_OP_aten_gru_input;
    case RL_OP_rl_rnn_relu:
        return RL_OP_aten_rnn_relu_input;
    default:
        return RL_OP_aten_rnn_tanh_input;
    }
}

static bool decompose_direction(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_recurrent_layer layer = direction_of(&at, whole_of(node->op));
    if (!fits(&layer, node, node->op == RL_OP_rl_gru ? 3 : 1)) {
        return rl_decline(pass->graph, node, "its sizes contradict each other, or it has more than %d steps",
                          RL_LONGEST_SEQUENCE);
    }
    struct rl_value *state = rl_node_tensor(node, "hidden"), *cell = NULL;
    rl_build_result(&at, 0,
                    run_direction(&layer, rl_node_tensor(node, "input"), rl_node_bool(node, "reverse"), &state, &cell));
    rl_graph_remove(pass->graph, node);
    return true;
}

// ---- layers and cells

static bool decompose_layers(const struct rl_pass *pass, struct rl_node *node)
{
    return rl_replace_recurrent(pass, node, run_direction);
}

static bool decompose_cell(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_recurrent_layer layer;
    struct rl_value *state, *cell;
    if (!rl_read_recurrent_cell(&at, &layer, &state, &cell)) {
        return false;
    }
    struct rl_value *projected =
        rl_build_linear(&at, rl_node_tensor(node, "input"), layer.input_weight, layer.input_bias);
    step(&layer, projected, &state, &cell);
    rl_replace_recurrent_cell(&at, state, cell);
    return true;
}

enum rl_status rl_pass_decompose_recurrent(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_lstm_input, decompose_layers},
        {RL_OP_aten_gru_input, decompose_layers},
        {RL_OP_aten_rnn_tanh_input, decompose_layers},
        {RL_OP_aten_rnn_relu_input, decompose_layers},
        {RL_OP_aten_lstm_cell, decompose_cell},
        {RL_OP_aten_gru_cell, decompose_cell},
        {RL_OP_aten_rnn_tanh_cell, decompose_cell},
        {RL_OP_aten_rnn_relu_cell, decompose_cell},
        {RL_OP_rl_lstm, decompose_lstm},
        {RL_OP_rl_gru, decompose_direction},
        {RL_OP_rl_rnn_tanh, decompose_direction},
        {RL_OP_rl_rnn_relu, decompose_direction},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
