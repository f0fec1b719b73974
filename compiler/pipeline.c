// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline.h"

#include "compiler/passes/passes.h"
#include "compiler/plan/alias.h"
#include "compiler/read/pt2.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

enum rl_status rl_pass_read(struct rl_pass *pass)
{
    return rl_pt2_read(pass->context, pass->arena, pass->options->model, &pass->options->shapes, &pass->graph);
}

enum rl_status rl_compile_front(struct rl_context *context, struct rl_arena *arena, const char *model,
                                const struct rl_input_shapes *shapes, const struct rl_target *target,
                                struct rl_graph **graph)
{
    const struct rl_compile_options options = {
        .model = model, .shapes = *shapes, .target = *target, .quantization = RL_QUANTIZE_NONE, .float32_form = true};
    struct rl_pass pass = {.context = context, .arena = arena, .options = &options};
    const enum rl_status status = rl_phases_run(&pass, RL_PHASE_READ, RL_PHASE_CANONICAL);

    *graph = pass.graph;
    return status;
}

// Verifies the program with the runtime. Shapes in the file may contradict one another in ways that only the verifier
// notices, and no pass.
static enum rl_status prove(struct rl_context *context, const char *model, const struct rl_emitted *emitted)
{
    struct rl_error error = {.instruction = -1};
    struct rl_program program;
    enum rl_status status = rl_program_open(&program, emitted->file, emitted->size, &error);

    if (status == RL_OK) {
        status = rl_program_verify(&program, &rl_registry_all, &error);
    }
    if (status == RL_OK) {
        return RL_OK;
    }
    const bool known = error.instruction >= 0 && error.instruction < emitted->instruction_count;
    const struct rl_node *node = known ? emitted->nodes[error.instruction] : NULL;
    return rl_fail(context, status,
                   "%s: node '%s' (%s): the runtime refuses what it became: %s; either the shapes in the file "
                   "contradict one another, or this is an error of the compiler (please report it)",
                   model, node ? node->name : "(none)", node ? rl_op_get(node->op)->name : "the program",
                   error.message);
}

static enum rl_status plan(const struct rl_pass *pass, struct rl_memory_plan *result)
{
    const uint64_t most = pass->options->max_arena;
    const bool reuses = pass->options->target.flow != RL_FLOW_EXECUTORCH; // whose operators do not promise to bear it
    const enum rl_status status = rl_plan_memory(pass->context, pass->arena, pass->graph, reuses, result);

    if (status != RL_OK || most == 0 || result->sizes.arena_bytes <= most) {
        return status;
    }
    return rl_fail(pass->context, RL_ERROR_MEMORY,
                   "%s: expected an arena of at most %llu bytes, found that it needs %zu", pass->options->model,
                   (unsigned long long)most, result->sizes.arena_bytes);
}

enum rl_status rl_compile(struct rl_context *context, struct rl_arena *arena, const struct rl_compile_options *options,
                          struct rl_compiled *compiled)
{
    struct rl_pass pass = {.context = context, .arena = arena, .options = options};

    if (options->winograd && (options->target.isa != RL_ISA_DSP || options->target.flow != RL_FLOW_RUSHLIGHT)) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED,
                       "--winograd: transformed weights are for Rushlight's runtime on cores with DSP instructions and "
                       "without Helium; accepted: --target cortex-m4, cortex-m7, cortex-m33, cortex-m35p");
    }
    enum rl_status status = rl_phases_run(&pass, RL_PHASE_READ, RL_PHASE_PLAN);

    compiled->graph = pass.graph;
    compiled->quantizer_report = pass.quantizer_report;
    compiled->dropped = pass.dropped;
    if (status != RL_OK) {
        return status;
    }
    status = plan(&pass, &compiled->plan);
    if (status != RL_OK) {
        return status;
    }
    status = options->leaves_out_names
                 ? rl_emit_pte(context, arena, compiled->graph, &compiled->plan, &compiled->emitted)
                 : rl_emit_named_pte(context, arena, compiled->graph, &compiled->plan, &compiled->emitted);
    if (status != RL_OK) {
        return status;
    }
    return prove(context, options->model, &compiled->emitted);
}

const char *rl_float_reason(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    bool is_float = false;

    for (int i = 0; i < node->arg_count; i++) {
        is_float |= node->args[i].kind == RL_ARG_VALUE && node->args[i].as.value->type.dtype == RL_FLOAT32;
    }
    for (int i = 0; i < node->result_count; i++) {
        is_float |= node->results[i]->type.dtype == RL_FLOAT32;
    }
    // Conversions to and from floating point, views, our own copies and those to a state compute nothing.
    const bool moves = rl_alias_source(node) || op->in_place_of;
    if (!is_float || moves || rl_op_is_quantized(op) || op->dialect == RL_DIALECT_DIM_ORDER) {
        return NULL;
    }
    return node->reason ? node->reason : "nothing around it is quantized";
}
