// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/gate.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

bool rl_decompose_glu(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "self");
    const int dim = rl_dim_normalized(rl_node_int(node, "dim"), x->type.rank);
    if (dim < 0 || x->type.sizes[dim] % 2 != 0) {
        return rl_decline(pass->graph, node, "a dimension that cannot be halved");
    }
    const int64_t half = x->type.sizes[dim] / 2;
    struct rl_value *value = rl_build_slice(&at, x, dim, 0, half);
    struct rl_value *gate = rl_build_slice(&at, x, dim, half, 2 * half);
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_value(rl_build_unary(&at, RL_OP_aten_sigmoid, gate))};
    rl_build_end(&at, RL_OP_aten_mul, args, 2);
    return true;
}
