// SPDX-License-Identifier: Apache-2.0
// The order of the weights while a graph runs.
#include <string.h>

#include "compiler/graph_runner_parts.h"

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
