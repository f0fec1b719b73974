// SPDX-License-Identifier: Apache-2.0
//
// split_recurrent: LSTMs, GRUs and RNNs become single directions of single layers, each one node (rushlight::lstm, gru,
// rnn_tanh, rnn_relu), so that the quantizer sees the sequences between layers and makes each node one integer
// operator.
//   needs   constants folded (fold_creation)
//   keeps   values; the names of the results
//   breaks  nothing
//
// An LSTM whose state is projected to p = P h has gates of U p = (U P) h: it is one without projection whose weights
// are U P, and p is a linear layer behind it. So its weights are as large as if the state were not projected. A first
// state that is not zero is a part of the first step's input: [x, p] with the weights [W, U].
//
// Each node gets constants of its own as initial states: h and c have different grids. ExecuTorch has no integer
// operator for these layers, so programs for it keep the layers whole.
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/recurrent.h"
#include "compiler/passes/rewrite/rewrite.h"

static const struct rl_value *argument_of(const struct rl_value *value, enum rl_op_id op)
{
    const bool is_result = value && value->kind == RL_VALUE_RESULT && value->producer->op == op;
    return is_result ? value->producer->args[0].as.value : NULL;
}

// An initial state as a constant of its own, if it is a constant or a part of one.
static struct rl_value *own_state(struct rl_graph *graph, struct rl_value *state)
{
    const struct rl_value *part = argument_of(state, RL_OP_aten_view_copy);
    const struct rl_value *whole = argument_of(part, RL_OP_aten_slice_copy_tensor);
    if (state->kind == RL_VALUE_CONSTANT) {
        return rl_graph_add_constant(graph, state->name, &state->type, state->data);
    }
    if (!whole || whole->kind != RL_VALUE_CONSTANT) {
        return state;
    }
    const int64_t first = rl_node_int(part->producer, "start") * rl_tensor_numel(&state->type);
    return rl_graph_add_constant(graph, whole->name, &state->type, (const float *)whole->data + first);
}

static void set_bias(struct rl_node *node, const char *name, struct rl_value *bias)
{
    if (bias) {
        rl_node_set(node, name, rl_arg_value(bias));
    }
}

// The operator of one direction, and how many rows its weights have for each unit.
struct form {
    enum rl_op_id op;
    int64_t gates;
};

static struct form form_of(enum rl_op_id op)
{
    switch (op) {
    case RL_OP_aten_lstm_input:
    case RL_OP_aten_lstm_cell:
        return (struct form){RL_OP_rl_lstm, 4};
    case RL_OP_aten_gru_input:
    case RL_OP_aten_gru_cell:
        return (struct form){RL_OP_rl_gru, 3};
    case RL_OP_aten_rnn_relu_input:
    case RL_OP_aten_rnn_relu_cell:
        return (struct form){RL_OP_rl_rnn_relu, 1};
    default:
        return (struct form){RL_OP_rl_rnn_tanh, 1};
    }
}

static struct rl_node *insert_layer(const struct rl_recurrent_layer *layer, struct rl_value *sequence, bool backwards,
                                    struct rl_value *state, struct rl_value *cell)
{
    struct rl_graph *graph = layer->at->graph;
    struct rl_node *whole = layer->at->node;
    const int64_t all[3] = {sequence->type.sizes[0], layer->batch, layer->hidden};
    const struct rl_tensor_type every_step = rl_tensor_type_make(RL_FLOAT32, 3, all);
    const struct rl_tensor_type types[3] = {every_step, rl_tensor_type_make(RL_FLOAT32, 2, all + 1), every_step};
    const char *name = rl_arena_format(graph->arena, "%s_part", whole->name);
    struct rl_node *node = rl_graph_insert(graph, whole, form_of(layer->op).op, name, whole, cell ? 3 : 1, types);
    rl_node_set(node, "input", rl_arg_value(sequence));
    rl_node_set(node, "hidden", rl_arg_value(own_state(graph, state)));
    if (cell) {
        rl_node_set(node, "cell", rl_arg_value(own_state(graph, cell)));
    }
    rl_node_set(node, "input_weight", rl_arg_value(layer->input_weight));
    rl_node_set(node, "hidden_weight", rl_arg_value(layer->hidden_weight));
    set_bias(node, "input_bias", layer->input_bias);
    set_bias(node, "hidden_bias", layer->hidden_bias);
    rl_node_set(node, "reverse", rl_arg_bool(backwards));
    return node;
}

