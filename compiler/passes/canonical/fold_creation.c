// SPDX-License-Identifier: Apache-2.0
//
// fold_creation: tensors whose elements are known ahead of time become constants.
//   needs   functional operators
//   keeps   values; names
//   breaks  nothing
//
// zeros, ones, full, empty, arange, linspace, eye, windows, the *_like and new_* forms and fill need only sizes and
// numbers.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "runtime/math/functions.h"

// Element i, in logical order, is start + step * i before `mirror` and end - step * (count - 1 - i) from there on. An
// identity matrix has 1 on its diagonal. A window is start - wave * cos(2 pi i / period).
struct formula {
    double start, step, end;
    double wave, period; // no wave if the period is 0
    int64_t mirror;      // INT64_MAX if all are counted from the start
    int64_t diagonal;    // columns + 1; 0 for other tensors
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

// The formula for equal elements.
static struct formula filled(const struct rl_node *node)
{
    static const char *const names[] = {"fill_value", "value", "s"};
    const struct rl_op *op = rl_op_get(node->op);
    struct formula formula = {.mirror = INT64_MAX};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (rl_op_argument(op, names[i]) >= 0) {
            formula.start = rl_node_number(node, names[i]);
        }
    }
    return formula;
}

static struct formula arange(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    return (struct formula){
        .start = rl_op_argument(op, "start") < 0 ? 0.0 : rl_node_number(node, "start"),
        .step = rl_op_argument(op, "step") < 0 ? 1.0 : rl_node_number(node, "step"),
        .mirror = INT64_MAX,
    };
}

static struct formula identity(const struct rl_node *node)
{
    return (struct formula){.mirror = INT64_MAX, .diagonal = node->results[0]->type.sizes[1] + 1};
}

// A window of a raised cosine: Hann's, or with other numbers Hamming's. One that is not periodic ends as it starts.
static struct formula raised_cosine(const struct rl_node *node, double mean, double wave)
{
    const struct rl_op *op = rl_op_get(node->op);
    const double length = (double)rl_node_int(node, "window_length");
    const bool periodic = rl_op_argument(op, "periodic") < 0 || rl_node_bool(node, "periodic");
    if (length == 1.0) {
        return (struct formula){.start = 1.0, .mirror = INT64_MAX};
    }
    return (struct formula){
        .start = mean, .wave = wave, .period = periodic ? length : length - 1.0, .mirror = INT64_MAX};
}

static struct formula hann(const struct rl_node *node)
{
    return raised_cosine(node, 0.5, 0.5);
}

static struct formula hamming(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    return raised_cosine(node, rl_op_argument(op, "alpha") < 0 ? 0.54 : rl_node_number(node, "alpha"),
                         rl_op_argument(op, "beta") < 0 ? 0.46 : rl_node_number(node, "beta"));
}

// Elements of `empty` may be anything.
static const struct creation {
    enum rl_op_id op;
    double number; // the value of all elements if there is no formula
    struct formula (*formula)(const struct rl_node *node);
    int rank; // the rank that the formula needs; 0: any
} creations[] = {
    {RL_OP_aten_zeros, 0.0, NULL, 0},
    {RL_OP_aten_zeros_like, 0.0, NULL, 0},
    {RL_OP_aten_new_zeros, 0.0, NULL, 0},
    {RL_OP_aten_empty_memory_format, 0.0, NULL, 0},
    {RL_OP_aten_empty_like, 0.0, NULL, 0},
    {RL_OP_aten_new_empty, 0.0, NULL, 0},
    {RL_OP_aten_ones, 1.0, NULL, 0},
    {RL_OP_aten_ones_like, 1.0, NULL, 0},
    {RL_OP_aten_new_ones, 1.0, NULL, 0},
    {RL_OP_aten_full, 0.0, filled, 0},
    {RL_OP_aten_full_like, 0.0, filled, 0},
    {RL_OP_aten_new_full, 0.0, filled, 0},
    {RL_OP_aten_fill_scalar, 0.0, filled, 0},
    {RL_OP_aten_scalar_tensor, 0.0, filled, 0},
    {RL_OP_aten_arange, 0.0, arange, 0},
    {RL_OP_aten_arange_start, 0.0, arange, 0},
    {RL_OP_aten_arange_start_step, 0.0, arange, 0},
    {RL_OP_aten_linspace, 0.0, linspace, 1},
    {RL_OP_aten_eye, 0.0, identity, 2},
    {RL_OP_aten_eye_m, 0.0, identity, 2},
    {RL_OP_aten_hann_window, 0.0, hann, 1},
    {RL_OP_aten_hann_window_periodic, 0.0, hann, 1},
    {RL_OP_aten_hamming_window, 0.0, hamming, 1},
    {RL_OP_aten_hamming_window_periodic, 0.0, hamming, 1},
    {RL_OP_aten_hamming_window_periodic_alpha, 0.0, hamming, 1},
    {RL_OP_aten_hamming_window_periodic_alpha_beta, 0.0, hamming, 1},
};

// False for nodes whose elements depend on more than numbers.
static bool read_formula(const struct rl_node *node, struct formula *formula)
{
    for (size_t i = 0; i < sizeof creations / sizeof creations[0]; i++) {
        const struct creation *creation = &creations[i];
        if (creation->op == node->op && (creation->rank == 0 || creation->rank == node->results[0]->type.rank)) {
            *formula = creation->formula ? creation->formula(node)
                                         : (struct formula){.start = creation->number, .mirror = INT64_MAX};
            return true;
        }
    }
    return false;
}

static double element_at(const struct formula *formula, int64_t i, int64_t count)
{
    const double turn = 6.283185307179586;
    const double along = i < formula->mirror ? formula->start + formula->step * (double)i
                                             : formula->end - formula->step * (double)(count - 1 - i);
    if (formula->period > 0.0) {
        return along - formula->wave * rl_math_cos(turn * (double)i / formula->period);
    }
    const int64_t columns = formula->diagonal - 1; // of an identity matrix, which may have more rows
    return along + (columns >= 0 && i % formula->diagonal == 0 && i < columns * columns ? 1.0 : 0.0);
}

static bool is_storable(double number)
{
    return number > -9.0e18 && number < 9.0e18;
}

// More than a core could hold. Larger tensors are created when the program runs.
enum { MAX_BYTES = 1 << 28 };

static struct rl_node *fold(struct rl_graph *graph, struct rl_node *node, const struct formula *formula)
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
    struct rl_value shape = *result;
    for (int64_t i = 0; i < count; i++) {
        const double number = element_at(formula, i, count);
        unsigned char *to = data + (size_t)rl_constant_offset(&shape, i) * element;
        const bool integral = !rl_scalar_is_floating(type->dtype);
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

enum rl_status rl_pass_fold_creation(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *node = graph->first;
    while (node) {
        struct formula formula;
        node = read_formula(node, &formula) ? fold(graph, node, &formula) : node->next;
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
