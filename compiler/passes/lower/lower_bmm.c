// SPDX-License-Identifier: Apache-2.0
//
// lower_bmm: quantized products of batches of matrices become cortex_m::quantized_batch_matmul.
//   needs   activations fused into the quantize node (fuse_activation)
//   keeps   values, to the rounding of the integer kernel; the name of the quantized value
//   breaks  nothing
//
// The kernel reads rows of both matrices, so the second one is transposed before it. Its two zero point arguments are
// offsets, that is, the zero points with the other sign, as ExecuTorch writes them.
//   factor = scale * scale / output scale
#include "compiler/passes/passes.h"

#include "compiler/passes/rewrite/match.h"
#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *transposed(struct rl_graph *graph, struct rl_node *before, struct rl_value *value)
{
    static const int64_t swap[3] = {0, 2, 1};
    const int64_t sizes[3] = {value->type.sizes[0], value->type.sizes[2], value->type.sizes[1]};
    const struct rl_tensor_type type = rl_tensor_type_make(value->type.dtype, 3, sizes);
    struct rl_node *permute =
        rl_insert_before(graph, before, RL_OP_aten_permute_copy,
                         rl_arena_format(graph->arena, "%s_transposed", value->name), before, &type);
    rl_node_set(permute, "self", rl_arg_value(value));
    rl_node_set(permute, "dims", rl_arg_ints(graph->arena, swap, 3));
    return permute->results[0];
}

static bool goes_together(const struct rl_tensor_type *a, const struct rl_tensor_type *b,
                          const struct rl_tensor_type *out)
{
    return a->rank == 3 && b->rank == 3 && out->rank == 3 && a->sizes[0] == b->sizes[0] && a->sizes[2] == b->sizes[1] &&
           out->sizes[0] == a->sizes[0] && out->sizes[1] == a->sizes[1] && out->sizes[2] == b->sizes[2];
}

static bool lower_bmm(const struct rl_pass *pass, struct rl_node *node)
{
    struct rl_graph *graph = pass->graph;
    struct rl_match match;
    if (!rl_match(graph, node, 2, &match)) {
        return false;
    }
    if (!goes_together(&match.operands[0].value->type, &match.operands[1].value->type, &node->results[0]->type)) {
        return rl_decline(graph, node, "operands whose sizes do not fit each other");
    }
    const struct rl_grid *a = &match.operands[0].grid;
    const struct rl_grid *b = &match.operands[1].grid;
    const struct rl_multiplier factor = rl_multiplier_of(a->scale * b->scale / match.output.scale);
    struct rl_node *lowered = rl_match_replace(graph, &match, RL_OP_cm_quantized_batch_matmul);
    rl_node_set(lowered, "lhs", rl_arg_value(match.operands[0].value));
    rl_node_set(lowered, "lhs_zero_point", rl_arg_int(-a->zero_point));
    rl_node_set(lowered, "rhs_transposed", rl_arg_value(transposed(graph, lowered, match.operands[1].value)));
    rl_node_set(lowered, "rhs_zero_point", rl_arg_int(-b->zero_point));
    rl_node_set(lowered, "output_zero_point", rl_arg_int(match.output.zero_point));
    rl_node_set(lowered, "output_multiplier", rl_arg_int(factor.multiplier));
    rl_node_set(lowered, "output_shift", rl_arg_int(factor.shift));
    rl_set_scratch(graph, lowered);
    rl_match_clamp(graph, &match, lowered);
    return true;
}

enum rl_status rl_pass_lower_bmm(struct rl_pass *pass)
{
    rl_lower_each(pass, RL_OP_aten_bmm, lower_bmm);
    return RL_OK;
}
