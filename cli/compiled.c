// SPDX-License-Identifier: Apache-2.0
#include "cli/compiled.h"

#include "compiler/pipeline.h"

enum rl_status rl_cli_open_compiled(struct rl_cli *cli, const struct rl_compile_options *options,
                                    const struct rl_emitted *emitted, const char *path, struct rl_cli_program *program,
                                    struct rl_dataset *samples)
{
    const struct rl_host_files files = {.source = path, .program = emitted->file, .program_size = emitted->size};
    void (*const log)(void *, enum rl_log_level, const char *) = cli->context.log;
    struct rl_graph *graph = NULL;

    enum rl_status status = rl_cli_open_files(cli, &files, program);
    cli->context.log = NULL; // what there is to warn of was said by the compilation
    if (status == RL_OK) {
        status =
            rl_compile_front(&cli->context, cli->arena, options->model, &options->shapes, &options->target, &graph);
    }
    if (status == RL_OK) {
        status = rl_cli_load_samples(cli, program, graph, options->calibration, options->calibration_count, samples);
    }
    cli->context.log = log;
    samples->sequence = 1;
    return status;
}
