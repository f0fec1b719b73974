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

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { LONGEST_SEQUENCE = 4096, MOST_LAYERS = 64 };

struct layer {
    const struct rl_build *at;
    enum rl_op_id op;
    struct rl_value *input_weight, *state_weight, *input_bias, *state_bias;
    struct rl_value *projection; // of an LSTM's state to fewer features; NULL without
    int64_t batch, hidden;       // features of a gate
};

static struct rl_value *unary(const struct layer *layer, enum rl_op_id op, struct rl_value *x)
{
    return rl_build_unary(layer->at, op, x);
}

static struct rl_value *binary(const struct layer *layer, enum rl_op_id op, struct rl_value *a, struct rl_value *b)
{
    return rl_build_binary(layer->at, op, a, b);
}

static struct rl_value *gate(const struct layer *layer, struct rl_value *gates, int index)
{
    return rl_build_slice(layer->at, gates, 1, index * layer->hidden, (index + 1) * layer->hidden);
}

static struct rl_value *sum(const struct layer *layer, struct rl_value *a, struct rl_value *b)
{
    return binary(layer, RL_OP_aten_add, a, b);
}

// Gates in the order input, forget, cell, output.
static void lstm_step(const struct layer *layer, struct rl_value *projected, struct rl_value **state,
                      struct rl_value **cell)
{
    struct rl_value *gates =
        sum(layer, projected, rl_build_linear(layer->at, *state, layer->state_weight, layer->state_bias));
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
}

