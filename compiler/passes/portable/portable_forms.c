// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/portable/portable_forms.h"

#include <string.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// ---- other arguments

// The sizes of the parts are those that the results have.
static bool lower_even_split(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_arg self = node->args[0];
    const int rank = self.as.value->type.rank;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), rank);
    if (dim < 0) {
        return rl_decline(graph, node, "a dimension out of range");
    }
    int64_t *sizes = rl_arena_array(graph->arena, (size_t)node->result_count, sizeof *sizes);
    for (int i = 0; i < node->result_count; i++) {
        sizes[i] = node->results[i]->type.sizes[dim];
    }
    rl_node_become(graph, node, RL_OP_aten_split_with_sizes_copy);
    rl_node_set(node, "self", self);
    rl_node_set(node, "split_sizes", rl_arg_ints(graph->arena, sizes, node->result_count));
    rl_node_set(node, "dim", rl_arg_int(dim));
    return true;
}

static bool lower_log_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg self = node->args[0];
    const int64_t dim = rl_node_int(node, "dim");
    if (node->results[0]->type.dtype != self.as.value->type.dtype) {
        return rl_decline(pass->graph, node, "converts its input to another type");
    }
    rl_node_become(pass->graph, node, RL_OP_aten_log_softmax_internal);
    rl_node_set(node, "self", self);
    rl_node_set(node, "dim", rl_arg_int(dim));
    rl_node_set(node, "half_to_float", rl_arg_bool(false));
    return true;
}

// The native form also returns mean and deviation of each row.
static bool lower_layer_norm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_node old = *node;
    const struct rl_arg *shape = rl_node_arg(&old, "normalized_shape");
    struct rl_tensor_type rows = rl_node_tensor(&old, "input")->type;
    if (shape->count > rows.rank) {
        return rl_decline(graph, node, "normalizes more dimensions than its input has");
    }
    for (int i = rows.rank - shape->count; i < rows.rank; i++) {
        rows.sizes[i] = 1;
    }
    rl_node_become(graph, node, RL_OP_aten_native_layer_norm);
    for (int i = 0; i < node->arg_count; i++) {
        node->args[i] = *rl_node_arg(&old, rl_op_get(node->op)->args[i].name);
    }
    rl_node_append_result(graph, node, "mean", &rows);
    rl_node_append_result(graph, node, "rstd", &rows);
    return true;
}

// The type of the result gives the type to convert to.
static void lower_conversions(struct rl_graph *graph)
{
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_op_get(node->op)->converts) {
            rl_node_become_layout_copy(graph, node, node->args[0].as.value);
            node->op = RL_OP_dim_order_to_copy; // the schemas are the same
        }
    }
}

// A number as a tensor of no dimensions; a tensor stays what it is.
static bool as_tensor(struct rl_graph *graph, const struct rl_node *node, const char *name, struct rl_arg *tensor)
{
    *tensor = *rl_node_arg(node, name);
    if (tensor->kind == RL_ARG_VALUE) {
        return true;
    }
    const struct rl_tensor_type type = rl_tensor_type_make(node->results[0]->type.dtype, 0, NULL);
    unsigned char *data = rl_arena_alloc(graph->arena, sizeof(int64_t));
    const char *constant = rl_arena_format(graph->arena, "%s_%s", node->name, name);
    if (!rl_store_number(data, type.dtype, rl_node_number(node, name))) {
        return false;
    }
    *tensor = rl_arg_value(rl_graph_add_constant(graph, constant, &type, data));
    return true;
}

static bool lower_where(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_arg condition = node->args[0];
    struct rl_arg self;
    struct rl_arg other;
    if (!as_tensor(graph, node, "self", &self) || !as_tensor(graph, node, "other", &other)) {
        return rl_decline(graph, node, "a number of a type that has no constants here");
    }
    rl_node_become(graph, node, RL_OP_aten_where_self);
    rl_node_set(node, "condition", condition);
    rl_node_set(node, "self", self);
    rl_node_set(node, "other", other);
    return true;
}

static bool lower_masked_fill(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_arg self = node->args[0], mask = node->args[1], value = node->args[2];
    rl_node_become(pass->graph, node, RL_OP_aten_where_self);
    rl_node_set(node, "condition", mask);
    rl_node_set(node, "self", value);
    rl_node_set(node, "other", self);
    return true;
}

// ---- expressions of other operators

// self * sigmoid(self)
static bool lower_silu(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_arg self = node->args[0];
    struct rl_node *gate =
        rl_insert_before(graph, node, RL_OP_aten_sigmoid, rl_arena_format(graph->arena, "%s_gate", node->name), node,
                         &self.as.value->type);
    rl_node_set(gate, "self", self);
    rl_node_become(graph, node, RL_OP_aten_mul);
    rl_node_set(node, "self", self);
    rl_node_set(node, "other", rl_arg_value(gate->results[0]));
    return true;
}

