// SPDX-License-Identifier: Apache-2.0
//
// decompose_attention: scaled_dot_product_attention becomes softmax(query * key' * scale + mask) * value, and a masked
// softmax the softmax of scores that are minus infinity where the mask is set. The safe softmax is 0 in rows in which
// all scores are minus infinity.
//   needs   canonical operators
//   keeps   values up to rounding; the name of the result
//   breaks  nothing
#include "compiler/passes/passes.h"

#include <math.h>

#include "compiler/passes/rewrite/attention.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    return rl_decompose_attention(pass, node, RL_OP_aten_mul_scalar);
}

static bool decompose_mask(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    if (rl_node_arg(node, "dim")->kind == RL_ARG_NONE) {
        return rl_decline(pass->graph, node, "no dimension");
    }
    const struct rl_arg fill[] = {rl_arg_value(self), rl_arg_value(rl_node_tensor(node, "mask")),
                                  rl_arg_double(-INFINITY)};
    struct rl_value *scores = rl_build(&at, RL_OP_aten_masked_fill_scalar, &self->type, fill, 3);
    const struct rl_arg args[] = {rl_arg_value(scores), rl_arg_int(rl_node_int(node, "dim")), rl_arg_bool(false)};
    rl_build_end(&at, RL_OP_aten_softmax, args, 3);
    return true;
}

static bool decompose_safe(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), self->type.rank);
    if (self->type.rank == 0 || dim < 0 || !rl_scalar_is_floating(self->type.dtype) ||
        node->results[0]->type.dtype != self->type.dtype) {
        return rl_decline(pass->graph, node, "other than floats with a dimension, or a result of another type");
    }
    struct rl_value *low = rl_build_truth(&at, RL_OP_aten_eq_scalar, self, rl_arg_double(-INFINITY));
    struct rl_tensor_type rows = rl_tensor_type_make(RL_BOOL, self->type.rank, self->type.sizes);
    rows.sizes[dim] = 1;
    const struct rl_arg all[] = {rl_arg_value(low), rl_arg_int(dim), rl_arg_bool(true)};
    struct rl_value *excluded = rl_build(&at, RL_OP_aten_all_dim, &rows, all, 3);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim), rl_arg_bool(false)};
    struct rl_value *softmax = rl_build(&at, RL_OP_aten_softmax, &self->type, args, 3);
    const struct rl_arg fill[] = {rl_arg_value(softmax), rl_arg_value(excluded), rl_arg_double(0.0)};
    rl_build_end(&at, RL_OP_aten_masked_fill_scalar, fill, 3);
    return true;
}

enum rl_status rl_pass_decompose_attention(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_scaled_dot_product_attention, decompose);
    rl_lower_each(pass, RL_OP_aten_masked_softmax, decompose_mask);
    rl_lower_each(pass, RL_OP_aten_safe_softmax, decompose_safe);
    return RL_OK;
}
