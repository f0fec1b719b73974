// SPDX-License-Identifier: Apache-2.0
//
// Floats that become integers: positions counted by a cumulative sum, codes, sizes. Values on a grid of 256 steps give
// other results when they are cut to integers or compared for equality. So all values that lead there through
// arithmetic and movement stay in floating point. The search ends at layers with weights, pools and functions with an
// integer kernel, whose results are approximations anyway.
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/patterns.h"

static bool needs_every_bit(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    return op->needs_every_bit || (op->converts && !rl_scalar_is_floating(node->results[0]->type.dtype));
}

// Whether a result that must be exact needs exact operands.
static bool hands_on(enum rl_op_id op)
{
    const struct rl_pattern *pattern = rl_pattern_find(op);
    return !pattern || pattern->exact;
}

static bool makes_exact(const struct rl_site *site)
{
    for (int i = 0; i < site->result_count; i++) {
        if (site->results[i].exact) {
            return hands_on(site->node->op);
        }
    }
    return false;
}

static void want_operands(const struct rl_annotation *annotation, const struct rl_site *site)
{
    for (int i = 0; i < site->use_count; i++) {
        struct rl_point *made = rl_annotation_made(annotation, site->uses[i].value);
        if (made) {
            made->exact = true;
        }
    }
}

// Goes from last to first, so that the users of a value come before its node.
void rl_annotation_keep_exact(struct rl_annotation *annotation)
{
    for (int i = annotation->site_count - 1; i >= 0; i--) {
        struct rl_site *site = &annotation->sites[i];
        const bool keeps = needs_every_bit(site->node) || makes_exact(site);
        if (!keeps) {
            continue;
        }
        want_operands(annotation, site);
        site->annotated = true; // with no grid at all
        if (!site->node->reason && site->use_count + site->result_count > 0) {
            site->node->reason = "its values become integers or are tested for equality, and need every bit";
        }
    }
}
