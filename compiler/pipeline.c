// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline.h"

#include <string.h>

#include "compiler/data/dataset.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/alias.h"
#include "compiler/plan/scratch.h"
#include "compiler/read/pt2.h"
#include "rushlight/runtime.h"

struct stage {
    const char *name;
    rl_pass_run *run;
};

// What the file says, in one spelling.
static const struct stage front[] = {
    {"functionalize", rl_pass_functionalize},
    {"forward_parts", rl_pass_forward_parts},
    {"recompose", rl_pass_recompose},
    {"resolve_padding", rl_pass_resolve_padding},
    {"fold_creation", rl_pass_fold_creation},
    {"fold_weight_norm", rl_pass_fold_weight_norm},
    {"canonicalize", rl_pass_canonicalize},
    {"decompose_movement", rl_pass_decompose_movement},
    {"decompose_gather", rl_pass_decompose_gather},
    {"decompose_einsum", rl_pass_decompose_einsum},
    {"decompose_product", rl_pass_decompose_product},
    {"remove_identity", rl_pass_remove_identity},
    {"add_batch", rl_pass_add_batch}, // images and sequences without one
    {"fold_batch_norm", rl_pass_fold_batch_norm},
    {"convolve_batch_norm", rl_pass_convolve_batch_norm}, // where the best quantizer follows
    {"widen_1d", rl_pass_widen_1d},
    {"decompose_mean", rl_pass_decompose_mean},
};

// ... here a float model is quantized ("quantize") ...

// What a core executes.
static const struct stage back[] = {
    {"fold_quantize", rl_pass_fold_quantize},
    {"fuse_padding", rl_pass_fuse_padding},
    {"lower_data_movement", rl_pass_lower_data_movement},
    {"fuse_activation", rl_pass_fuse_activation},
    {"lower_pool", rl_pass_lower_pool},
    {"fuse_requantize", rl_pass_fuse_requantize},
    {"lower_conv", rl_pass_lower_conv},
    {"lower_transposed_conv", rl_pass_lower_transposed_conv},
    {"fuse_uneven_padding", rl_pass_fuse_uneven_padding},
    {"lower_linear", rl_pass_lower_linear},
    {"lower_add", rl_pass_lower_add},
    {"lower_mul", rl_pass_lower_mul},
    {"lower_bmm", rl_pass_lower_bmm},
    {"lower_softmax", rl_pass_lower_softmax},
    {"lower_activation", rl_pass_lower_activation},
    {"lower_quantize", rl_pass_lower_quantize},
    {"quantize_interface", rl_pass_quantize_interface}, // with RL_INTERFACE_INT8 only
    {"decompose_recurrent", rl_pass_decompose_recurrent},
    {"decompose_attention", rl_pass_decompose_attention},
    {"decompose_lookup", rl_pass_decompose_lookup},
    {"decompose_reduction", rl_pass_decompose_reduction},
    {"decompose_ranking", rl_pass_decompose_ranking},
    {"decompose_activation", rl_pass_decompose_activation},
    {"decompose_pointwise", rl_pass_decompose_pointwise},
    {"decompose_resize", rl_pass_decompose_resize},
    {"lower_portable", rl_pass_lower_portable},
    {"assign_layout", rl_pass_assign_layout},
    {"lower_pad", rl_pass_lower_pad},
    {"eliminate_common", rl_pass_eliminate_common},
    {"plan_scratch", rl_pass_plan_scratch},
};

enum { FRONT_COUNT = sizeof front / sizeof front[0], BACK_COUNT = sizeof back / sizeof back[0] };

static const struct stage *stage_at(int index)
{
    static const struct stage read = {"read", NULL}, quantize = {"quantize", NULL};

    if (index <= FRONT_COUNT) {
        return index == 0 ? &read : &front[index - 1];
    }
    index -= FRONT_COUNT + 1;
    if (index <= BACK_COUNT) {
        return index == 0 ? &quantize : &back[index - 1];
    }
    return NULL;
}

const char *rl_compile_stage(int index)
{
    const struct stage *stage = stage_at(index);

    return stage ? stage->name : NULL;
}

rl_pass_run *rl_compile_pass(int index)
{
    const struct stage *stage = stage_at(index);

    return stage ? stage->run : NULL;
}