// hardtanh(self + 3, 0, 6) before `node`
static struct rl_value *insert_ramp(struct rl_graph *graph, struct rl_node *node, struct rl_arg self)
{
    const struct rl_tensor_type *type = &self.as.value->type;
    struct rl_node *shifted = rl_insert_before(graph, node, RL_OP_aten_add_scalar,
                                               rl_arena_format(graph->arena, "%s_shifted", node->name), node, type);
    rl_node_set(shifted, "self", self);
    rl_node_set(shifted, "other", rl_arg_int(3));
    rl_node_set(shifted, "alpha", rl_arg_int(1));
    struct rl_node *ramp = rl_insert_before(graph, node, RL_OP_aten_hardtanh,
                                            rl_arena_format(graph->arena, "%s_ramp", node->name), node, type);
    rl_node_set(ramp, "self", rl_arg_value(shifted->results[0]));
    rl_node_set(ramp, "min_val", rl_arg_double(0.0));
    rl_node_set(ramp, "max_val", rl_arg_double(6.0));
    return ramp->results[0];
}

static bool lower_hardsigmoid(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_value *ramp = insert_ramp(pass->graph, node, node->args[0]);
    rl_node_become(pass->graph, node, RL_OP_aten_div_scalar);
    rl_node_set(node, "self", rl_arg_value(ramp));
    rl_node_set(node, "other", rl_arg_int(6));
    return true;
}

// self * hardtanh(self + 3, 0, 6) / 6
static bool lower_hardswish(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    const struct rl_arg self = node->args[0];
    struct rl_value *ramp = insert_ramp(graph, node, self);
    struct rl_node *product =
        rl_insert_before(graph, node, RL_OP_aten_mul, rl_arena_format(graph->arena, "%s_product", node->name), node,
                         &self.as.value->type);
    rl_node_set(product, "self", self);
    rl_node_set(product, "other", rl_arg_value(ramp));
    rl_node_become(graph, node, RL_OP_aten_div_scalar);
    rl_node_set(node, "self", rl_arg_value(product->results[0]));
    rl_node_set(node, "other", rl_arg_int(6));
    return true;
}

// The tensor as a matrix [rows, columns], whose columns are its last dimension.
static struct rl_value *as_matrix(const struct rl_build *at, struct rl_value *value)
{
    const struct rl_tensor_type *type = &value->type;
    const int64_t columns = type->sizes[type->rank - 1];
    const int64_t sizes[2] = {columns > 0 ? rl_tensor_numel(type) / columns : 0, columns};
    return type->rank == 2 ? value : rl_build_view(at, value, 2, sizes);
}

// ExecuTorch's portable library does not have linear. It becomes mm, or addmm if there is a bias, of a matrix and the
// transposed weight.
static bool lower_linear(const struct rl_pass *pass, struct rl_node *node)
{
    static const int swap[2] = {1, 0};
    static const int64_t swap_dims[2] = {1, 0};
    struct rl_graph *graph = pass->graph;
    const struct rl_build at = {graph, node};
    struct rl_value *input = rl_node_tensor(node, "input"), *weight = rl_node_tensor(node, "weight");
    const struct rl_arg bias = *rl_node_arg(node, "bias");
    if (pass->options->target.flow != RL_FLOW_EXECUTORCH) {
        return false;
    }
    if (input->type.rank == 0 || weight->type.rank != 2) {
        return rl_decline(graph, node, "a linear layer without a matrix of weights");
    }
    struct rl_value *rows = as_matrix(&at, input);
    struct rl_value *columns = weight->kind == RL_VALUE_CONSTANT
                                   ? rl_constant_permuted(graph, weight, swap, weight->name)
                                   : rl_build_permute(&at, weight, swap_dims);
    const int64_t sizes[2] = {rows->type.sizes[0], columns->type.sizes[1]};
    const struct rl_tensor_type type = rl_tensor_type_make(input->type.dtype, 2, sizes);
    const struct rl_arg args[] = {bias, rl_arg_value(rows), rl_arg_value(columns), rl_arg_int(1), rl_arg_int(1)};
    const bool has_bias = bias.kind == RL_ARG_VALUE;
    const enum rl_op_id op = has_bias ? RL_OP_aten_addmm : RL_OP_aten_mm;
    const struct rl_arg *first = has_bias ? args : args + 1;
    const int count = has_bias ? 5 : 2;
    if (rows == input) {
        rl_build_end(&at, op, first, count);
    } else {
        rl_build_end_view(&at, rl_build(&at, op, &type, first, count));
    }
    return true;
}

void rl_portable_forms(const struct rl_pass *pass)
{
    static const struct rl_lowering table[] = {
        {RL_OP_aten_split_tensor, lower_even_split},
        {RL_OP_aten_chunk, lower_even_split},
        {RL_OP_aten_log_softmax_int, lower_log_softmax},
        {RL_OP_aten_layer_norm, lower_layer_norm},
        {RL_OP_aten_where_scalarself, lower_where},
        {RL_OP_aten_where_scalarother, lower_where},
        {RL_OP_aten_where_scalar, lower_where},
        {RL_OP_aten_masked_fill_tensor, lower_masked_fill},
        {RL_OP_aten_silu, lower_silu},
        {RL_OP_aten_hardsigmoid, lower_hardsigmoid},
        {RL_OP_aten_hardswish, lower_hardswish},
    };

    rl_lower_each(pass, RL_OP_aten_linear, lower_linear);
    rl_portable_arrangements(pass);
    for (struct rl_node *node = pass->graph->first; node; node = node->next) {
        rl_lower_to_form(pass, node);
    }
    lower_conversions(pass->graph);
    rl_lower_table(pass, table, sizeof table / sizeof table[0]);
}
