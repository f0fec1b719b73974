// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/sums.h"

#include "compiler/passes/rewrite/multiplier.h"
#include "compiler/passes/rewrite/rewrite.h"

struct sum {
    int64_t least, most;
};

// Adds what each weight makes of inputs from `low` to `high`. Tensors have too few elements for 64 bits to overflow.
static void add_products(const struct rl_weights *weights, int64_t low, int64_t high, struct sum *sums)
{
    const int64_t count = rl_tensor_numel(&weights->value->type);
    for (int64_t i = 0; i < count; i++) {
        const int64_t weight = rl_weight(weights, i);
        struct sum *sum = &sums[rl_weight_channel(weights, i)];
        sum->least += weight * (weight > 0 ? low : high);
        sum->most += weight * (weight > 0 ? high : low);
    }
}

static bool fits(const struct sum *sum, int shift)
{
    const int64_t room = INT64_C(1) << (shift > 0 ? 31 - shift : 31);
    return sum->least >= -room && sum->most < room;
}

void rl_prove_sums(const struct rl_pass *pass, const struct rl_node *lowered, const struct rl_match *match,
                   const struct rl_weights *weights, const struct rl_value *bias)
{
    const struct rl_grid *grid = &match->operands[0].grid;
    struct sum *sums = rl_arena_array(pass->graph->arena, (size_t)weights->channels, sizeof *sums);
    int64_t first = -1, count = 0;
    for (int64_t c = 0; c < weights->channels; c++) {
        const int64_t start = bias ? ((const int32_t *)bias->data)[c] : 0;
        sums[c] = (struct sum){start, start};
    }
    add_products(weights, INT8_MIN - grid->zero_point, INT8_MAX - grid->zero_point, sums);
    for (int64_t c = weights->channels - 1; c >= 0; c--) {
        if (!fits(&sums[c], rl_multiplier_of(grid->scale * weights->scales[c] / match->output.scale).shift)) {
            first = c;
            count++;
        }
    }
    if (count > 0) {
        rl_log(
            pass->context, RL_LOG_WARNING,
            "%s: node '%s' (%s): the sums of %lld output channels can leave int32 and wrap; the first is channel "
            "%lld, whose sums go from %lld to %lld; a larger scale of its weights or of the output keeps them inside",
            pass->graph->source, lowered->name, rl_op_get(lowered->op)->name, (long long)count, (long long)first,
            (long long)sums[first].least, (long long)sums[first].most);
    }
}
