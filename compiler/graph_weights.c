// SPDX-License-Identifier: Apache-2.0
// The order of the weights while a graph runs, and when they are there.
#include <string.h>

#include "compiler/graph_runner_parts.h"
#include "compiler/passes/rewrite/dequantized.h"
#include "compiler/plan/alias.h"

static const uint8_t row_major[4] = {0, 1, 2, 3}, taps_first[4] = {0, 2, 3, 1};

static bool overlaps(const struct rl_value *value, const struct rl_value *other)
{
    const unsigned char *a = value->data, *b = other->data;
    return other != value && b && b < a + rl_tensor_bytes(&value->type) && a < b + rl_tensor_bytes(&other->type);
}

// Tensors of a file may share memory.
static bool shares_data(const struct rl_graph *graph, const struct rl_value *constant)
{
    bool shares = false;
    for (const struct rl_value *other = graph->constants; other; other = other->next) {
        shares = shares || overlaps(constant, other);
    }
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        shares = shares || overlaps(constant, graph->inputs[i]);
    }
    return shares;
}

// The weights of a plain convolution of images that are row-major and nobody else's; NULL for others.
static struct rl_value *weights_of(const struct rl_graph *graph, const struct rl_node *node)
{
    if (node->op != RL_OP_aten_convolution || rl_node_bool(node, "transposed")) {
        return NULL;
    }
    struct rl_value *weight = rl_node_tensor(node, "weight");
    const struct rl_tensor_type *type = &weight->type;
    if (weight->kind != RL_VALUE_CONSTANT || type->rank != 4 || type->dtype != RL_FLOAT32 || type->sizes[1] == 1 ||
        type->sizes[2] * type->sizes[3] == 1 || memcmp(type->order, row_major, sizeof row_major) != 0 ||
        rl_value_use_count(graph, weight) != 1 || shares_data(graph, weight)) {
        return NULL;
    }
    return weight;
}

// The lender's constant with this data; NULL if the weights are the runner's own.
static struct rl_value *find_lent(const struct rl_graph *lender, const struct rl_value *weight)
{
    for (struct rl_value *value = lender ? lender->constants : NULL; value; value = value->next) {
        if (value->data == weight->data) {
            return value;
        }
    }
    return NULL;
}

// Makes columns of the rows of each output channel. `room` is for one of them.
static void transpose(const struct rl_value *weight, int64_t rows, int64_t columns, float *room)
{
    float *to = (float *)(uintptr_t)weight->data;
    const int64_t size = rows * columns;
    for (float *const end = to + rl_tensor_numel(&weight->type); to < end; to += size) {
        memcpy(room, to, (size_t)size * sizeof *room);
        for (int64_t column = 0; column < columns; column++) {
            for (int64_t row = 0; row < rows; row++) {
                to[column * rows + row] = room[row * columns + column];
            }
        }
    }
}

static int64_t count_taps(const struct rl_value *weight)
{
    return weight->type.sizes[2] * weight->type.sizes[3];
}

static bool is_turnable(const struct rl_graph *lender, const struct rl_value *weight, const struct rl_value *lent)
{
    return !lent || (lent->type.dtype == RL_FLOAT32 && rl_tensor_same_sizes(&lent->type, &weight->type) &&
                     memcmp(lent->type.order, row_major, sizeof row_major) == 0 && !shares_data(lender, lent));
}

// Lists the weights that will be turned, and makes room for one output channel of any.
static struct rl_value **list_weights(struct rl_graph_runner *runner, const struct rl_graph *lender, int *count)
{
    const struct rl_graph *graph = runner->graph;
    struct rl_value **list;
    int64_t largest = 0;
    *count = 0;
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        ++*count;
    }
    list = rl_arena_array(graph->arena, (size_t)*count, sizeof(struct rl_value *));
    *count = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        struct rl_value *weight = weights_of(graph, node);
        if (weight && is_turnable(lender, weight, find_lent(lender, weight))) {
            const int64_t size = weight->type.sizes[1] * count_taps(weight);
            largest = size > largest ? size : largest;
            list[(*count)++] = weight;
        }
    }
    runner->turning_room = rl_arena_array(graph->arena, (size_t)largest, sizeof(float));
    runner->turned = rl_arena_array(graph->arena, (size_t)*count, sizeof(struct rl_value *));
    return list;
}

// Allocates everything first: when memory runs out, no weights are turned.
void rl_graph_runner_turn_weights(struct rl_graph_runner *runner, struct rl_graph *lender)
{
    int count;
    struct rl_value **weights = list_weights(runner, lender, &count);
    for (int i = 0; i < count; i++) {
        struct rl_value *weight = weights[i], *lent = find_lent(lender, weight);
        transpose(weight, weight->type.sizes[1], count_taps(weight), runner->turning_room);
        memcpy(weight->type.order, taps_first, sizeof taps_first);
        if (lent) {
            memcpy(lent->type.order, taps_first, sizeof taps_first);
            runner->turned[runner->turned_count++] = lent;
        }
    }
}

