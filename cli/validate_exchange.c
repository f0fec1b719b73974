// SPDX-License-Identifier: Apache-2.0
#include "cli/validate.h"

#include <stdio.h>

#include "cli/bundle.h"
#include "compiler/c/made_up.h"
#include "compiler/support/progress.h"

enum { MADE_UP_SAMPLES = 4 };

// ---- samples

static void make_up(struct rl_cli *cli, const struct rl_cli_program *program, struct rl_dataset *samples)
{
    uint32_t random = 1;
    *samples = (struct rl_dataset){.sample_count = MADE_UP_SAMPLES, .input_count = program->input_count};
    samples->inputs = rl_arena_array(cli->arena, (size_t)program->input_count, sizeof *samples->inputs);
    for (int i = 0; i < program->input_count; i++) {
        const struct rl_tensor_type *type = &program->input_types[i];
        const size_t bytes = rl_tensor_bytes(type);
        unsigned char *data = rl_arena_array(cli->arena, MADE_UP_SAMPLES, bytes);
        rl_made_up_fill(type->dtype, data, MADE_UP_SAMPLES * bytes, &random);
        samples->inputs[i] = (struct rl_dataset_input){.type = *type, .samples = data, .sample_bytes = bytes};
    }
}

enum rl_status rl_cli_validation_samples(struct rl_cli *cli, struct rl_cli_program *program, struct rl_dataset *samples)
{
    int path_count;
    const char *const *paths = rl_cli_values(cli, "input", &path_count);
    if (path_count > 0) {
        return rl_cli_load_samples(cli, program, NULL, paths, path_count, samples);
    }
    if (program->bundle) {
        return rl_cli_bundle_samples(cli, program, samples);
    }
    make_up(cli, program, samples);
    return RL_OK;
}

// ---- one sample

struct exchange {
    struct rl_cli *cli;
    struct rl_cli_program *program;
    const struct rl_dataset *samples;
    struct rl_session *session;
    struct rl_cli_validation *validation;
    char activity[64];
};

// Without memory of the arena, whose lack would leave an emulator behind.
static void now_doing(struct exchange *e, const char *what, int64_t sample)
{
    snprintf(e->activity, sizeof e->activity, "while %s sample %lld", what, (long long)sample);
    e->session->activity = e->activity;
}

// What the host has set goes to the firmware, byte for byte.
static enum rl_session_status send_inputs(struct exchange *e, enum rl_status *on_host)
{
    for (int i = 0; i < e->program->input_count; i++) {
        struct rl_tensor tensor;
        *on_host = rl_method_input(&e->program->host.method, e->program->input_places[i], &tensor);
        if (*on_host != RL_OK) {
            return RL_SESSION_OK;
        }
        const enum rl_session_status status =
            rl_session_set_input(e->session, (uint16_t)i, tensor.data, (uint32_t)tensor.bytes);
        if (status != RL_SESSION_OK) {
            return status;
        }
    }
    return RL_SESSION_OK;
}

static void compare(struct rl_cli_difference *difference, const uint8_t *on_host, const uint8_t *on_firmware,
                    int64_t sample)
{
    const int64_t before = difference->differing_bytes;
    for (uint32_t i = 0; i < difference->bytes; i++) {
        if (on_host[i] == on_firmware[i]) {
            continue;
        }
        if (difference->differing_bytes++ == 0) {
            difference->first_sample = sample;
            difference->first_byte = i;
            difference->on_host = on_host[i];
            difference->on_firmware = on_firmware[i];
        }
    }
    difference->samples += difference->differing_bytes > before;
}

