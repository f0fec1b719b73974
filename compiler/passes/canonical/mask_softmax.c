// SPDX-License-Identifier: Apache-2.0
//
// mask_softmax: attention becomes products of matrices and a softmax, and scores that a mask removes before a softmax
// become arguments of that softmax.
//   needs   canonical operators; masks as constants where they are (fold_constants)
//   keeps   values up to rounding; the names of the results
//   breaks  nothing
//
//   scaled_dot_product_attention                            softmax(query * key' * scale + mask) * value
//   softmax(masked_fill(x, m, -inf)), softmax(where(...))   _masked_softmax(x, m)
//   softmax(x + c), c a constant with -inf                  _masked_softmax(x + rest of c, c is -inf)
//   softmax(x + p), p a mask in numbers (mask_parts)        _masked_softmax(x + rest of p, p is -inf)
//
// No grid of 256 steps holds scores and minus infinity. A softmax that takes the mask beside the scores leaves the
// scores a grid of their own. Runs only if the graph will be quantized.
#include "compiler/passes/passes.h"

#include "compiler/passes/canonical/mask_parts.h"
#include "compiler/passes/rewrite/attention.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

// The tensor that a view of the scores shows, with the same last dimension.
static struct rl_value *behind_view(const struct rl_graph *graph, struct rl_value *value)
{
    if (value->kind != RL_VALUE_RESULT || value->producer->op != RL_OP_aten_view_copy ||
        !rl_value_only_user(graph, value)) {
        return value;
    }
    struct rl_value *viewed = value->producer->args[0].as.value;
    const struct rl_tensor_type *from = &viewed->type, *to = &value->type;
    return from->rank > 0 && from->sizes[from->rank - 1] == to->sizes[to->rank - 1] ? viewed : value;
}

static bool mask_softmax(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *input = node->args[0].as.value;
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), input->type.rank);
    if (dim < 0 || input->type.dtype != RL_FLOAT32 || rl_node_bool(node, "half_to_float")) {
        return false;
    }
    struct rl_value *masked = dim == input->type.rank - 1 ? behind_view(pass->graph, input) : input;
    if (masked->kind != RL_VALUE_RESULT || !rl_value_only_user(pass->graph, masked)) {
        return false;
    }
    const struct rl_mask_parts parts = rl_mask_parts(&at, masked);
    if (!parts.mask || !parts.rest || !rl_tensor_same_sizes(&parts.rest->type, &masked->type)) {
        return false;
    }
    const struct rl_arg args[] = {rl_arg_value(parts.rest), rl_arg_value(parts.mask),
                                  rl_arg_int(masked == input ? dim : masked->type.rank - 1)};
    if (masked == input) {
        rl_build_end(&at, RL_OP_aten_masked_softmax, args, 3);
    } else {
        rl_build_end_view(&at, rl_build(&at, RL_OP_aten_masked_softmax, &parts.rest->type, args, 3));
    }
    return true;
}

static bool decompose(const struct rl_pass *pass, struct rl_node *node)
{
    return rl_decompose_attention(pass, node, RL_OP_aten_mul);
}

enum rl_status rl_pass_mask_softmax(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_scaled_dot_product_attention, decompose);
    rl_lower_each(pass, RL_OP_aten_softmax, mask_softmax);
    return RL_OK;
}