static struct rl_value *build_direction(const struct rl_recurrent_layer *layer, struct rl_value *sequence,
                                        bool backwards, struct rl_value **state, struct rl_value **cell)
{
    const struct rl_node *node = insert_layer(layer, sequence, backwards, *state, *cell);
    const int64_t last = backwards ? 0 : sequence->type.sizes[0] - 1;
    const int64_t sizes[2] = {layer->batch, layer->hidden};
    struct rl_value *step = rl_build_slice(layer->at, node->results[0], 0, last, last + 1);
    *state = rl_build_view(layer->at, step, 2, sizes);
    *cell = *cell ? node->results[1] : NULL;
    return node->results[0];
}

// ---- projections

static bool is_plain(const struct rl_value *value)
{
    return value && value->kind == RL_VALUE_CONSTANT && !rl_value_is_state(value) && value->type.dtype == RL_FLOAT32;
}

static bool is_zero(const struct rl_value *value)
{
    if (!is_plain(value)) {
        return false;
    }
    for (int64_t i = 0; i < rl_tensor_numel(&value->type); i++) {
        if (((const float *)value->data)[i] != 0.0f) {
            return false;
        }
    }
    return true;
}

static float element(const struct rl_value *matrix, int64_t row, int64_t column)
{
    return ((const float *)matrix->data)[rl_constant_offset(matrix, row * matrix->type.sizes[1] + column)];
}

static struct rl_value *product(const struct rl_build *at, const struct rl_value *a, const struct rl_value *b)
{
    const int64_t sizes[2] = {a->type.sizes[0], b->type.sizes[1]};
    struct rl_value *result = rl_build_constant(at, 2, sizes, 0.0);
    float *data = (float *)result->data;
    for (int64_t i = 0; i < sizes[0]; i++) {
        for (int64_t k = 0; k < sizes[1]; k++) {
            double sum = 0.0;
            for (int64_t n = 0; n < a->type.sizes[1]; n++) {
                sum += (double)element(a, i, n) * (double)element(b, n, k);
            }
            data[i * sizes[1] + k] = (float)sum;
        }
    }
    return result;
}

static struct rl_value *beside(const struct rl_build *at, const struct rl_value *a, const struct rl_value *b)
{
    const int64_t width = a->type.sizes[1], sizes[2] = {a->type.sizes[0], width + b->type.sizes[1]};
    struct rl_value *result = rl_build_constant(at, 2, sizes, 0.0);
    float *data = (float *)result->data;
    for (int64_t i = 0; i < sizes[0]; i++) {
        for (int64_t k = 0; k < sizes[1]; k++) {
            data[i * sizes[1] + k] = k < width ? element(a, i, k) : element(b, i, k - width);
        }
    }
    return result;
}

// The sequence with the first state beside the step that comes first, and zeros beside the others.
static struct rl_value *with_state(const struct rl_build *at, struct rl_value *sequence, struct rl_value *state,
                                   bool backwards)
{
    const int64_t steps = sequence->type.sizes[0];
    const int64_t first[3] = {1, state->type.sizes[0], state->type.sizes[1]};
    const int64_t others[3] = {steps - 1, first[1], first[2]};
    struct rl_value *parts[2] = {rl_build_view(at, state, 3, first), NULL};
    if (steps > 1) {
        struct rl_value *zeros = rl_build_constant(at, 3, others, 0.0);
        parts[1] = backwards ? parts[0] : zeros;
        parts[0] = backwards ? zeros : parts[0];
        parts[0] = rl_build_cat(at, parts, 2, 0);
    }
    struct rl_value *both[2] = {sequence, parts[0]};
    return rl_build_cat(at, both, 2, 2);
}

static struct rl_value *build_projected(const struct rl_recurrent_layer *layer, struct rl_value *sequence,
                                        bool backwards, struct rl_value **state, struct rl_value **cell)
{
    const struct rl_build *at = layer->at;
    struct rl_recurrent_layer whole = *layer;
    const int64_t sizes[2] = {layer->batch, layer->hidden};
    struct rl_value *first = own_state(at->graph, *state), *hidden = rl_build_constant(at, 2, sizes, 0.0);
    whole.hidden_weight = product(at, layer->hidden_weight, layer->projection);
    if (!is_zero(first)) {
        whole.input_weight = beside(at, layer->input_weight, layer->hidden_weight);
        sequence = with_state(at, sequence, *state, backwards);
    }
    struct rl_value *every = build_direction(&whole, sequence, backwards, &hidden, cell);
    struct rl_value *projected = rl_build_linear(at, every, layer->projection, NULL);
    const int64_t last = backwards ? 0 : projected->type.sizes[0] - 1;
    const int64_t step[2] = {layer->batch, projected->type.sizes[2]};
    *state = rl_build_view(at, rl_build_slice(at, projected, 0, last, last + 1), 2, step);
    return projected;
}