static enum rl_session_status compare_outputs(struct exchange *e, int64_t sample, enum rl_status *on_host)
{
    for (int i = 0; i < e->program->output_count; i++) {
        struct rl_tensor tensor;
        struct rl_cli_difference *difference = &e->validation->outputs[i];
        *on_host = rl_method_output(&e->program->host.method, (uint32_t)i, &tensor);
        if (*on_host != RL_OK) {
            return RL_SESSION_OK;
        }
        const enum rl_session_status status =
            rl_session_get_output(e->session, (uint16_t)i, e->validation->answer, difference->bytes);
        if (status != RL_SESSION_OK) {
            return status;
        }
        compare(difference, tensor.data, e->validation->answer, sample);
        e->validation->is_identical &= difference->samples == 0;
    }
    return RL_SESSION_OK;
}

static enum rl_session_status exchange_sample(struct exchange *e, int64_t sample, enum rl_status *on_host)
{
    struct rl_session_run run;
    *on_host = rl_cli_set_sample(e->cli, e->program, e->samples, sample);
    if (*on_host != RL_OK) {
        return RL_SESSION_OK;
    }
    now_doing(e, "it took the inputs of", sample);
    enum rl_session_status status = send_inputs(e, on_host);
    if (status != RL_SESSION_OK || *on_host != RL_OK) {
        return status;
    }
    *on_host = rl_host_program_execute(&e->cli->context, &e->program->host);
    if (*on_host != RL_OK) {
        return RL_SESSION_OK;
    }
    now_doing(e, "it ran", sample);
    status = rl_session_run(e->session, rl_dataset_starts(e->samples, sample), &run);
    if (status != RL_SESSION_OK) {
        return status;
    }
    struct rl_cli_validation *v = e->validation;
    v->cycles[sample] = run.cycles;
    v->stack = sample == 0 || run.stack > v->stack ? run.stack : v->stack;
    if (run.refused != 0 && v->refused_samples++ == 0) {
        v->refused = run.refused;
        v->first_refused = sample;
        v->is_identical = false;
    }
    if (run.refused != 0) { // then the outputs are not complete
        return RL_SESSION_OK;
    }
    now_doing(e, "it sent the outputs of", sample);
    return compare_outputs(e, sample, on_host);
}

// ---- all of them

enum rl_status rl_cli_prepare_validation(struct rl_cli *cli, const struct rl_cli_program *program,
                                         const struct rl_dataset *samples, struct rl_cli_validation *v)
{
    size_t largest = 0;
    *v = (struct rl_cli_validation){.is_identical = true, .stack = rl_run_stack_unknown};
    // A program without inputs runs once.
    v->sample_count = program->input_count > 0 ? samples->sample_count : 1;
    v->output_count = program->output_count;
    v->outputs = rl_arena_array(cli->arena, (size_t)v->output_count, sizeof *v->outputs);
    v->cycles = rl_arena_array(cli->arena, (size_t)v->sample_count, sizeof *v->cycles);
    for (int i = 0; i < v->output_count; i++) {
        const size_t bytes = rl_tensor_bytes(&program->output_types[i]);
        if (program->output_changes[i] || bytes > UINT32_MAX) {
            return rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "%s: output %d has a shape that changes", program->path,
                           i);
        }
        v->outputs[i].bytes = (uint32_t)bytes;
        largest = bytes > largest ? bytes : largest;
    }
    v->answer = rl_arena_alloc(cli->arena, largest);
    return RL_OK;
}

enum rl_session_status rl_cli_exchange(struct rl_cli *cli, struct rl_cli_program *program,
                                       const struct rl_dataset *samples, struct rl_session *session,
                                       struct rl_cli_validation *validation, enum rl_status *on_host)
{
    struct exchange e = {
        .cli = cli, .program = program, .samples = samples, .session = session, .validation = validation};
    struct rl_progress progress;
    enum rl_session_status status = RL_SESSION_OK;
    *on_host = RL_OK;
    rl_progress_start(&progress, &cli->context, "validating", validation->sample_count);
    for (int64_t i = 0; i < validation->sample_count && status == RL_SESSION_OK && *on_host == RL_OK; i++) {
        status = exchange_sample(&e, i, on_host);
        rl_progress_step(&progress, i + 1);
    }
    rl_progress_end(&progress);
    return status;
}