// Gates in the order reset, update, new: h' = n + z * (h - n).
static void gru_step(const struct layer *layer, struct rl_value *projected, struct rl_value **state)
{
    struct rl_value *own = rl_build_linear(layer->at, *state, layer->state_weight, layer->state_bias);
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

static void rnn_step(const struct layer *layer, enum rl_op_id activation, struct rl_value *projected,
                     struct rl_value **state)
{
    struct rl_value *own = rl_build_linear(layer->at, *state, layer->state_weight, layer->state_bias);
    *state = unary(layer, activation, sum(layer, projected, own));
}

static void step(const struct layer *layer, struct rl_value *projected, struct rl_value **state, struct rl_value **cell)
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
static struct rl_value *run_direction(const struct layer *layer, struct rl_value *sequence, bool backwards,
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

struct stack {
    struct rl_build at;
    const struct rl_arg *params;
    int layers, directions;
    bool has_biases, has_projections;
    struct rl_value *states, *cells; // [layers * directions, batch, features]; cells of an LSTM only
    struct rl_value **last_states, **last_cells;
};

static struct rl_value *initial(const struct rl_build *at, struct rl_value *all, int index)
{
    const int64_t sizes[2] = {all->type.sizes[1], all->type.sizes[2]};
    return rl_build_view(at, rl_build_slice(at, all, 0, index, index + 1), 2, sizes);
}

// Parameters of one direction of one layer: two weights, two biases, a projection.
static int params_each(const struct stack *stack)
{
    return 2 + (stack->has_biases ? 2 : 0) + (stack->has_projections ? 1 : 0);
}

static int gate_count(const struct stack *stack)
{
    if (stack->cells) {
        return 4;
    }
    return stack->at.node->op == RL_OP_aten_gru_input ? 3 : 1;
}

static int64_t gate_features(const struct stack *stack)
{
    return (stack->cells ? stack->cells : stack->states)->type.sizes[2];
}

static struct rl_value *run_layer(const struct stack *stack, struct rl_value *sequence, int index)
{
    struct rl_value *outputs[2];
    const int stride = params_each(stack);
    for (int d = 0; d < stack->directions; d++) {
        const int which = index * stack->directions + d;
        struct rl_value **params = &stack->params->as.values[which * stride];
        struct layer layer = {
            .at = &stack->at,
            .op = stack->at.node->op,
            .input_weight = params[0],
            .state_weight = params[1],
            .input_bias = stack->has_biases ? params[2] : NULL,
            .state_bias = stack->has_biases ? params[3] : NULL,
            .projection = stack->has_projections ? params[stride - 1] : NULL,
            .batch = sequence->type.sizes[1],
            .hidden = gate_features(stack),
        };
        struct rl_value *state = initial(&stack->at, stack->states, which);
        struct rl_value *cell = stack->cells ? initial(&stack->at, stack->cells, which) : NULL;
        outputs[d] = run_direction(&layer, sequence, d == 1, &state, &cell);
        stack->last_states[which] = state;
        stack->last_cells[which] = cell;
    }
    return stack->directions == 2 ? rl_build_cat(&stack->at, outputs, 2, 2) : outputs[0];
}

static struct rl_value *stacked(const struct stack *stack, struct rl_value *const *values)
{
    const int count = stack->layers * stack->directions;
    struct rl_value **wide = rl_arena_array(stack->at.graph->arena, (size_t)count, sizeof(*wide));
    for (int i = 0; i < count; i++) {
        const int64_t sizes[3] = {1, values[i]->type.sizes[0], values[i]->type.sizes[1]};
        wide[i] = rl_build_view(&stack->at, values[i], 3, sizes);
    }
    return rl_build_cat(&stack->at, wide, count, 0);
}

static void replace_result(struct rl_graph *graph, struct rl_value *result, struct rl_value *value)
{
    rl_graph_replace_uses(graph, result, value);
    value->name = result->name;
}

// Whether parameter `place` of one direction has the sizes that its operands have.
static bool is_fitting(const struct stack *stack, const struct rl_tensor_type *type, int place, int64_t features)
{
    const int gates = gate_count(stack);
    const int64_t hidden = gate_features(stack), carried = stack->states->type.sizes[2];
    if (stack->has_projections && place == params_each(stack) - 1) {
        return type->rank == 2 && type->sizes[0] == carried && type->sizes[1] == hidden;
    }
    return type->sizes[0] == gates * hidden && type->rank == (place < 2 ? 2 : 1) &&
           (place >= 2 || type->sizes[1] == (place == 0 ? features : carried));
}

// Whether the sizes of all weights and states agree.
static bool is_consistent(const struct stack *stack, const struct rl_value *input)
{
    const int stride = params_each(stack);
    const struct rl_tensor_type *states = &stack->states->type;
    if (input->type.rank != 3 || states->rank != 3 ||
        stack->params->count != stack->layers * stack->directions * stride ||
        states->sizes[0] != stack->layers * stack->directions) {
        return false;
    }
    if (stack->cells) {
        const struct rl_tensor_type *cells = &stack->cells->type;
        if (cells->rank != 3 || cells->sizes[0] != states->sizes[0] || cells->sizes[1] != states->sizes[1] ||
            (!stack->has_projections && cells->sizes[2] != states->sizes[2])) {
            return false;
        }
    }
    for (int i = 0; i < stack->params->count; i++) {
        const bool is_first = i < stride * stack->directions;
        const int64_t features = is_first ? input->type.sizes[2] : states->sizes[2] * stack->directions;
        if (!is_fitting(stack, &stack->params->as.values[i]->type, i % stride, features)) {
            return false;
        }
    }
    return true;
}

static bool decompose_layers(const struct rl_pass *pass, struct rl_node *node)
{
    static const int64_t swap[3] = {1, 0, 2};
    struct rl_graph *graph = pass->graph;
    const struct rl_arg *hx = rl_node_arg(node, "hx");
    const bool has_cells = node->op == RL_OP_aten_lstm_input;
    const bool batch_first = rl_node_bool(node, "batch_first");
    struct rl_value *sequence = rl_node_tensor(node, "input");
    const int64_t layer_count = rl_node_int(node, "num_layers");
    if (layer_count < 1 || layer_count > MOST_LAYERS) {
        return rl_decline(graph, node, "%lld layers; accepted: 1 to %d", (long long)layer_count, MOST_LAYERS);
    }
    if (rl_node_bool(node, "train") || (has_cells && hx->count != 2)) {
        return rl_decline(graph, node, "in training mode, or without initial states");
    }
    struct stack stack = {
        .at = {graph, node},
        .params = rl_node_arg(node, "params"),
        .layers = (int)layer_count,
        .directions = rl_node_bool(node, "bidirectional") ? 2 : 1,
        .has_biases = rl_node_bool(node, "has_biases"),
        .states = has_cells ? hx->as.values[0] : hx->as.value,
        .cells = has_cells ? hx->as.values[1] : NULL,
    };
    const int plain = stack.layers * stack.directions * (stack.has_biases ? 4 : 2);
    stack.has_projections = has_cells && stack.params->count > plain;
    if (sequence->type.dtype != RL_FLOAT32) {
        return rl_decline(graph, node, "elements of another type than float32");
    }
    if (!is_consistent(&stack, sequence)) {
        return rl_decline(graph, node, "weights or states of sizes that do not fit its input");
    }
    const int64_t steps = sequence->type.sizes[batch_first ? 1 : 0];
    if (steps < 1 || steps > LONGEST_SEQUENCE) {
        return rl_decline(graph, node, "%lld steps; accepted: 1 to %d", (long long)steps, LONGEST_SEQUENCE);
    }
    const size_t count = (size_t)(stack.layers * stack.directions);
    stack.last_states = rl_arena_array(graph->arena, count, sizeof(struct rl_value *));
    stack.last_cells = rl_arena_array(graph->arena, count, sizeof(struct rl_value *));
    if (batch_first) {
        sequence = rl_build_permute(&stack.at, sequence, swap);
    }
    for (int i = 0; i < stack.layers; i++) {
        sequence = run_layer(&stack, sequence, i);
    }
    if (batch_first) {
        sequence = rl_build_permute(&stack.at, sequence, swap);
    }
    replace_result(graph, node->results[0], sequence);
    replace_result(graph, node->results[1], stacked(&stack, stack.last_states));
    if (has_cells) {
        replace_result(graph, node->results[2], stacked(&stack, stack.last_cells));
    }
    rl_graph_remove(graph, node);
    return true;
}

static bool decompose_cell(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    const bool has_cells = node->op == RL_OP_aten_lstm_cell;
    const struct rl_arg *hx = rl_node_arg(node, "hx");
    if (has_cells && hx->count != 2) {
        return rl_decline(graph, node, "without a state and a cell");
    }
    struct rl_value *state = has_cells ? hx->as.values[0] : hx->as.value;
    struct rl_value *cell = has_cells ? hx->as.values[1] : NULL;
    const struct rl_value *input = rl_node_tensor(node, "input");
    if (state->type.rank != 2 || input->type.rank != 2 || rl_node_tensor(node, "w_ih")->type.rank != 2 ||
        rl_node_tensor(node, "w_hh")->type.rank != 2) {
        return rl_decline(graph, node, "an input and a state of ranks %d and %d, or weights; accepted: 2",
                          input->type.rank, state->type.rank);
    }
    const struct layer layer = {
        .at = &at,
        .op = node->op,
        .input_weight = rl_node_tensor(node, "w_ih"),
        .state_weight = rl_node_tensor(node, "w_hh"),
        .input_bias = rl_node_tensor(node, "b_ih"),
        .state_bias = rl_node_tensor(node, "b_hh"),
        .batch = state->type.sizes[0],
        .hidden = state->type.sizes[1],
    };
    struct rl_value *projected =
        rl_build_linear(&at, rl_node_tensor(node, "input"), layer.input_weight, layer.input_bias);
    step(&layer, projected, &state, &cell);
    replace_result(graph, node->results[0], state);
    if (has_cells) {
        replace_result(graph, node->results[1], cell);
    }
    rl_graph_remove(graph, node);
    return true;
}

enum rl_status rl_pass_decompose_recurrent(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_lstm_input, decompose_layers},     {RL_OP_aten_gru_input, decompose_layers},
        {RL_OP_aten_rnn_tanh_input, decompose_layers}, {RL_OP_aten_rnn_relu_input, decompose_layers},
        {RL_OP_aten_lstm_cell, decompose_cell},        {RL_OP_aten_gru_cell, decompose_cell},
        {RL_OP_aten_rnn_tanh_cell, decompose_cell},    {RL_OP_aten_rnn_relu_cell, decompose_cell},
    };
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    return RL_OK;
}
