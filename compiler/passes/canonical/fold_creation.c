// SPDX-License-Identifier: Apache-2.0
//
// fold_creation: tensors whose elements are known ahead of time become constants.
//   needs   functional operators
//   keeps   values; names
//   breaks  nothing
//
// zeros, ones, full, empty, arange, linspace, eye, the *_like and new_* forms and fill depend on nothing but sizes.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum kind { KIND_NONE, KIND_ZEROS, KIND_ONES, KIND_FULL, KIND_FILL, KIND_SCALAR, KIND_ARANGE, KIND_LINSPACE, KIND_EYE };

static enum kind kind_of(enum rl_op_id op)
{
    switch (op) {
    case RL_OP_aten_zeros:
    case RL_OP_aten_zeros_like:
    case RL_OP_aten_new_zeros:
    case RL_OP_aten_empty_memory_format: // any elements will do
    case RL_OP_aten_empty_like:
    case RL_OP_aten_new_empty:
        return KIND_ZEROS;
    case RL_OP_aten_ones:
    case RL_OP_aten_ones_like:
    case RL_OP_aten_new_ones:
        return KIND_ONES;
    case RL_OP_aten_full:
    case RL_OP_aten_full_like:
    case RL_OP_aten_new_full:
        return KIND_FULL;
    case RL_OP_aten_fill_scalar:
        return KIND_FILL;
    case RL_OP_aten_scalar_tensor:
        return KIND_SCALAR;
    case RL_OP_aten_arange:
    case RL_OP_aten_arange_start:
    case RL_OP_aten_arange_start_step:
        return KIND_ARANGE;
    case RL_OP_aten_linspace:
        return KIND_LINSPACE;
    case RL_OP_aten_eye:
        return KIND_EYE;
    default:
        return KIND_NONE;
    }
}

// Element i, in logical order, is start + step * i before `mirror` and end - step * (count - 1 - i) from there on. An
// identity matrix has 1 on its diagonal.
struct formula {
    double start, step, end;
    int64_t mirror;   // INT64_MAX where all are counted from the start
    int64_t diagonal; // columns + 1; 0 for other tensors
};

// A single element is the start.
static struct formula linspace(const struct rl_node *node)
{
    const int64_t count = node->results[0]->type.sizes[0];
    struct formula formula = {
        .start = rl_node_number(node, "start"), .end = rl_node_number(node, "end"), .mirror = INT64_MAX};
    if (count > 1) {
        formula.step = (formula.end - formula.start) / (double)(count - 1);
        formula.mirror = count / 2;
    }
    return formula;
}

static struct formula formula_of(const struct rl_node *node)
{
    struct formula formula = {.mirror = INT64_MAX};
    switch (kind_of(node->op)) {
    case KIND_ONES:
        formula.start = 1.0;
        break;
    case KIND_FULL:
        formula.start = rl_node_number(node, "fill_value");
        break;
    case KIND_FILL:
        formula.start = rl_node_number(node, "value");
        break;
    case KIND_SCALAR:
        formula.start = rl_node_number(node, "s");
        break;
    case KIND_ARANGE:
        formula.start = node->op == RL_OP_aten_arange ? 0.0 : rl_node_number(node, "start");
        formula.step = node->op == RL_OP_aten_arange_start_step ? rl_node_number(node, "step") : 1.0;
        break;
    case KIND_LINSPACE: // as PyTorch counts, so that both ends are exact
        formula = linspace(node);
        break;
    case KIND_EYE:
        formula.diagonal = node->results[0]->type.sizes[1] + 1;
        break;
    default:
        break;
    }
    return formula;
}

static bool is_storable(double number)
{
    return number > -9.0e18 && number < 9.0e18;
}

// More than a core could hold. The program makes larger tensors when it runs.
enum { MAX_BYTES = 1 << 28 };

static struct rl_node *fold(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_value *result = node->results[0];
    const struct rl_tensor_type *type = &result->type;
    if (rl_tensor_bytes(type) > MAX_BYTES) {
        rl_decline(graph, node, "a constant too large for any of the cores");
        return node->next;
    }
    const int64_t count = rl_tensor_numel(type);
    const size_t element = rl_scalar_size((int)type->dtype);
    unsigned char *data = rl_arena_array(graph->arena, (size_t)count, element);
    const struct formula formula = formula_of(node);
    struct rl_value shape = *result;
    for (int64_t i = 0; i < count; i++) {
        const double along = i < formula.mirror ? formula.start + formula.step * (double)i
                                                : formula.end - formula.step * (double)(count - 1 - i);
        const double diagonal = formula.diagonal > 0 && i % formula.diagonal == 0 ? 1.0 : 0.0;
        const double number = along + diagonal;
        unsigned char *to = data + (size_t)rl_constant_offset(&shape, i) * element;
        const bool integral = type->dtype != RL_FLOAT32 && type->dtype != RL_FLOAT64;
        if ((integral && !is_storable(number)) || !rl_store_number(to, type->dtype, number)) {
            rl_decline(graph, node, "elements of a type that has no constants here");
            return node->next;
        }
    }
    struct rl_value *constant = rl_graph_add_constant(graph, result->name, type, data);
    const char *name = result->name;
    struct rl_node *next = node->next;
    rl_graph_replace_uses(graph, result, constant);
    rl_graph_remove(graph, node);
    constant->name = name;
    return next;
}

// The formulas of these read sizes of the result.
static bool has_formula(const struct rl_node *node)
{
    switch (kind_of(node->op)) {
    case KIND_NONE:
        return false;
    case KIND_EYE:
        return node->results[0]->type.rank == 2;
    case KIND_LINSPACE:
        return node->results[0]->type.rank == 1;
    default:
        return true;
    }
}

enum rl_status rl_pass_fold_creation(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *node = graph->first;
    while (node) {
        node = has_formula(node) ? fold(graph, node) : node->next;
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
