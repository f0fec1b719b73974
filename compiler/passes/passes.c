// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/passes.h"

#include <string.h>

static const struct rl_stage stages[] = {
#define RL_PASS(name, phase, when, meaning) {#name, meaning, RL_PHASE_##phase, RL_WHEN_##when, rl_pass_##name},
#include "compiler/passes/passes.def"
};

const struct rl_stage *rl_stage_at(int index)
{
    return index < (int)(sizeof stages / sizeof stages[0]) ? &stages[index] : NULL;
}

static bool is_quantized(const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_op_get(node->op)->dialect == RL_DIALECT_QUANTIZED_DECOMPOSED) {
            return true;
        }
    }
    return false;
}

bool rl_quantizes(const struct rl_pass *pass)
{
    return pass->options->quantization != RL_QUANTIZE_NONE && !is_quantized(pass->graph);
}

bool rl_quantizes_as_stock(const struct rl_pass *pass)
{
    return pass->options->quantizer == RL_QUANTIZER_STOCK && rl_quantizes(pass);
}

static bool is_wanted(const struct rl_pass *pass, enum rl_when when)
{
    switch (when) {
    case RL_WHEN_ALWAYS:
        return true;
    case RL_WHEN_FLOAT32:
        return pass->options->float32_form || pass->options->quantization != RL_QUANTIZE_NONE;
    case RL_WHEN_QUANTIZING:
        return rl_quantizes(pass);
    case RL_WHEN_QUANTIZING_BEST:
        return pass->options->quantizer == RL_QUANTIZER_BEST && rl_quantizes(pass);
    case RL_WHEN_QUANTIZING_STOCK:
        return rl_quantizes_as_stock(pass);
    case RL_WHEN_DROPPING:
        return !pass->options->keep_channels && pass->options->quantizer != RL_QUANTIZER_STOCK;
    case RL_WHEN_INT8_INTERFACE:
        return pass->options->interface == RL_INTERFACE_INT8;
    case RL_WHEN_EXPLICIT_LAYOUT:
        return pass->options->explicit_layout && !pass->is_observed;
    case RL_WHEN_PREPACKING:
        return pass->options->target.flow == RL_FLOW_RUSHLIGHT && !pass->is_observed;
    case RL_WHEN_UNOBSERVED:
        return !pass->is_observed;
    }
    return false;
}

enum rl_status rl_stage_run(struct rl_pass *pass, const struct rl_stage *stage)
{
    const struct rl_compile_options *options = pass->options;
    enum rl_status status = stage->run(pass);

    if (status == RL_OK) {
        status = rl_graph_verify(pass->context, pass->graph, stage->name);
    }
    if (status != RL_OK || !options->dump_after || strcmp(options->dump_after, stage->name) != 0) {
        return status;
    }
    return rl_graph_print(pass->context, pass->graph, options->dump_file);
}

enum rl_status rl_phases_run(struct rl_pass *pass, enum rl_phase first, enum rl_phase last)
{
    for (int i = 0; rl_stage_at(i); i++) {
        const struct rl_stage *stage = rl_stage_at(i);
        if (stage->phase < first || stage->phase > last || !is_wanted(pass, stage->when)) {
            continue;
        }
        enum rl_status status = rl_check_cancelled(pass->context);
        if (status == RL_OK) {
            status = rl_stage_run(pass, stage);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}