// Whether the zeros that stand for states are few.
static bool is_small(const struct rl_node *node)
{
    enum { MOST_ZEROS = 1 << 22 };
    const struct rl_tensor_type *sequence = &rl_node_tensor(node, "input")->type;
    const struct rl_arg *states = rl_node_arg(node, "hx");
    double zeros = 2.0;
    for (int i = 0; i < 2 && sequence->rank == 3; i++) {
        zeros *= (double)sequence->sizes[i];
    }
    for (int i = 0; i < states->count; i++) {
        const struct rl_tensor_type *type = &states->as.values[i]->type;
        if (zeros * (type->rank > 0 ? (double)type->sizes[type->rank - 1] : 1.0) > MOST_ZEROS) {
            return false;
        }
    }
    return true;
}

static bool are_plain(const struct rl_arg *params)
{
    for (int i = 0; i < params->count; i++) {
        if (!is_plain(params->as.values[i])) {
            return false;
        }
    }
    return true;
}

static bool has_projections(const struct rl_node *node)
{
    const int64_t each = rl_node_bool(node, "has_biases") ? 4 : 2,
                  directions = rl_node_bool(node, "bidirectional") ? 2 : 1;
    const int count = rl_node_arg(node, "params")->count;
    return count > 0 && (count - 1) / (directions * each) >= rl_node_int(node, "num_layers");
}

// Names of parts differ from those that the float form of the layer has, because `evaluate` compares values by name.
static const char *rename_parts(struct rl_graph *graph, struct rl_node *node)
{
    const char *name = node->name;
    node->name = rl_arena_format(graph->arena, "%s_split", name);
    return name;
}

static bool split_layers(const struct rl_pass *pass, struct rl_node *node)
{
    const bool projects = has_projections(node);
    if (projects && (node->op != RL_OP_aten_lstm_input || !are_plain(rl_node_arg(node, "params")) || !is_small(node))) {
        return false;
    }
    const char *name = rename_parts(pass->graph, node);
    if (!rl_replace_recurrent(pass, node, projects ? build_projected : build_direction)) {
        node->name = name;
        return false;
    }
    return true;
}

static bool has_sizes(const struct rl_value *value, int64_t rows, int64_t columns)
{
    const struct rl_tensor_type *type = &value->type;
    return type->dtype == RL_FLOAT32 && type->rank == 2 && type->sizes[0] == rows && type->sizes[1] == columns;
}

static bool is_consistent(const struct rl_recurrent_layer *layer, const struct rl_value *input,
                          const struct rl_value *state, const struct rl_value *cell)
{
    const int64_t features = input->type.sizes[1], rows = form_of(layer->op).gates * layer->hidden;
    return has_sizes(input, layer->batch, features) && has_sizes(layer->input_weight, rows, features) &&
           has_sizes(layer->hidden_weight, rows, layer->hidden) && has_sizes(state, layer->batch, layer->hidden) &&
           (!cell || has_sizes(cell, layer->batch, layer->hidden));
}

// A cell is a sequence of one step.
static bool split_cell(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_recurrent_layer layer;
    struct rl_value *state, *cell;
    struct rl_value *input = rl_node_tensor(node, "input");
    if (!rl_read_recurrent_cell(&at, &layer, &state, &cell) || !is_consistent(&layer, input, state, cell)) {
        return false;
    }
    (void)rename_parts(pass->graph, node);
    const int64_t sizes[3] = {1, input->type.sizes[0], input->type.sizes[1]};
    build_direction(&layer, rl_build_view(&at, input, 3, sizes), false, &state, &cell);
    rl_replace_recurrent_cell(&at, state, cell);
    return true;
}

enum rl_status rl_pass_split_recurrent(struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_lstm_input, split_layers},     {RL_OP_aten_lstm_cell, split_cell},
        {RL_OP_aten_gru_input, split_layers},      {RL_OP_aten_gru_cell, split_cell},
        {RL_OP_aten_rnn_tanh_input, split_layers}, {RL_OP_aten_rnn_tanh_cell, split_cell},
        {RL_OP_aten_rnn_relu_input, split_layers}, {RL_OP_aten_rnn_relu_cell, split_cell},
    };
    if (pass->options->target.flow != RL_FLOW_EXECUTORCH) {
        rl_lower_table(pass, table, sizeof table / sizeof table[0]);
    }
    return RL_OK;
}
