// SPDX-License-Identifier: Apache-2.0
//
// One page about a program, for a browser.
#include "cli/page.h"

#include <string.h>

#include "cli/boards.h"
#include "cli/evaluation.h"
#include "cli/histograms.h"
#include "cli/inspect.h"

// ---- data

// One board of each core is enough to show where a program belongs.
static json_t *some_boards(void)
{
    int count;
    const struct rl_board *boards = rl_boards(&count);
    json_t *list = json_array(), *cores = json_object();

    for (int i = 0; i < count; i++) {
        if (!json_object_get(cores, boards[i].chip->core)) {
            json_object_set_new(cores, boards[i].chip->core, json_true());
            json_array_append_new(list, rl_cli_board_json(&boards[i]));
        }
    }
    json_decref(cores);
    return list;
}

// Adds what the core tells. A program that cannot be measured still has a page, which says why.
static void measure(struct rl_cli *cli, const char *path, const char *data_path, const struct rl_cli_room *room,
                    json_t *data)
{
    struct rl_cli_need need;

    if (rl_cli_measure_need(cli, path, data_path, room, &need) == RL_OK) {
        json_t *fit = rl_cli_fit_report(path, room, &need);
        rl_cli_add_hints(fit, room, &need, NULL);
        json_object_set_new(data, "fit", fit);
    } else {
        json_object_set_new(data, "not_measured", json_string(cli->context.message));
    }
    if (need.profile) {
        json_object_set(data, "profile", need.profile);
    }
    rl_cli_release_need(&need);
}

json_t *rl_cli_page_data(struct rl_cli *cli, const char *path, const char *data_path, const struct rl_cli_room *room)
{
    struct rl_host_files files;

    if (rl_cli_read_program(cli, path, data_path, NULL, &files) != RL_OK) {
        return NULL;
    }
    if (!rl_cli_is_program(&files)) {
        rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "%s: this is not a .pte; accepted: an ExecuTorch program", path);
        return NULL;
    }
    json_t *inspect = rl_cli_inspect_pte(cli, &files);
    if (!inspect) {
        return NULL;
    }
    json_t *data = json_pack("{s:o, s:n, s:n, s:n, s:n, s:n, s:o}", "inspect", inspect, "profile", "fit",
                             "not_measured", "compilation", "evaluation", "boards", some_boards());
    struct rl_cli_program *program = rl_arena_alloc(cli->arena, sizeof *program);
    json_object_set_new(data, "histograms",
                        rl_cli_open_program(cli, path, data_path, NULL, program) == RL_OK
                            ? rl_cli_histograms(cli, program, NULL, NULL)
                            : json_null());
    if (room) {
        measure(cli, path, data_path, room, data);
    }
    return data;
}

// ---- the verb

// Compares with the float model, if that is given, and adds what each layer costs in accuracy.
static int evaluate(struct rl_cli *cli, json_t *data)
{
    struct rl_cli_comparison comparison = {.model_path = rl_cli_value(cli, "model", NULL),
                                           .program_path = cli->operands[0],
                                           .data_path = rl_cli_value(cli, "program-data", NULL),
                                           .core = "host"};

    comparison.data = rl_cli_values(cli, "data", &comparison.data_count);
    if (!comparison.model_path) {
        return RL_EXIT_DONE;
    }
    struct rl_cli_evaluation *evaluation = rl_arena_alloc(cli->arena, sizeof *evaluation);
    int status = rl_cli_sequence(cli, &comparison.sequence);
    if (status == RL_EXIT_DONE) {
        status = rl_cli_evaluate_all(cli, &comparison, evaluation);
    }
    if (status == RL_EXIT_DONE) {
        evaluation->culprit_samples = -1;
        status = rl_cli_find_culprits(cli, evaluation);
    }
    if (status == RL_EXIT_DONE) {
        json_object_set_new(data, "evaluation", rl_cli_evaluation_json(evaluation, comparison.core));
        json_object_set_new(data, "histograms",
                            rl_cli_histograms(cli, &evaluation->program, &evaluation->samples, &evaluation->layers));
    }
    return status;
}

static int run(struct rl_cli *cli)
{
    static const char *const of_room[] = {"board", "core", "flash", "ram", "clock", "wait-states", "deadline", NULL};
    struct rl_cli_room room;
    bool measures = false;

    if (!rl_cli_given(cli, "output")) {
        return rl_cli_usage_error(cli, "-o OUT.html is missing");
    }
    if (rl_cli_given(cli, "model") != rl_cli_given(cli, "data")) {
        return rl_cli_usage_error(cli, "--model MODEL.pt2 and --data EVAL.npz want each other");
    }
    if (rl_cli_given(cli, "sequence") && !rl_cli_given(cli, "model")) {
        return rl_cli_usage_error(cli, "--sequence is for the samples of --data");
    }
    for (const char *const *option = of_room; *option; option++) {
        measures = measures || rl_cli_given(cli, *option);
    }
    if (measures && rl_cli_read_room(cli, &room) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    json_t *data =
        rl_cli_page_data(cli, cli->operands[0], rl_cli_value(cli, "program-data", NULL), measures ? &room : NULL);
    if (!data) {
        return rl_cli_failed(cli);
    }
    const int evaluated = evaluate(cli, data);
    if (evaluated != RL_EXIT_DONE) {
        json_decref(data);
        return evaluated;
    }
    const enum rl_status status = rl_cli_write_page(cli, rl_cli_value(cli, "output", NULL), data);
    if (status == RL_OK && rl_cli_given(cli, "json")) {
        return rl_cli_print_json(cli, data);
    }
    json_decref(data);
    return status == RL_OK ? RL_EXIT_DONE : rl_cli_failed(cli);
}

static const struct rl_cli_option options[] = {
    {"output", 'o', "OUT.html", false, "the page to write"},
#include "cli/fit.def"
    {"program-data", 0, "MODEL.ptd", false, "the tensors that the program keeps in another file"},
    {"model", 0, "MODEL.pt2", false, "the float model, to compare with on the samples of --data"},
    {"data", 0, "EVAL.npz", true, "samples, and labels if top-1 accuracy is wanted"},
    {"sequence", 0, "N", false, "with state: each N samples are a sequence, which starts anew; all are one"},
    {"max-unpacked", 0, "BYTES", false, "what a .pt2 or .npz may unfold to; 32 times the file, 128M at least"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"json", 0, NULL, false, "print the data of the page as one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_report = {
    .name = "report",
    .operands = "MODEL.pte",
    .operand_count = 1,
    .summary = "one page of HTML about a program: sizes, operators, memory over time, cycles of each layer",
    .options = options,
    .run = run,
};
