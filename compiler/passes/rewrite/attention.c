// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/attention.h"

#include <math.h>

#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { LONGEST_SEQUENCE = 4096 };

// [batch, rows, columns]. `heads` heads that follow one another, of which each has the same keys, become one with the
// rows of all.
static struct rl_value *as_batch(const struct rl_build *at, struct rl_value *value, int64_t heads)
{
    const struct rl_tensor_type *type = &value->type;
    int64_t sizes[3] = {1, type->sizes[type->rank - 2] * heads, type->sizes[type->rank - 1]};
    for (int d = 0; d + 2 < type->rank; d++) {
        sizes[0] *= type->sizes[d];
    }
    sizes[0] /= heads;
    return type->rank == 3 && heads == 1 ? value : rl_build_view(at, value, 3, sizes);
}

// A mask that is 0 where a key is not behind its query, else minus infinity.
static struct rl_value *causal_mask(const struct rl_build *at, int64_t rows, int64_t columns)
{
    const int64_t sizes[3] = {1, rows, columns};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 3, sizes);
    float *data = rl_arena_array(at->graph->arena, (size_t)(rows * columns), sizeof *data);
    for (int64_t i = 0; i < rows * columns; i++) {
        data[i] = i % columns > i / columns ? -INFINITY : 0.0f;
    }
    return rl_graph_add_constant(at->graph, rl_arena_format(at->graph->arena, "%s_mask", at->node->name), &type, data);
}

// Whether all dimensions but the last `rest` are equal.
static bool has_same_batch(const struct rl_tensor_type *a, const struct rl_tensor_type *b, int rest)
{
    for (int d = 0; d + rest < a->rank; d++) {
        if (a->sizes[d] != b->sizes[d]) {
            return false;
        }
    }
    return a->rank == b->rank;
}

// How many heads of the query share a head of keys and values: one, or more with enable_gqa. 0: they do not fit.
static int64_t count_sharing_heads(const struct rl_node *node)
{
    const struct rl_tensor_type *query = &rl_node_tensor(node, "query")->type;
    const struct rl_tensor_type *key = &rl_node_tensor(node, "key")->type;
    if (query->rank < 3 || has_same_batch(query, key, 2)) {
        return query->rank >= 3;
    }
    const int64_t heads = query->sizes[query->rank - 3];
    const bool is_grouped = rl_node_bool(node, "enable_gqa") && query->rank >= 4 && has_same_batch(query, key, 3);
    const int64_t of_keys = is_grouped ? key->sizes[query->rank - 3] : 0;
    return of_keys > 0 && heads % of_keys == 0 ? heads / of_keys : 0;
}

static bool is_plain(const struct rl_node *node)
{
    const struct rl_tensor_type *query = &rl_node_tensor(node, "query")->type;
    const struct rl_tensor_type *key = &rl_node_tensor(node, "key")->type;
    const struct rl_tensor_type *value = &rl_node_tensor(node, "value")->type;
    const int rank = query->rank;
    return query->dtype == RL_FLOAT32 && count_sharing_heads(node) > 0 && has_same_batch(key, value, 2) &&
           query->sizes[rank - 1] == key->sizes[rank - 1] && key->sizes[rank - 2] == value->sizes[rank - 2] &&
           query->sizes[rank - 1] > 0 && query->sizes[rank - 2] <= LONGEST_SEQUENCE &&
           key->sizes[rank - 2] <= LONGEST_SEQUENCE && rl_node_number(node, "dropout_p") == 0.0;
}

// Minus infinity where a mask of bools is false.
static struct rl_value *select_scores(const struct rl_build *at, struct rl_value *scores, struct rl_value *mask)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 0, NULL);
    float *data = rl_arena_alloc(at->graph->arena, sizeof *data);
    *data = -INFINITY;
    const char *name = rl_arena_format(at->graph->arena, "%s_masked", at->node->name);
    const struct rl_arg args[] = {rl_arg_value(mask), rl_arg_value(scores),
                                  rl_arg_value(rl_graph_add_constant(at->graph, name, &type, data))};
    return rl_build(at, RL_OP_aten_where_self, &scores->type, args, 3);
}

