// SPDX-License-Identifier: Apache-2.0
//
// The runs of model and program that find what each layer alone costs.
#include "cli/evaluation.h"
#include "compiler/emit/interface.h"
#include "compiler/evaluate/trace.h"
#include "compiler/support/progress.h"

struct search {
    struct rl_cli *cli;
    struct rl_cli_evaluation *evaluation;
    struct rl_graph_runner *forced; // a second copy of the model, with states of its own
    const void **inputs;
    struct rl_progress progress;
    int64_t done;
};

// The grid to which the program rounds an input: that of the integers it takes, or of the first node that makes some.
static struct rl_culprit_input input_of(const struct rl_cli *cli, const struct rl_cli_evaluation *evaluation, int index)
{
    const struct rl_method *method = &evaluation->program.host.method;
    const uint32_t place = evaluation->program.input_places[index];
    const int32_t value = rl_pte_item_i32(&method->program->pte, &method->plan.inputs, place);
    struct rl_culprit_input input = {.dtype = RL_INT8};
    struct rl_pte_tensor integers;
    struct rl_trace trace;

    if (evaluation->program.input_types[index].dtype == RL_INT8 &&
        rl_interface_grid(method->program, "input", index, &input.grid)) {
        return input;
    }
    rl_trace_read(cli->arena, method, &trace);
    for (int i = 0; i < trace.count; i++) {
        const struct rl_traced_call *call = &trace.calls[i];
        const double *scale, *zero_point;
        if (call->op->quantizes && rl_pte_item_i32(trace.pte, &call->arguments, 0) == value &&
            rl_traced_numbers(&trace, call, "scale", &scale) == 1 &&
            rl_traced_numbers(&trace, call, "zero_point", &zero_point) == 1 &&
            rl_traced_tensor(&trace, call, call->op->arg_count, &integers)) {
            return (struct rl_culprit_input){{*scale, (int64_t)*zero_point}, (enum rl_scalar_type)integers.dtype};
        }
    }
    return input;
}

static void set_sample(const struct search *search, int64_t sample)
{
    struct rl_cli_evaluation *evaluation = search->evaluation;

    evaluation->culprits.sample = sample;
    for (int i = 0; i < evaluation->graph->input_count; i++) {
        search->inputs[i] = rl_dataset_sample(&evaluation->float_samples, i, sample);
    }
}

static enum rl_status run_model(struct search *search, struct rl_graph_runner *runner, rl_graph_observe *observe)
{
    struct rl_cli_evaluation *evaluation = search->evaluation;
    struct rl_context *context = &search->cli->context;
    enum rl_status status = RL_OK;

    if (rl_dataset_starts(&evaluation->float_samples, evaluation->culprits.sample)) {
        status = rl_graph_runner_reset(context, runner);
    }
    return status == RL_OK ? rl_graph_runner_run(context, runner, search->inputs, observe, &evaluation->culprits)
                           : status;
}

static enum rl_status find_errors(struct search *search, int64_t samples)
{
    struct rl_cli_evaluation *evaluation = search->evaluation;
    const struct rl_hooks hooks = {.after = rl_culprits_force_program, .user = &evaluation->culprits};
    enum rl_status status = RL_OK;

    rl_method_set_hooks(&evaluation->program.host.method, &hooks);
    for (int64_t sample = 0; sample < samples && status == RL_OK; sample++) {
        set_sample(search, sample);
        status = run_model(search, evaluation->runner, rl_culprits_see_model);
        if (status == RL_OK) {
            status = run_model(search, search->forced, rl_culprits_force_model);
        }
        if (status == RL_OK) {
            status = rl_cli_run_sample(search->cli, &evaluation->program, &evaluation->samples, sample);
        }
        rl_progress_step(&search->progress, ++search->done);
    }
    return status;
}

static enum rl_status find_costs(struct search *search, int64_t samples)
{
    struct rl_culprits *culprits = &search->evaluation->culprits;
    enum rl_status status = RL_OK;

    for (culprits->current = 0; culprits->current < culprits->count; culprits->current++) {
        for (int64_t sample = 0; sample < samples && status == RL_OK; sample++) {
            set_sample(search, sample);
            status = run_model(search, search->evaluation->runner, rl_culprits_add_error);
            rl_progress_step(&search->progress, ++search->done);
        }
    }
    return status;
}

static int measured_output(const struct rl_cli_evaluation *evaluation)
{
    if (evaluation->chosen >= 0 && !evaluation->outputs[evaluation->chosen].is_exact) {
        return evaluation->chosen;
    }
    for (int i = 0; i < evaluation->graph->output_count; i++) {
        if (!evaluation->outputs[i].is_exact) {
            return i;
        }
    }
    return -1;
}

int rl_cli_find_culprits(struct rl_cli *cli, struct rl_cli_evaluation *evaluation)
{
    const int output = measured_output(evaluation), inputs = evaluation->graph->input_count;
    struct search search = {.cli = cli, .evaluation = evaluation};
    int64_t samples = evaluation->culprit_samples;

    if (samples < 0) {
        samples = rl_culprits_samples(rl_graph_runner_graph(evaluation->runner), &evaluation->layers);
    }
    samples = samples < evaluation->results.sample_count ? samples : evaluation->results.sample_count;
    evaluation->culprit_samples = samples;
    if (output < 0 || samples == 0) {
        return RL_EXIT_DONE;
    }
    struct rl_culprit_input *grids = rl_arena_array(cli->arena, (size_t)inputs, sizeof *grids);
    for (int i = 0; i < inputs; i++) {
        grids[i] = input_of(cli, evaluation, i);
    }
    search.inputs = rl_arena_array(cli->arena, (size_t)inputs, sizeof *search.inputs);
    rl_culprits_start(cli->arena, evaluation->graph, &evaluation->layers, grids, &evaluation->outputs[output].classes,
                      output, samples, &evaluation->culprits);
    rl_progress_start(&search.progress, &cli->context, "looking for culprits",
                      samples * (evaluation->culprits.count + 1));
    const bool found = rl_graph_runner_new(&cli->context, cli->arena, evaluation->graph, &search.forced) == RL_OK &&
                       find_errors(&search, samples) == RL_OK && find_costs(&search, samples) == RL_OK;
    rl_progress_end(&search.progress);
    rl_culprits_rank(&evaluation->culprits);
    return found ? RL_EXIT_DONE : rl_cli_failed(cli);
}
