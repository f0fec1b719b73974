// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/recurrent.h"

#include "compiler/passes/rewrite/rewrite.h"

enum { MOST_LAYERS = 64 };

struct stack {
    struct rl_build at;
    const struct rl_arg *params;
    int layers, directions;
    bool has_biases, has_projections;
    struct rl_value *states, *cells; // [layers * directions, batch, features]; cells of an LSTM only
    struct rl_value **last_states, **last_cells;
    rl_build_direction *direction;
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

// The outputs of a direction have one name in each form of the graph, by which `evaluate` compares them.
static const char *name_of(const struct stack *stack, int layer, bool backwards)
{
    struct rl_graph *graph = stack->at.graph;
    const struct rl_node *node = stack->at.node;
    const char *name = rl_arena_format(graph->arena, "%s_layer%d%s", node->origin ? node->origin : node->name, layer,
                                       backwards ? "_reverse" : "");
    return rl_graph_unique_name(graph, name);
}

static struct rl_value *run_layer(const struct stack *stack, struct rl_value *sequence, int index)
{
    struct rl_value *outputs[2];
    const int stride = params_each(stack);
    for (int d = 0; d < stack->directions; d++) {
        const int which = index * stack->directions + d;
        struct rl_value **params = &stack->params->as.values[which * stride];
        const struct rl_recurrent_layer layer = {
            .at = &stack->at,
            .op = stack->at.node->op,
            .input_weight = params[0],
            .hidden_weight = params[1],
            .input_bias = stack->has_biases ? params[2] : NULL,
            .hidden_bias = stack->has_biases ? params[3] : NULL,
            .projection = stack->has_projections ? params[stride - 1] : NULL,
            .batch = sequence->type.sizes[1],
            .hidden = gate_features(stack),
        };
        struct rl_value *state = initial(&stack->at, stack->states, which);
        struct rl_value *cell = stack->cells ? initial(&stack->at, stack->cells, which) : NULL;
        outputs[d] = stack->direction(&layer, sequence, d == 1, &state, &cell);
        outputs[d]->name = name_of(stack, index, d == 1);
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

bool rl_replace_recurrent(const struct rl_pass *pass, struct rl_node *node, rl_build_direction *direction)
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
        .direction = direction,
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
    if (steps < 1 || steps > RL_LONGEST_SEQUENCE) {
        return rl_decline(graph, node, "%lld steps; accepted: 1 to %d", (long long)steps, RL_LONGEST_SEQUENCE);
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

bool rl_read_recurrent_cell(const struct rl_build *at, struct rl_recurrent_layer *layer, struct rl_value **state,
                            struct rl_value **cell)
{
    struct rl_node *node = at->node;
    const bool has_cells = node->op == RL_OP_aten_lstm_cell;
    const struct rl_arg *hx = rl_node_arg(node, "hx");
    if (has_cells && hx->count != 2) {
        return rl_decline(at->graph, node, "without a state and a cell");
    }
    *state = has_cells ? hx->as.values[0] : hx->as.value;
    *cell = has_cells ? hx->as.values[1] : NULL;
    const struct rl_value *input = rl_node_tensor(node, "input");
    if ((*state)->type.rank != 2 || input->type.rank != 2 || rl_node_tensor(node, "w_ih")->type.rank != 2 ||
        rl_node_tensor(node, "w_hh")->type.rank != 2) {
        return rl_decline(at->graph, node, "an input and a state of ranks %d and %d, or weights; accepted: 2",
                          input->type.rank, (*state)->type.rank);
    }
    *layer = (struct rl_recurrent_layer){
        .at = at,
        .op = node->op,
        .input_weight = rl_node_tensor(node, "w_ih"),
        .hidden_weight = rl_node_tensor(node, "w_hh"),
        .input_bias = rl_node_tensor(node, "b_ih"),
        .hidden_bias = rl_node_tensor(node, "b_hh"),
        .batch = (*state)->type.sizes[0],
        .hidden = (*state)->type.sizes[1],
    };
    return true;
}

void rl_replace_recurrent_cell(const struct rl_build *at, struct rl_value *state, struct rl_value *cell)
{
    replace_result(at->graph, at->node->results[0], state);
    if (cell) {
        replace_result(at->graph, at->node->results[1], cell);
    }
    rl_graph_remove(at->graph, at->node);
}
