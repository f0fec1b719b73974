// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on samples, on the host or on an emulated core.
#include <stdio.h>
#include <string.h>

#include "boards/qemu/emulator.h"
#include "cli/execution.h"
#include "compiler/support/progress.h"
#include "compiler/targets/target.h"

static void narrow_sizes(const struct rl_tensor_type *type, int32_t sizes[RL_TENSOR_MAX_RANK])
{
    for (int i = 0; i < type->rank; i++) {
        sizes[i] = type->sizes[i] <= INT32_MAX ? (int32_t)type->sizes[i] : -1; // which the runtime refuses
    }
}

enum rl_status rl_cli_set_sample(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                 int64_t sample)
{
    if (rl_dataset_starts(samples, sample)) {
        const enum rl_status status = rl_host_program_reset(&cli->context, &program->host);
        if (status != RL_OK) {
            return status;
        }
    }
    for (int i = 0; i < program->input_count; i++) {
        const struct rl_tensor_type *type = &program->input_types[i];
        int32_t sizes[RL_TENSOR_MAX_RANK] = {0};
        narrow_sizes(type, sizes);
        enum rl_status status = rl_host_program_resize_input(&cli->context, &program->host, program->input_places[i],
                                                             (uint32_t)type->rank, sizes);
        if (status == RL_OK) {
            status = rl_host_program_set_input(&cli->context, &program->host, program->input_places[i],
                                               rl_dataset_sample(samples, i, sample), rl_tensor_bytes(type));
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

enum rl_status rl_cli_run_sample(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                 int64_t sample)
{
    const enum rl_status status = rl_cli_set_sample(cli, program, samples, sample);
    return status == RL_OK ? rl_host_program_execute(&cli->context, &program->host) : status;
}

// Checks that an output has the same sizes for all samples.
static enum rl_status settle_sizes(struct rl_cli *cli, struct rl_cli_program *program, int output, const int32_t *sizes,
                                   int64_t sample)
{
    struct rl_tensor_type *type = &program->output_types[output];
    bool same = true;

    for (int i = 0; i < type->rank; i++) {
        same = same && type->sizes[i] == sizes[i];
        type->sizes[i] = sample == 0 ? sizes[i] : type->sizes[i];
    }
    return same || sample == 0
               ? RL_OK
               : rl_fail(&cli->context, RL_ERROR_UNSUPPORTED,
                         "%s: output %d of sample %lld has other sizes than that of the first; accepted: "
                         "samples with outputs of equal sizes, or one sample",
                         program->path, output, (long long)sample);
}

// A number has the type that the program computed last, which may differ from the one in the file.
static enum rl_status settle_number(struct rl_cli *cli, struct rl_cli_program *program, int output,
                                    const struct rl_tensor *number, int64_t sample)
{
    struct rl_tensor_type *type = &program->output_types[output];

    if (type->rank != 0 || number->rank != 0 || (int)type->dtype == number->dtype) {
        return RL_OK;
    }
    if (sample > 0 || number->bytes > rl_tensor_bytes(&program->output_bounds[output])) {
        return rl_fail(&cli->context, RL_ERROR_UNSUPPORTED,
                       "%s: output %d of sample %lld is a number of another type than %s", program->path, output,
                       (long long)sample, sample > 0 ? "that of the first" : "its place can hold");
    }
    type->dtype = (enum rl_scalar_type)number->dtype;
    return RL_OK;
}

static enum rl_status settle_output(struct rl_cli *cli, struct rl_cli_program *program, int output, int64_t sample)
{
    struct rl_tensor tensor;
    enum rl_status status = rl_method_output_value(&program->host.method, (uint32_t)output, &tensor);

    if (status == RL_OK && program->output_changes[output]) {
        status = settle_sizes(cli, program, output, tensor.sizes, sample);
    }
    if (status != RL_OK) {
        return status;
    }
    return settle_number(cli, program, output, &tensor, sample);
}

static enum rl_status run_on_host(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                  struct rl_cli_outputs *outputs)
{
    enum rl_status status = RL_OK;
    struct rl_progress progress;

    rl_progress_start(&progress, &cli->context, "running", outputs->sample_count);
    for (int64_t sample = 0; sample < outputs->sample_count && status == RL_OK; sample++) {
        status = rl_cli_run_sample(cli, program, samples, sample);
        for (int i = 0; i < program->output_count && status == RL_OK; i++) {
            status = settle_output(cli, program, i, sample);
            size_t bytes = rl_tensor_bytes(&program->output_types[i]);
            if (status == RL_OK) {
                status = rl_host_program_get_output(&cli->context, &program->host, (uint32_t)i,
                                                    outputs->data[i] + (size_t)sample * bytes, bytes);
            }
        }
        rl_progress_step(&progress, sample + 1);
    }
    rl_progress_end(&progress);
    return status;
}

// The bytes of the sizes that a board passes with a tensor whose shape may change.
static size_t sizes_bytes(const struct rl_tensor_type *type, bool changes)
{
    return changes ? (size_t)type->rank * sizeof(int32_t) : 0;
}

static size_t sum_bytes(const struct rl_tensor_type *bounds, const bool *changes, int count)
{
    size_t bytes = 0;

    for (int i = 0; i < count; i++) {
        bytes += sizes_bytes(&bounds[i], changes[i]) + rl_tensor_bytes(&bounds[i]);
    }
    return bytes;
}

// Joins the inputs: the emulator passes all tensors of a sample in one piece (boards/runner/batch.h).
static enum rl_status join_inputs(struct rl_cli *cli, const struct rl_cli_program *program,
                                  const struct rl_dataset *samples, int64_t sample_count, size_t sample_bytes,
                                  const uint8_t **joined)
{
    uint8_t *next = rl_arena_array(cli->arena, (size_t)sample_count, sample_bytes);

    *joined = next;
    for (int64_t sample = 0; sample < sample_count; sample++) {
        for (int i = 0; i < program->input_count; i++) {
            const struct rl_tensor_type *bound = &program->input_bounds[i], *type = &program->input_types[i];
            size_t before = sizes_bytes(bound, program->input_changes[i]);
            int32_t sizes[RL_TENSOR_MAX_RANK] = {0};
            if (rl_tensor_bytes(type) > rl_tensor_bytes(bound)) {
                return rl_fail(&cli->context, RL_ERROR_TYPE,
                               "%s: input %d: a tensor would get more elements than its shape's bound", program->path,
                               i);
            }
            narrow_sizes(type, sizes);
            memcpy(next, sizes, before);
            memcpy(next + before, rl_dataset_sample(samples, i, sample), rl_tensor_bytes(type));
            next += before + rl_tensor_bytes(bound);
        }
    }
    return RL_OK;
}

static enum rl_status split_outputs(struct rl_cli *cli, struct rl_cli_program *program, const uint8_t *joined,
                                    struct rl_cli_outputs *outputs)
{
    for (int64_t sample = 0; sample < outputs->sample_count; sample++) {
        for (int i = 0; i < program->output_count; i++) {
            const struct rl_tensor_type *bound = &program->output_bounds[i];
            size_t before = sizes_bytes(bound, program->output_changes[i]);
            int32_t sizes[RL_TENSOR_MAX_RANK];
            memcpy(sizes, joined, before);
            enum rl_status status = before > 0 ? settle_sizes(cli, program, i, sizes, sample) : RL_OK;
            size_t bytes = rl_tensor_bytes(&program->output_types[i]);
            if (status != RL_OK || bytes > rl_tensor_bytes(bound)) {
                return status;
            }
            memcpy(outputs->data[i] + (size_t)sample * bytes, joined + before, bytes);
            joined += before + rl_tensor_bytes(bound);
        }
    }
    return RL_OK;
}

// Finds the types of numbers by computing the first sample on the host, because a board does not report them.
static enum rl_status settle_numbers(struct rl_cli *cli, struct rl_cli_program *program,
                                     const struct rl_dataset *samples)
{
    struct rl_tensor tensor;
    bool has_numbers = false;

    for (int i = 0; i < program->output_count; i++) {
        has_numbers |= rl_method_output(&program->host.method, (uint32_t)i, &tensor) == RL_ERROR_TYPE;
    }
    enum rl_status status = has_numbers ? rl_cli_run_sample(cli, program, samples, 0) : RL_OK;
    for (int i = 0; i < program->output_count && has_numbers && status == RL_OK; i++) {
        status = rl_method_output_value(&program->host.method, (uint32_t)i, &tensor);
        status = status == RL_OK ? settle_number(cli, program, i, &tensor, 0) : status;
    }
    return status;
}

static bool step_emulation(void *user, uint32_t done)
{
    struct rl_progress *progress = user;

    rl_progress_step(progress, done);
    return rl_check_cancelled(progress->context) == RL_OK;
}

// With `profile`, which asks for it, also counts what the operators of the last sample take.
static enum rl_status run_on_core(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                  const char *core, struct rl_cli_outputs *outputs, struct rl_cli_counts *profile)
{
    struct rl_emulation_result result;
    const uint8_t *inputs;
    char message[768];

    enum rl_status status = settle_numbers(cli, program, samples);
    struct rl_emulation job = {
        .core = core,
        .program_path = program->path,
        .data_path = program->data_path,
        .program = {program->files.program, program->files.program_size},
        .data = {program->files.data, program->files.data_size},
        .method = program->host.method_index,
        .input_bytes = sum_bytes(program->input_bounds, program->input_changes, program->input_count),
        .output_bytes = sum_bytes(program->output_bounds, program->output_changes, program->output_count),
        .samples = (uint32_t)outputs->sample_count,
        .sequence = (uint32_t)samples->sequence,
        .timeout_seconds = program->timeout_seconds,
        .profiles = profile,
        .operators = program->host.method.plan.instructions.count,
        .wait_states = profile ? profile->wait_states : 0};
    if (status == RL_OK) {
        status = join_inputs(cli, program, samples, outputs->sample_count, job.input_bytes, &inputs);
    }
    if (status != RL_OK) {
        return status;
    }
    job.inputs = inputs;
    struct rl_progress progress;
    job.progress = step_emulation;
    job.user = &progress;
    rl_progress_start(&progress, &cli->context, rl_arena_format(cli->arena, "running on an emulated %s", core),
                      outputs->sample_count);
    const enum rl_emulation_status emulated = rl_emulate(&job, &result, message, sizeof message);
    rl_progress_end(&progress);
    if (emulated != RL_EMULATION_OK) {
        return rl_fail(&cli->context, RL_ERROR_KERNEL, "%s", message);
    }
    status = split_outputs(cli, program, result.outputs, outputs);
    outputs->instructions =
        rl_arena_copy(cli->arena, result.instructions, (size_t)outputs->sample_count * sizeof *outputs->instructions);
    outputs->arena_bytes = result.arena_bytes;
    outputs->state_bytes = result.state_bytes;
    outputs->stack_bytes = result.stack_bytes;
    if (profile) {
        profile->inferences = rl_arena_copy(cli->arena, result.counts, job.samples * sizeof *result.counts);
        profile->operators = rl_arena_copy(cli->arena, result.operators, job.operators * sizeof *result.operators);
    }
    rl_emulation_free(&result);
    return status;
}

static void start_outputs(struct rl_cli *cli, const struct rl_cli_program *program, int64_t sample_count,
                          struct rl_cli_outputs *outputs)
{
    *outputs = (struct rl_cli_outputs){.sample_count = sample_count};
    outputs->data = rl_arena_array(cli->arena, (size_t)program->output_count, sizeof(uint8_t *));
    for (int i = 0; i < program->output_count; i++) {
        outputs->data[i] =
            rl_arena_array(cli->arena, (size_t)sample_count, rl_tensor_bytes(&program->output_bounds[i]));
    }
}

enum rl_status rl_cli_run_samples(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                  const char *core, struct rl_cli_outputs *outputs)
{
    // A program without inputs runs once.
    start_outputs(cli, program, program->input_count > 0 ? samples->sample_count : 1, outputs);
    return strcmp(core, "host") == 0 ? run_on_host(cli, program, samples, outputs)
                                     : run_on_core(cli, program, samples, core, outputs, NULL);
}

enum rl_status rl_cli_count_operators(struct rl_cli *cli, struct rl_cli_program *program,
                                      const struct rl_dataset *samples, const char *core, struct rl_cli_counts *counts)
{
    struct rl_dataset same = {.sample_count = RL_CLI_COUNTED_RUNS, .sequence = 1, .input_count = samples->input_count};

    same.inputs = rl_arena_array(cli->arena, (size_t)same.input_count, sizeof *same.inputs);
    for (int i = 0; i < same.input_count; i++) {
        const size_t bytes = samples->inputs[i].sample_bytes;
        unsigned char *copies = rl_arena_array(cli->arena, RL_CLI_COUNTED_RUNS, bytes);
        for (size_t k = 0; k < RL_CLI_COUNTED_RUNS && bytes > 0; k++) {
            memcpy(copies + k * bytes, samples->inputs[i].samples, bytes);
        }
        same.inputs[i] = samples->inputs[i];
        same.inputs[i].samples = copies;
    }
    start_outputs(cli, program, RL_CLI_COUNTED_RUNS, &counts->outputs);
    return run_on_core(cli, program, &same, core, &counts->outputs, counts);
}

int rl_cli_read_core(const struct rl_cli *cli, const char **core)
{
    size_t cores = 0;

    while (rl_emulator_core(cores)) {
        cores++;
    }
    const char **names = rl_arena_array(cli->arena, cores + 1, sizeof *names);
    const char *given = rl_cli_value(cli, "on", "host");
    const struct rl_core *known = rl_core_find(given, strlen(given));
    *core = known ? known->name : given;
    for (size_t i = 0; i <= cores; i++) {
        names[i] = i == 0 ? "host" : rl_emulator_core(i - 1);
        if (strcmp(*core, names[i]) == 0) {
            return RL_EXIT_DONE;
        }
    }
    return rl_cli_unknown(cli, "on", *core, names, (int)cores + 1);
}
