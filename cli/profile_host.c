// SPDX-License-Identifier: Apache-2.0
//
// Wall time of operators on the host: the fastest of several runs.
#include <string.h>

#include "cli/profile.h"

enum { LEAST_RUNS = 5, MOST_RUNS = 1000 };

static const double enough_seconds = 0.3;

struct stopwatch {
    double *seconds; // of this repetition, by instruction
    uint64_t *runs;
    double started;
};

static enum rl_status start_watch(void *user, struct rl_call *call)
{
    struct stopwatch *watch = user;

    (void)call;
    watch->started = rl_cli_seconds();
    return RL_OK;
}

static enum rl_status stop_watch(void *user, struct rl_call *call)
{
    struct stopwatch *watch = user;

    watch->seconds[call->instruction] += rl_cli_seconds() - watch->started;
    watch->runs[call->instruction]++;
    return RL_OK;
}

// Runs the first sample from the first states on. `seconds` are those of the execution alone.
static enum rl_status run_once(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                               double *seconds)
{
    enum rl_status status = rl_cli_set_sample(cli, program, samples, 0);
    const double started = rl_cli_seconds();
    if (status == RL_OK) {
        status = rl_host_program_execute(&cli->context, &program->host);
    }
    *seconds = rl_cli_seconds() - started;
    return status;
}

// Times the operators of one execution, and keeps those of the fastest.
static enum rl_status time_once(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                struct stopwatch *watch, struct rl_cli_host_times *times)
{
    const size_t count = program->host.method.plan.instructions.count;
    const struct rl_hooks hooks = {.before = start_watch, .after = stop_watch, .user = watch}, none = {0};
    double seconds;

    memset(watch->seconds, 0, count * sizeof *watch->seconds);
    memset(watch->runs, 0, count * sizeof *watch->runs);
    rl_method_set_hooks(&program->host.method, &hooks);
    const enum rl_status status = run_once(cli, program, samples, &seconds);
    rl_method_set_hooks(&program->host.method, &none);
    if (status == RL_OK && (times->repeated == 0 || seconds < times->total)) {
        times->total = seconds;
        memcpy(times->seconds, watch->seconds, count * sizeof *times->seconds);
        memcpy(times->runs, watch->runs, count * sizeof *times->runs);
    }
    return status;
}

enum rl_status rl_cli_time_operators(struct rl_cli *cli, struct rl_cli_program *program,
                                     const struct rl_dataset *samples, struct rl_cli_host_times *times)
{
    const size_t count = program->host.method.plan.instructions.count;
    const double started = rl_cli_seconds();
    struct stopwatch watch = {.seconds = rl_arena_array(cli->arena, count, sizeof *watch.seconds),
                              .runs = rl_arena_array(cli->arena, count, sizeof *watch.runs)};
    double seconds;

    *times = (struct rl_cli_host_times){.seconds = rl_arena_array(cli->arena, count, sizeof *times->seconds),
                                        .runs = rl_arena_array(cli->arena, count, sizeof *times->runs)};
    enum rl_status status = run_once(cli, program, samples, &seconds); // which also reads the program
    while (status == RL_OK && times->repeated < MOST_RUNS &&
           (times->repeated < LEAST_RUNS || rl_cli_seconds() - started < enough_seconds)) {
        status = run_once(cli, program, samples, &seconds);
        if (status == RL_OK) {
            status = time_once(cli, program, samples, &watch, times);
        }
        times->unclocked = times->repeated == 0 || seconds < times->unclocked ? seconds : times->unclocked;
        times->repeated++;
    }
    return status;
}