void rl_graph_runner_give_back(struct rl_graph_runner *runner)
{
    for (; runner->turned_count > 0; runner->turned_count--) {
        struct rl_value *weight = runner->turned[runner->turned_count - 1];
        transpose(weight, count_taps(weight), weight->type.sizes[1], runner->turning_room);
        memcpy(weight->type.order, row_major, sizeof row_major);
    }
}

// ---- weights that come late

// Where an input that is bound later points until then.
static const float nowhere;

static bool reads(const struct rl_node *node, const struct rl_value *constant)
{
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE && rl_alias_root(arg->as.value) == constant) {
            return true;
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            if (arg->as.values[k] && rl_alias_root(arg->as.values[k]) == constant) {
                return true;
            }
        }
    }
    return false;
}

static void find_readers(const struct rl_emitted *emitted, struct rl_late_weight *weight)
{
    weight->first = emitted->instruction_count;
    weight->last = -1;
    for (int i = 0; i < emitted->instruction_count; i++) {
        if (reads(emitted->nodes[i], weight->value)) {
            weight->first = i < weight->first ? i : weight->first;
            weight->last = i;
        }
    }
}

static bool is_target(const struct rl_graph *graph, const struct rl_value *constant)
{
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        if (rl_alias_root(graph->outputs[i]) == constant) {
            return true;
        }
    }
    return false;
}

// Inputs that are bound to the same data: a constant and its views.
static int count_bound(const struct rl_emitted *emitted, const void *data)
{
    int count = 0;
    for (uint32_t i = 0; i < emitted->bound_count; i++) {
        count += emitted->bound[i] == data;
    }
    return count;
}

// The constant that one input is bound to, if it can be made again; else NULL. Only large allocations are given back.
static struct rl_value *find_dequantized(const struct rl_graph_runner *runner, const void *data)
{
    const struct rl_graph *graph = runner->graph;
    for (struct rl_value *value = graph->constants; value; value = value->next) {
        if (value->data == data && value->dequantized_by && rl_arena_large_size(graph->arena, data) > 0 &&
            count_bound(&runner->emitted, data) == 1 && !shares_data(graph, value) && !is_target(graph, value)) {
            return value;
        }
    }
    return NULL;
}

void rl_graph_runner_put_off_weights(struct rl_graph_runner *runner)
{
    const struct rl_emitted *emitted = &runner->emitted;
    const struct rl_graph *graph = runner->graph;
    runner->late = rl_arena_array(graph->arena, emitted->bound_count, sizeof *runner->late);
    for (uint32_t i = 0; i < emitted->bound_count; i++) {
        struct rl_value *value = find_dequantized(runner, emitted->bound[i]);
        if (!value) {
            continue;
        }
        struct rl_late_weight *weight = &runner->late[runner->late_count++];
        *weight = (struct rl_late_weight){.value = value, .input = (uint32_t)graph->input_count + i};
        find_readers(emitted, weight);
        rl_arena_release(graph->arena, value->data);
        value->data = NULL;
        emitted->bound[i] = &nowhere;
    }
}

static void make(const struct rl_graph_runner *runner, struct rl_value *weight)
{
    float *data = rl_arena_alloc(runner->graph->arena, rl_tensor_bytes(&weight->type));
    rl_dequantize_constant(weight->dequantized_by, data);
    weight->data = data;
    if (!rl_tensor_same_layout(&weight->type, &rl_node_tensor(weight->dequantized_by, "input")->type)) {
        transpose(weight, weight->type.sizes[1], count_taps(weight), runner->turning_room);
    }
}

static enum rl_status bring(struct rl_context *context, struct rl_graph_runner *runner,
                            const struct rl_late_weight *weight, struct rl_graph_runner *const *workers,
                            int worker_count)
{
    const size_t bytes = rl_tensor_bytes(&weight->value->type);
    enum rl_status status = RL_OK;
    make(runner, weight->value);
    for (int i = 0; i < worker_count && status == RL_OK; i++) {
        status = rl_method_bind_input(&workers[i]->program.method, weight->input,
                                      (void *)(uintptr_t)weight->value->data, bytes);
    }
    return status == RL_OK ? RL_OK
                           : rl_fail(context, status, "%s: constant '%s' cannot be bound: %s", runner->graph->source,
                                     weight->value->name, rl_status_text(status));
}

enum rl_status rl_graph_runner_bring_weights(struct rl_context *context, struct rl_graph_runner *runner,
                                             struct rl_graph_runner *const *workers, int worker_count, int first,
                                             int last)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < runner->late_count; i++) {
        struct rl_value *value = runner->late[i].value;
        const bool is_read = runner->late[i].first <= last && runner->late[i].last >= first;
        if (!is_read && value->data) {
            rl_arena_release(runner->graph->arena, value->data);
            value->data = NULL;
        }
    }
    for (int i = 0; i < runner->late_count && status == RL_OK; i++) {
        const struct rl_late_weight *weight = &runner->late[i];
        if (!weight->value->data && weight->first <= last && weight->last >= first) {
            status = bring(context, runner, weight, workers, worker_count);
        }
    }
    return status;
}
