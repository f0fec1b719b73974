// SPDX-License-Identifier: Apache-2.0
//
// clamp_hardswish: what hardswish takes is clamped to -3 and above before it is quantized, because hardswish is zero
// below. The grid then spends no steps on numbers that make no difference. The stock quantizer does so.
//   needs   functional operators
//   keeps   values, exactly; the name of hardswish's result
//   breaks  nothing
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static bool clamp_operand(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *value = rl_node_tensor(node, "self");
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_int(-3)};
    rl_node_set(node, "self", rl_arg_value(rl_build(&at, RL_OP_aten_clamp, &value->type, args, 2)));
    return true;
}

enum rl_status rl_pass_clamp_hardswish(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_hardswish, clamp_operand);
    return RL_OK;
}
