// SPDX-License-Identifier: Apache-2.0
#include "cli/evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/evaluate/trace.h"
#include "compiler/pipeline.h"
#include "compiler/support/progress.h"

struct work {
    struct rl_cli *cli;
    struct rl_cli_evaluation *evaluation;
    const struct rl_cli_comparison *asked;
    void *reference;  // one output of one sample, as the model has it
    float *quantized; // the same of the program
};

// What a program may give where the model, in its float32 form, has float32.
static bool is_short_float(enum rl_scalar_type dtype)
{
    return dtype == RL_FLOAT32 || dtype == RL_FLOAT16 || dtype == RL_BFLOAT16;
}

static bool is_comparable(const struct rl_cli_evaluation *evaluation, int index)
{
    const struct rl_tensor_type *model = &evaluation->graph->outputs[index]->type;
    const struct rl_tensor_type *own = &evaluation->program.output_types[index];
    struct rl_io_grid grid;

    if (!rl_tensor_same_sizes(model, own)) {
        return false;
    }
    if (evaluation->outputs[index].is_exact) {
        return model->dtype == own->dtype;
    }
    return model->dtype == RL_FLOAT32 &&
           (is_short_float(own->dtype) || rl_cli_output_grid(&evaluation->program, index, &grid));
}

// The outputs must be comparable: equal in number and sizes, and in floating point, on known grids or of the same type
// of integers.
static enum rl_status check_outputs(const struct work *work)
{
    const struct rl_cli_evaluation *evaluation = work->evaluation;
    const struct rl_graph *graph = evaluation->graph;
    const struct rl_cli_program *program = &evaluation->program;

    if (graph->output_count != program->output_count || graph->input_count != program->input_count) {
        return rl_fail(&work->cli->context, RL_ERROR_TYPE,
                       "%s: expected the %d inputs and %d outputs of %s, found %d and %d", program->path,
                       graph->input_count, graph->output_count, graph->source, program->input_count,
                       program->output_count);
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (!is_comparable(evaluation, i)) {
            return rl_fail(&work->cli->context, RL_ERROR_TYPE,
                           "%s: output %d: expected the sizes of the model's output, both in float32 or the "
                           "program's in int8 with methods output%d_scale and output%d_zp, or both in the "
                           "same type of integers",
                           program->path, i, i, i);
        }
    }
    return RL_OK;
}

