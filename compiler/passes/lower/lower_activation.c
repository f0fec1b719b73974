// SPDX-License-Identifier: Apache-2.0
//
// lower_activation: quantized functions of one element become cortex_m::quantized_activation, a look-up in a table of
// 256 results. Sums and products with a constant number are among them.
//   needs   relu and clamps fused into the quantize node (fuse_activation); functions that are finite somewhere on the
//           grid of their input: infinite entries alone are an error, because a table would hide them
//   keeps   values: each is the nearest to the function of the real number; the name of the quantized value
//   breaks  nothing
//
// Entry i of the table is the result for the integer i - 128: the function in double precision, divided by the output's
// scale, plus the zero point, rounded half away from zero, clamped to the range of the quantize node. A pole becomes
// the end of int8 on its side. Where the function is not defined (the logarithm of a negative number), the entry is
// that of the nearest integer where it is (ExecuTorch backends/cortex_m/passes/passes_utils.py, build_activation_lut).
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/lower/number.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/rewrite.h"

struct call {
    struct rl_number_function function;
    struct rl_match match;
};

static int8_t on_grid(const struct rl_grid *grid, double scaled)
{
    const double rounded = round(scaled);
    if (!(rounded > (double)grid->min)) {
        return (int8_t)grid->min;
    }
    return (int8_t)(rounded < (double)grid->max ? rounded : (double)grid->max);
}

// The entry that is defined and nearest to `index`, of two the lower one; -1 when there is none.
static int nearest_defined(const bool *defined, int index)
{
    for (int distance = 0; distance < RL_TABLE_SIZE; distance++) {
        if (index - distance >= 0 && defined[index - distance]) {
            return index - distance;
        }
        if (index + distance < RL_TABLE_SIZE && defined[index + distance]) {
            return index + distance;
        }
    }
    return -1;
}

static double real_of(const struct rl_grid *grid, int index)
{
    return grid->scale * (double)(index + INT8_MIN - grid->zero_point);
}

static enum rl_status fail_on_infinite(const struct rl_pass *pass, const struct call *call)
{
    const struct rl_node *node = call->match.node;
    const double x = real_of(&call->match.operands[0].grid, 0);
    return rl_fail(pass->context, RL_ERROR_UNSUPPORTED,
                   "%s: node '%s' (%s): expected a finite result for one of the %d inputs of its table at least, found "
                   "%s(%g) = %g",
                   pass->graph->source, node->name, rl_op_get(node->op)->name, RL_TABLE_SIZE,
                   call->function.function->name, x, rl_number_function_of(&call->function, x));
}

// *is_defined tells whether the function is defined on any number of the grid. An error if it is finite on none.
static enum rl_status fill_table(const struct rl_pass *pass, const struct call *call, int8_t *table, bool *is_defined)
{
    const struct rl_grid *input = &call->match.operands[0].grid;
    const struct rl_grid *output = &call->match.output;
    bool defined[RL_TABLE_SIZE], is_finite = false;
    for (int i = 0; i < RL_TABLE_SIZE; i++) {
        const double y = rl_number_function_of(&call->function, real_of(input, i));
        const double scaled = isfinite(y) ? y / output->scale + (double)output->zero_point : y;
        defined[i] = !isnan(scaled);
        is_finite = is_finite || isfinite(y);
        table[i] = on_grid(output, scaled);
    }
    *is_defined = nearest_defined(defined, 0) >= 0;
    if (*is_defined && !is_finite) {
        return fail_on_infinite(pass, call);
    }
    for (int i = 0; *is_defined && i < RL_TABLE_SIZE; i++) {
        table[i] = table[nearest_defined(defined, i)];
    }
    return RL_OK;
}

static enum rl_status become_table(const struct rl_pass *pass, const struct call *call)
{
    struct rl_graph *graph = pass->graph;
    struct rl_node *node = call->match.node;
    int8_t table[RL_TABLE_SIZE];
    bool is_defined;
    if (!rl_tensor_same_sizes(&call->match.operands[0].value->type, &node->results[0]->type)) {
        rl_decline(graph, node, "a result of another size than its input");
        return RL_OK;
    }
    const enum rl_status status = fill_table(pass, call, table, &is_defined);
    if (status != RL_OK) {
        return status;
    }
    if (!is_defined) {
        rl_decline(graph, node, "the function is not defined on any number of its input's grid");
        return RL_OK;
    }
    rl_match_table(graph, &call->match, call->match.operands[0].value, table);
    return RL_OK;
}

static enum rl_status lower(const struct rl_pass *pass, struct rl_node *node, const struct rl_function *function)
{
    struct call call;
    const bool matches = rl_read_number_function(node, function, &call.function) &&
                         rl_match_argument(pass->graph, node, call.function.operand, &call.match);
    return matches ? become_table(pass, &call) : RL_OK;
}

enum rl_status rl_pass_lower_activation(struct rl_pass *pass)
{
    for (size_t i = 0; i < rl_function_count; i++) {
        size_t count;
        struct rl_node **nodes = rl_graph_calls(pass->graph, rl_functions[i].op, &count);
        for (size_t k = 0; k < count; k++) {
            const enum rl_status status = lower(pass, nodes[k], &rl_functions[i]);
            if (status != RL_OK) {
                return status;
            }
        }
        rl_graph_remove_dead(pass->graph);
    }
    return RL_OK;
}