// Between two stages: the graph must be valid, and is shown to whoever asked.
static enum rl_status finish(struct rl_context *context, const struct rl_graph *graph, const char *stage,
                             const struct rl_compile_options *options)
{
    enum rl_status status = rl_graph_verify(context, graph, stage);

    if (status == RL_OK && options->dump_after && strcmp(options->dump_after, stage) == 0) {
        status = rl_graph_print(context, graph, options->dump_file);
    }
    return status;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_quantized(const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (starts_with(rl_op_get(node->op)->name, "quantized_decomposed::")) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct stage *stage, const struct rl_graph *graph, const struct rl_compile_options *options)
{
    if (stage->run == rl_pass_quantize_interface) {
        return options->interface == RL_INTERFACE_INT8;
    }
    if (stage->run == rl_pass_convolve_batch_norm) {
        return options->quantization != RL_QUANTIZE_NONE && options->quantizer == RL_QUANTIZER_BEST &&
               !is_quantized(graph);
    }
    return true;
}

static enum rl_status run_stages(struct rl_context *context, struct rl_graph *graph, const struct stage *stages,
                                 int count, const struct rl_compile_options *options)
{
    struct rl_pass pass = {.context = context, .graph = graph, .options = options};
    for (int i = 0; i < count; i++) {
        if (!is_wanted(&stages[i], graph, options)) {
            continue;
        }
        enum rl_status status = stages[i].run(&pass);
        if (status == RL_OK) {
            status = finish(context, graph, stages[i].name, options);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status quantize(struct rl_context *context, struct rl_arena *arena, struct rl_graph *graph,
                               const struct rl_compile_options *options)
{
    const struct rl_quantize_options choices = {.quantizer = options->quantizer};
    struct rl_dataset dataset;

    if (options->quantization == RL_QUANTIZE_NONE || is_quantized(graph)) {
        return RL_OK;
    }
    enum rl_status status =
        rl_dataset_load(context, arena, options->calibration, options->calibration_count, graph, &dataset);
    if (status == RL_OK) {
        if (options->calibration_count == 0) {
            rl_log(context, RL_LOG_WARNING,
                   "no calibration data, so ranges come from the sample inputs in the model alone (%lld); see "
                   "--calibrate",
                   (long long)dataset.sample_count);
        }
        rl_log(context, RL_LOG_PROGRESS, "calibrating on %lld samples", (long long)dataset.sample_count);
        status = rl_quantize(context, graph, &dataset, &choices);
    }
    return status == RL_OK ? finish(context, graph, "quantize", options) : status;
}

static enum rl_status read_model(struct rl_context *context, struct rl_arena *arena,
                                 const struct rl_compile_options *options, struct rl_graph **graph)
{
    enum rl_status status = rl_pt2_read(context, arena, options->model, graph);

    if (status == RL_OK) {
        status = finish(context, *graph, "read", options);
    }
    return status == RL_OK ? run_stages(context, *graph, front, FRONT_COUNT, options) : status;
}

enum rl_status rl_compile_front(struct rl_context *context, struct rl_arena *arena, const char *model,
                                const struct rl_target *target, struct rl_graph **graph)
{
    const struct rl_compile_options options = {.model = model, .target = *target, .quantization = RL_QUANTIZE_NONE};

    return read_model(context, arena, &options, graph);
}

// What is written must be what the runtime accepts. Shapes that come from the file may contradict one another in ways
// that no pass stumbled over; the runtime's own proof is the last to see them.
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

enum rl_status rl_compile(struct rl_context *context, struct rl_arena *arena, const struct rl_compile_options *options,
                          struct rl_compiled *compiled)
{
    enum rl_status status = read_model(context, arena, options, &compiled->graph);

    if (status == RL_OK) {
        status = quantize(context, arena, compiled->graph, options);
    }
    if (status == RL_OK) {
        status = run_stages(context, compiled->graph, back, BACK_COUNT, options);
    }
    if (status == RL_OK) {
        status = rl_plan_memory(context, arena, compiled->graph, &compiled->plan);
    }
    if (status == RL_OK && options->max_arena > 0 && compiled->plan.sizes.arena_bytes > options->max_arena) {
        return rl_fail(context, RL_ERROR_MEMORY, "%s: expected an arena of at most %llu bytes, found that it needs %zu",
                       options->model, (unsigned long long)options->max_arena, compiled->plan.sizes.arena_bytes);
    }
    if (status == RL_OK) {
        status = rl_emit_pte(context, arena, compiled->graph, &compiled->plan, &compiled->emitted);
    }
    return status == RL_OK ? prove(context, options->model, &compiled->emitted) : status;
}

const char *rl_float_reason(const struct rl_node *node)
{
    const char *op = rl_op_get(node->op)->name;
    bool is_float = false;

    for (int i = 0; i < node->arg_count; i++) {
        is_float |= node->args[i].kind == RL_ARG_VALUE && node->args[i].as.value->type.dtype == RL_FLOAT32;
    }
    for (int i = 0; i < node->result_count; i++) {
        is_float |= node->results[i]->type.dtype == RL_FLOAT32;
    }
    // The borders to floating point, views and copies of our own making compute nothing.
    if (!is_float || rl_alias_source(node) || starts_with(op, "cortex_m::") || starts_with(op, "dim_order_ops::")) {
        return NULL;
    }
    return node->reason ? node->reason : "nothing around it is quantized";
}