static size_t largest_output(const struct rl_cli_program *program)
{
    size_t largest = 0;

    for (int i = 0; i < program->output_count; i++) {
        size_t bytes = (size_t)rl_tensor_numel(&program->output_types[i]) * sizeof(int64_t);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

// ---- before the first sample

// The scale of an output: its own, or that of the last integers before it, as if they had 8 bits.
static double step_of_output(const struct work *work, int index)
{
    enum { INT8_STEPS = 256 }; // of int16 in one of int8
    const struct rl_cli_evaluation *evaluation = work->evaluation;
    const struct rl_method *method = &evaluation->program.host.method;
    const int32_t value = rl_pte_item_i32(&method->program->pte, &method->plan.outputs, (uint32_t)index);
    const double *scale;
    struct rl_io_grid grid;
    struct rl_trace trace;

    if (rl_cli_output_grid(&evaluation->program, index, &grid)) {
        return grid.scale;
    }
    rl_trace_read(work->cli->arena, method, &trace);
    for (int i = 0; i < trace.count; i++) {
        const struct rl_traced_call *call = &trace.calls[i];
        if (call->op->dequantizes &&
            rl_pte_item_i32(trace.pte, &call->arguments, (uint32_t)call->op->arg_count) == value &&
            rl_traced_numbers(&trace, call, "scale", &scale) == 1) {
            struct rl_pte_tensor integers;
            const bool is_wide = rl_traced_tensor(&trace, call, 0, &integers) && integers.dtype == RL_INT16;
            return is_wide ? *scale * INT8_STEPS : *scale;
        }
    }
    return 0;
}

static void start_outputs(const struct work *work)
{
    struct rl_cli_evaluation *evaluation = work->evaluation;
    const int count = evaluation->graph->output_count;

    evaluation->outputs = rl_arena_array(work->cli->arena, (size_t)count, sizeof *evaluation->outputs);
    for (int i = 0; i < count; i++) {
        rl_output_start(work->cli->arena, evaluation->graph, i, &evaluation->outputs[i]);
    }
}

// The sizes that a program was compiled for, which fix those of a model with dynamic ones.
static struct rl_input_shapes program_shapes(struct rl_arena *arena, const struct rl_cli_program *program)
{
    struct rl_input_shape *items = rl_arena_array(arena, (size_t)program->input_count, sizeof *items);

    for (int i = 0; i < program->input_count; i++) {
        items[i] = rl_input_shape_of(&program->input_types[i]);
    }
    return (struct rl_input_shapes){items, program->input_count};
}

static enum rl_status open_both(const struct work *work)
{
    struct rl_cli *cli = work->cli;
    struct rl_cli_evaluation *evaluation = work->evaluation;
    struct rl_target target;
    enum rl_status status = rl_target_parse(&cli->context, "any", &target);

    if (status == RL_OK) {
        status = rl_cli_open_program(cli, work->asked->program_path, work->asked->data_path, work->asked->method,
                                     &evaluation->program);
    }
    if (status == RL_OK) {
        const struct rl_input_shapes shapes = program_shapes(cli->arena, &evaluation->program);
        status =
            rl_compile_front(&cli->context, cli->arena, work->asked->model_path, &shapes, &target, &evaluation->graph);
    }
    if (status != RL_OK) {
        return status;
    }
    start_outputs(work);
    return check_outputs(work);
}

// The same data once more, in the types of the program. What there is to warn of has been said.
static enum rl_status load_program_samples(const struct work *work)
{
    struct rl_cli *cli = work->cli;
    void (*const log)(void *, enum rl_log_level, const char *) = cli->context.log;

    cli->context.log = NULL;
    const enum rl_status status =
        rl_cli_load_samples(cli, &work->evaluation->program, work->evaluation->graph, work->asked->data,
                            work->asked->data_count, &work->evaluation->samples);
    cli->context.log = log;
    return status;
}

static enum rl_status prepare(struct work *work, const char *core)
{
    struct rl_cli *cli = work->cli;
    struct rl_cli_evaluation *evaluation = work->evaluation;
    enum rl_status status = rl_dataset_load(&cli->context, cli->arena, work->asked->data, work->asked->data_count,
                                            evaluation->graph, &evaluation->float_samples);

    if (status == RL_OK) {
        status = load_program_samples(work);
    }
    evaluation->samples.sequence = evaluation->float_samples.sequence = work->asked->sequence;
    if (status == RL_OK) {
        status = rl_graph_runner_new(&cli->context, cli->arena, evaluation->graph, &evaluation->runner);
    }
    if (status == RL_OK) {
        status = rl_cli_run_samples(cli, &evaluation->program, &evaluation->samples, core, &evaluation->results);
    }
    if (status != RL_OK) {
        return status;
    }
    for (int i = 0; i < evaluation->graph->output_count; i++) {
        evaluation->outputs[i].step = step_of_output(work, i);
    }
    const size_t largest = largest_output(&evaluation->program);
    work->reference = rl_arena_alloc(cli->arena, largest);
    work->quantized = rl_arena_alloc(cli->arena, largest);
    return rl_layers_pair(&cli->context, cli->arena, evaluation->graph, rl_graph_runner_graph(evaluation->runner),
                          &evaluation->program.host.method, work->asked->data, work->asked->data_count,
                          &evaluation->layers);
}

// ---- which output

static int output_by_name(const struct rl_cli_evaluation *evaluation, const char *name)
{
    char *end;
    const long number = strtol(name, &end, 10);

    for (int i = 0; i < evaluation->graph->output_count; i++) {
        if (strcmp(evaluation->outputs[i].name, name) == 0) {
            return i;
        }
    }
    const bool is_number = name[0] >= '0' && name[0] <= '9' && *end == '\0';
    return is_number && number < evaluation->graph->output_count ? (int)number : -1;
}

// The one that was asked for; else the first one, but if that is a signal, the first one with classes.
static int choose_output(const struct work *work)
{
    struct rl_cli_evaluation *evaluation = work->evaluation;
    const char *name = work->asked->output;
    const int count = evaluation->graph->output_count;

    evaluation->chosen = count > 0 ? 0 : -1;
    if (!name) {
        for (int i = 0; i < count && !evaluation->outputs[0].is_exact; i++) {
            if (evaluation->outputs[i].classes.axis >= 0) {
                evaluation->chosen = i;
                break;
            }
        }
        return RL_EXIT_DONE;
    }
    evaluation->chosen = output_by_name(evaluation, name);
    if (evaluation->chosen >= 0) {
        return RL_EXIT_DONE;
    }
    const char **names = rl_arena_array(work->cli->arena, (size_t)count + 1, sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = evaluation->outputs[i].name;
    }
    names[count] = "a number from 0";
    return rl_cli_unknown(work->cli, "output", name, names, count + 1);
}

// ---- sample by sample

static void compare_output(const struct work *work, int index, int64_t sample)
{
    struct rl_cli_evaluation *evaluation = work->evaluation;
    struct rl_output *output = &evaluation->outputs[index];
    const struct rl_dataset *samples = &evaluation->samples;

    if (output->is_exact) {
        const size_t bytes = rl_tensor_bytes(&evaluation->program.output_types[index]);
        rl_output_add_exact(output, work->reference, evaluation->results.data[index] + (size_t)sample * bytes);
        return;
    }
    const bool labelled = samples->labels && samples->labels_per_sample == rl_output_answers(output);
    rl_cli_read_output(&evaluation->program, &evaluation->results, index, sample, work->quantized);
    rl_output_add_floats(output, work->reference, work->quantized,
                         labelled ? samples->labels + sample * samples->labels_per_sample : NULL);
}

static enum rl_status evaluate_sample(const struct work *work, const void **inputs, int64_t sample)
{
    struct rl_cli *cli = work->cli;
    struct rl_cli_evaluation *evaluation = work->evaluation;

    for (int i = 0; i < evaluation->graph->input_count; i++) {
        inputs[i] = rl_dataset_sample(&evaluation->float_samples, i, sample);
    }
    enum rl_status status = RL_OK;
    if (rl_dataset_starts(&evaluation->samples, sample)) {
        status = rl_graph_runner_reset(&cli->context, evaluation->runner);
    }
    if (status == RL_OK) {
        status = rl_graph_runner_run(&cli->context, evaluation->runner, inputs, rl_layers_observe, &evaluation->layers);
    }
    if (status == RL_OK) {
        status = rl_cli_run_sample(cli, &evaluation->program, &evaluation->samples, sample);
    }
    for (int i = 0; i < evaluation->program.output_count && status == RL_OK; i++) {
        status = rl_graph_runner_output(&cli->context, evaluation->runner, i, work->reference);
        if (status == RL_OK) {
            compare_output(work, i, sample);
        }
    }
    return status;
}

static enum rl_status evaluate_samples(const struct work *work)
{
    struct rl_cli_evaluation *evaluation = work->evaluation;
    const struct rl_hooks hooks = {.after = rl_layers_after_call, .user = &evaluation->layers};
    const void **inputs = rl_arena_array(work->cli->arena, (size_t)evaluation->graph->input_count, sizeof(void *));
    const int64_t count = evaluation->results.sample_count;
    enum rl_status status = RL_OK;

    struct rl_progress progress;
    rl_progress_start(&progress, &work->cli->context, "comparing", count);
    rl_method_set_hooks(&evaluation->program.host.method, &hooks);
    for (int64_t sample = 0; sample < count && status == RL_OK; sample++) {
        status = evaluate_sample(work, inputs, sample);
        rl_progress_step(&progress, sample + 1);
    }
    rl_progress_end(&progress);
    return status;
}

int rl_cli_read_comparison(const struct rl_cli *cli, struct rl_cli_comparison *comparison)
{
    *comparison = (struct rl_cli_comparison){.model_path = cli->operands[0],
                                             .program_path = cli->operands[1],
                                             .method = rl_cli_value(cli, "method", NULL),
                                             .output = rl_cli_value(cli, "output", NULL)};
    comparison->data = rl_cli_values(cli, "data", &comparison->data_count);
    if (rl_cli_read_core(cli, &comparison->core) != RL_EXIT_DONE ||
        rl_cli_sequence(cli, &comparison->sequence) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    return comparison->data_count > 0 ? RL_EXIT_DONE : rl_cli_usage_error(cli, "--data EVAL.npz is missing");
}

int rl_cli_evaluate_all(struct rl_cli *cli, const struct rl_cli_comparison *comparison,
                        struct rl_cli_evaluation *evaluation)
{
    struct work work = {.cli = cli, .evaluation = evaluation, .asked = comparison};

    if (open_both(&work) != RL_OK) {
        return rl_cli_failed(cli);
    }
    const int status = choose_output(&work);
    if (status != RL_EXIT_DONE) {
        return status;
    }
    return prepare(&work, comparison->core) == RL_OK && evaluate_samples(&work) == RL_OK ? RL_EXIT_DONE
                                                                                         : rl_cli_failed(cli);
}
