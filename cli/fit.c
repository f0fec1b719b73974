// SPDX-License-Identifier: Apache-2.0
//
// Whether a model fits a board, before there is a board.
#include "cli/fit.h"

#include <stdio.h>
#include <string.h>

#include "cli/compilation.h"
#include "cli/execution.h"
#include "compiler/pipeline.h"

enum { TROUBLE = 2 }; // 1 says that the model does not fit

// ---- models

static enum rl_status measure_model(struct rl_cli *cli, const struct rl_compile_options *options,
                                    const struct rl_cli_room *room, struct rl_cli_need *need)
{
    struct rl_compiled compiled;
    const enum rl_status status = rl_compile(&cli->context, cli->arena, options, &compiled);
    if (status != RL_OK) {
        return status;
    }
    const struct rl_file_bytes program = {compiled.emitted.file, compiled.emitted.size};
    const enum rl_status measured = rl_cli_measure_bytes(cli, &program, room, need);
    need->name_bytes = compiled.emitted.name_bytes;
    return measured;
}

struct needs {
    struct rl_cli_need as_is, with_integers;
    bool has_integers;
};

// Measures a model as asked for, and with integers as inputs and outputs if they were floats.
static enum rl_status measure_pt2(struct rl_cli *cli, struct rl_compile_options *options,
                                  const struct rl_cli_room *room, struct needs *needs)
{
    const enum rl_status status = measure_model(cli, options, room, &needs->as_is);
    if (status != RL_OK || options->interface != RL_INTERFACE_FLOAT || options->quantization == RL_QUANTIZE_NONE) {
        return status;
    }
    // A model whose inputs and outputs must stay floats has no such form. Its warnings were given before.
    options->interface = RL_INTERFACE_INT8;
    cli->context.log = NULL;
    needs->has_integers = measure_model(cli, options, room, &needs->with_integers) == RL_OK;
    return RL_OK;
}

static int show(struct rl_cli *cli, json_t *report)
{
    const int status = json_is_true(json_object_get(report, "fits")) ? RL_EXIT_DONE : RL_EXIT_FAILED;
    if (rl_cli_given(cli, "json")) {
        rl_cli_print_json(cli, report);
        return status;
    }
    rl_cli_print_fit(report);
    json_decref(report);
    return status;
}

static int run(struct rl_cli *cli)
{
    struct rl_cli_room room;
    struct rl_compile_options options = {0};
    struct needs needs = {0};
    const char *path = cli->operands[0];

    if (rl_cli_read_compilation(cli, &options) != RL_EXIT_DONE || rl_cli_read_room(cli, &room) != RL_EXIT_DONE ||
        rl_target_parse(&cli->context, room.core->name, &options.target) != RL_OK) {
        return RL_EXIT_USAGE;
    }
    options.dump_file = stderr;
    struct rl_host_files files;
    enum rl_status status = rl_cli_read_program(cli, path, rl_cli_value(cli, "program-data", NULL), NULL, &files);
    if (status == RL_OK && !rl_cli_is_program(&files) && rl_cli_given(cli, "program-data")) {
        return rl_cli_usage_error(cli, "--program-data is for a .pte");
    }
    if (status == RL_OK) {
        status = rl_cli_is_program(&files)
                     ? rl_cli_measure_need(cli, path, rl_cli_value(cli, "program-data", NULL), &room, &needs.as_is)
                     : measure_pt2(cli, &options, &room, &needs);
    }
    if (status != RL_OK) {
        rl_cli_release_need(&needs.as_is);
        return rl_cli_failed(cli);
    }
    json_t *report = rl_cli_fit_report(path, &room, &needs.as_is);
    rl_cli_add_hints(report, &room, &needs.as_is, needs.has_integers ? &needs.with_integers : NULL);
    rl_cli_release_need(&needs.as_is);
    rl_cli_release_need(&needs.with_integers);
    return show(cli, report);
}

static const struct rl_cli_option option_table[] = {
#include "cli/compilation.def"
#include "cli/fit.def"
    {"program-data", 0, "MODEL.ptd", false, "the tensors that a .pte keeps in another file"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_fit = {
    .name = "fit",
    .operands = "MODEL.pt2|MODEL.pte",
    .operand_count = 1,
    .summary = "whether a model fits a board: flash, RAM and time, measured on the emulated core",
    .options = option_table,
    .choices = rl_cli_compilation_choices,
    .failure = TROUBLE,
    .run = run,
};