// Applies a mask, which is broadcast to [batch..., rows, columns]: adds floats, or selects by bools.
static struct rl_value *masked(const struct rl_build *at, struct rl_value *scores, struct rl_value *mask)
{
    const struct rl_tensor_type *query = &rl_node_tensor(at->node, "query")->type;
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0; d < query->rank; d++) {
        sizes[d] = query->sizes[d];
    }
    sizes[query->rank - 1] = scores->type.sizes[2];
    const int64_t flat[3] = {scores->type.sizes[0], scores->type.sizes[1], scores->type.sizes[2]};
    struct rl_value *wide = rl_build_view(at, scores, query->rank, sizes);
    struct rl_value *chosen =
        mask->type.dtype == RL_BOOL ? select_scores(at, wide, mask) : rl_build_binary(at, RL_OP_aten_add, wide, mask);
    return rl_build_view(at, chosen, 3, flat);
}

// A product with a number, as a float program or as the quantizer wants it.
static struct rl_value *scaled(const struct rl_build *at, struct rl_value *scores, double scale, enum rl_op_id times)
{
    return times == RL_OP_aten_mul_scalar ? rl_build_scalar(at, times, scores, scale)
                                          : rl_build_binary(at, times, scores, rl_build_constant(at, 0, NULL, scale));
}

bool rl_may_exclude_rows(const struct rl_value *mask)
{
    const bool is_bool = mask->type.dtype == RL_BOOL;
    if (mask->kind != RL_VALUE_CONSTANT || rl_value_is_state(mask) || !rl_tensor_is_contiguous(&mask->type) ||
        (!is_bool && mask->type.dtype != RL_FLOAT32)) {
        return true;
    }
    const int64_t count = rl_tensor_numel(&mask->type);
    const int64_t columns = mask->type.rank > 0 ? mask->type.sizes[mask->type.rank - 1] : 1;
    for (int64_t row = 0; row < count; row += columns) {
        bool excludes = true;
        for (int64_t i = row; i < row + columns && excludes; i++) {
            excludes = is_bool ? !((const unsigned char *)mask->data)[i] : ((const float *)mask->data)[i] == -INFINITY;
        }
        if (excludes) {
            return true;
        }
    }
    return false;
}

bool rl_decompose_attention(const struct rl_pass *pass, struct rl_node *node, enum rl_op_id times)
{
    static const int64_t swap[3] = {0, 2, 1};
    const struct rl_build at = {pass->graph, node};
    struct rl_value *mask = rl_node_tensor(node, "attn_mask");
    if (!is_plain(node) || (mask && mask->type.dtype != RL_FLOAT32 && mask->type.dtype != RL_BOOL)) {
        return rl_decline(pass->graph, node,
                          "attention with dropout, other batches of keys or values, or a mask of another type; "
                          "accepted: equal batches, or heads in groups with enable_gqa, masks of float32 or bool, up "
                          "to %d steps",
                          LONGEST_SEQUENCE);
    }
    const int64_t heads = count_sharing_heads(node);
    struct rl_value *query = as_batch(&at, rl_node_tensor(node, "query"), heads);
    struct rl_value *key = as_batch(&at, rl_node_tensor(node, "key"), 1);
    struct rl_value *value = as_batch(&at, rl_node_tensor(node, "value"), 1);
    const double scale = rl_node_arg(node, "scale")->kind == RL_ARG_NONE ? 1.0 / sqrt((double)query->type.sizes[2])
                                                                         : rl_node_number(node, "scale");
    struct rl_value *scores = rl_build_product(&at, RL_OP_aten_bmm, query, rl_build_permute(&at, key, swap));
    scores = scaled(&at, scores, scale, times);
    if (rl_node_bool(node, "is_causal")) {
        struct rl_value *past = causal_mask(&at, scores->type.sizes[1] / heads, scores->type.sizes[2]);
        scores = heads == 1 ? rl_build_binary(&at, RL_OP_aten_add, scores, past) : masked(&at, scores, past);
    }
    if (mask) {
        scores = masked(&at, scores, mask);
    }
    const bool is_safe = mask && (rl_node_bool(node, "is_causal") || rl_may_exclude_rows(mask));
    const struct rl_arg args[] = {rl_arg_value(scores), rl_arg_int(2), rl_arg_bool(false)};
    struct rl_value *weights = is_safe ? rl_build(&at, RL_OP_aten_safe_softmax, &scores->type, args, 2)
                                       : rl_build(&at, RL_OP_aten_softmax, &scores->type, args, 3);
    rl_build_end_view(&at, rl_build_product(&at, RL_OP_aten_bmm, weights, value));
    return true;
}
