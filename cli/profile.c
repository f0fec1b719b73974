// SPDX-License-Identifier: Apache-2.0
//
// Where the cycles of a program go, before there is a board.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards/qemu/emulator.h"
#include "cli/boards.h"
#include "cli/profile.h"
#include "compiler/targets/target.h"

enum { MOST_MODELS = 16 };

// ---- options

// The clock of a board, and what its chip takes, unless they are given.
static int read_board(const struct rl_cli *cli, struct rl_cli_profile_settings *settings)
{
    const char *name = rl_cli_value(cli, "board", NULL);

    if (!name) {
        return RL_EXIT_DONE;
    }
    settings->board = rl_board_find(name);
    if (!settings->board) {
        return rl_cli_unknown_board(cli, name);
    }
    if (settings->hertz <= 0) {
        settings->hertz = settings->board->chip->clock_hz;
    }
    settings->current = rl_cli_board_power(settings->board, settings->hertz, &settings->watts);
    return RL_EXIT_DONE;
}

static int read_settings(const struct rl_cli *cli, struct rl_cli_profile_settings *settings)
{
    int64_t steps = 0, seconds = 0;

    *settings = (struct rl_cli_profile_settings){.data_path = rl_cli_value(cli, "program-data", NULL),
                                                 .method = rl_cli_value(cli, "method", NULL)};
    settings->inputs = rl_cli_values(cli, "input", &settings->input_count);
    if (rl_cli_frequency(cli, "clock", &settings->hertz) != RL_EXIT_DONE ||
        rl_cli_power(cli, "power", &settings->watts) != RL_EXIT_DONE || read_board(cli, settings) != RL_EXIT_DONE ||
        rl_cli_wait_states(cli, &settings->wait_states) != RL_EXIT_DONE ||
        rl_cli_count_of(cli, "max-steps", "instructions", RL_HOST_MAX_STEPS, &steps) != RL_EXIT_DONE ||
        rl_cli_count_of(cli, "timeout", "seconds", 0, &seconds) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    settings->max_steps = (uint64_t)steps;
    settings->timeout_seconds = (unsigned)seconds;
    return RL_EXIT_DONE;
}

// Complains of a core that programs can be compiled for, but that is not emulated. `option` is what names it.
static int check_emulated(const struct rl_cli *cli, const char *option, const char *given)
{
    int count;
    const struct rl_core *cores = rl_cores(&count), *core = rl_core_find(given, strlen(given));
    char same[128] = "";
    size_t used = 0;

    if (!core || core->emulated) {
        return RL_EXIT_DONE;
    }
    for (int i = 0; i < count && used < sizeof same; i++) {
        if (cores[i].isa == core->isa && cores[i].emulated) {
            used += (size_t)snprintf(same + used, sizeof same - used, "%s%s", used > 0 ? ", " : "", cores[i].name);
        }
    }
    return rl_cli_usage_error(cli, "--%s %s: %s is not emulated, so nothing can be measured on it%s%s", option,
                              rl_cli_value(cli, option, ""), strcmp(option, "on") == 0 ? "this core" : core->name,
                              used > 0 ? "; the same kernels run on " : "", same);
}

static int read_core(const struct rl_cli *cli, const struct rl_board *board, const char **core)
{
    const char *given = rl_cli_value(cli, "on", NULL);

    if (board) {
        *core = board->chip->core;
        return check_emulated(cli, "board", *core);
    }
    if (!given) {
        return rl_cli_usage_error(cli, "--on CORE is missing: an emulated core such as cortex-m4, or host; or "
                                       "--board, or --all-cores");
    }
    const int status = check_emulated(cli, "on", given);
    return status == RL_EXIT_DONE ? rl_cli_read_core(cli, core) : status;
}

static int count_models(const struct rl_cli *cli)
{
    int count = 0;
    while (count < MOST_MODELS && cli->operands[count]) {
        count++;
    }
    return count;
}

// Options that contradict each other, or the core.
static int check_options(const struct rl_cli *cli, const struct rl_cli_profile_settings *settings)
{
    static const char *const files[] = {"trace", "etdump", "node-data", NULL};
    const bool all = rl_cli_given(cli, "all-cores"), compares = rl_cli_given(cli, "compare");
    const bool on_host = strcmp(rl_cli_value(cli, "on", ""), "host") == 0;

    if (rl_cli_given(cli, "json") && rl_cli_given(cli, "csv")) {
        return rl_cli_usage_error(cli, "--json and --csv are two forms of the result; accepted: one of them");
    }
    if (settings->board && (all || rl_cli_given(cli, "on"))) {
        return rl_cli_usage_error(cli, "--%s is not for a board, whose core is %s", all ? "all-cores" : "on",
                                  settings->board->chip->core);
    }
    if (all && (compares || rl_cli_given(cli, "on"))) {
        return rl_cli_usage_error(cli, "--all-cores and --%s exclude each other", compares ? "compare" : "on");
    }
    if (compares && rl_cli_given(cli, "csv")) {
        return rl_cli_usage_error(cli, "--csv lists the operators of one program; --compare wants text or --json");
    }
    for (const char *const *file = files; (all || compares) && *file; file++) {
        if (rl_cli_given(cli, *file)) {
            return rl_cli_usage_error(cli, "--%s holds one run of one program, so that --%s has no place for it", *file,
                                      all ? "all-cores" : "compare");
        }
    }
    if (on_host && rl_cli_given(cli, "etdump")) {
        return rl_cli_usage_error(cli, "--etdump holds cycles, and the host tells only the time; --on cortex-m4, or "
                                       "another core, has cycles");
    }
    if (settings->watts > 0 && settings->hertz <= 0) {
        return rl_cli_usage_error(cli, "--power needs --clock: energy is power for a time");
    }
    if (!all && count_models(cli) > 1) {
        return rl_cli_usage_error(cli, "several programs need --all-cores; --compare OTHER.pte compares two on a core");
    }
    if (on_host && (settings->hertz > 0 || settings->wait_states > 0)) {
        return rl_cli_usage_error(cli, "--%s is for emulated cores; the host's time is measured",
                                  settings->hertz > 0 ? "clock" : "wait-states");
    }
    return RL_EXIT_DONE;
}

// ---- models against cores

static json_t *table_entry(struct rl_cli *cli, const char *path, const char *core,
                           const struct rl_cli_profile_settings *settings)
{
    static const char *const kept[] = {"instructions", "cycles",      "milliseconds",         "microjoules",
                                       "macs",         "arena_bytes", "stack_bytes",          "inference_stack_bytes",
                                       "flash_bytes",  "ram_bytes",   "cycles_error_percent", "cycle_model"};
    cli->context.message[0] = '\0'; // of the entry before
    json_t *report = rl_cli_profile_program(cli, path, core, settings);
    json_t *entry = json_pack("{s:s, s:s, s:n}", "file", path, "core", core, "error");

    if (!report) {
        json_object_set_new(entry, "error", json_string(cli->context.message));
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *value = json_object_get(report, kept[i]);
        json_object_set(entry, kept[i], value ? value : json_null());
    }
    json_decref(report);
    return entry;
}

static int run_table(struct rl_cli *cli, const struct rl_cli_profile_settings *settings)
{
    json_t *results = json_array(), *cores = json_array();
    const int models = count_models(cli);
    bool whole = true;

    for (size_t k = 0; rl_emulator_core(k); k++) {
        json_array_append_new(cores, json_string(rl_emulator_core(k)));
    }
    for (int i = 0; i < models; i++) {
        for (size_t k = 0; rl_emulator_core(k); k++) {
            json_t *entry = table_entry(cli, cli->operands[i], rl_emulator_core(k), settings);
            whole = whole && json_is_null(json_object_get(entry, "error"));
            json_array_append_new(results, entry);
        }
    }
    json_t *table = json_pack("{s:b, s:o, s:o, s:o, s:I}", "whole", (int)whole, "cores", cores, "results", results,
                              "clock_hz", settings->hertz > 0 ? json_real(settings->hertz) : json_null(), "wait_states",
                              (json_int_t)settings->wait_states);
    if (rl_cli_given(cli, "json")) {
        rl_cli_print_json(cli, table);
        return whole ? RL_EXIT_DONE : RL_EXIT_FAILED;
    }
    if (rl_cli_given(cli, "csv")) {
        rl_cli_profile_print_table_csv(table);
    } else {
        rl_cli_profile_print_table(table);
    }
    json_decref(table);
    return whole ? RL_EXIT_DONE : RL_EXIT_FAILED;
}

// ---- the verb

static int run_comparison(struct rl_cli *cli, json_t *a, const char *core,
                          const struct rl_cli_profile_settings *settings)
{
    json_t *b = rl_cli_profile_program(cli, rl_cli_value(cli, "compare", NULL), core, settings);

    if (!b) {
        json_decref(a);
        return rl_cli_failed(cli);
    }
    json_t *comparison = rl_cli_profile_compare(a, b);
    if (rl_cli_given(cli, "json")) {
        return rl_cli_print_json(cli, comparison);
    }
    rl_cli_profile_print_comparison(comparison);
    json_decref(comparison);
    return RL_EXIT_DONE;
}

// The files that are asked for.
static enum rl_status write_files(struct rl_cli *cli, const json_t *report)
{
    const char *trace = rl_cli_value(cli, "trace", NULL), *etdump = rl_cli_value(cli, "etdump", NULL);
    const char *node_data = rl_cli_value(cli, "node-data", NULL);
    enum rl_status status = trace ? rl_cli_profile_write_trace(cli, report, trace) : RL_OK;

    if (status == RL_OK && etdump) {
        status = rl_cli_profile_write_etdump(cli, report, etdump);
    }
    if (status == RL_OK && node_data) {
        status = rl_cli_profile_write_node_data(cli, report, node_data);
    }
    return status;
}

static int run(struct rl_cli *cli)
{
    struct rl_cli_profile_settings settings;
    const char *core = NULL;

    if (read_settings(cli, &settings) != RL_EXIT_DONE || check_options(cli, &settings) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (rl_cli_given(cli, "all-cores")) {
        return run_table(cli, &settings);
    }
    if (read_core(cli, settings.board, &core) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    json_t *report = rl_cli_profile_program(cli, cli->operands[0], core, &settings);
    if (!report) {
        return rl_cli_failed(cli);
    }
    if (write_files(cli, report) != RL_OK) {
        json_decref(report);
        return rl_cli_failed(cli);
    }
    if (rl_cli_given(cli, "compare")) {
        return run_comparison(cli, report, core, &settings);
    }
    if (rl_cli_given(cli, "json")) {
        return rl_cli_print_json(cli, report);
    }
    if (rl_cli_given(cli, "csv")) {
        rl_cli_profile_print_csv(report);
    } else {
        rl_cli_profile_print(report);
    }
    json_decref(report);
    return RL_EXIT_DONE;
}

static const struct rl_cli_option options[] = {
    {"on", 0, "CORE", false, "an emulated core such as cortex-m4, or host, which tells only the time"},
    {"board", 0, "BOARD", false, "one that 'rushlight boards' lists, with its core, its clock and what its chip takes"},
    {"all-cores", 0, NULL, false, "a table of all programs given against all emulated cores"},
    {"compare", 0, "OTHER.pte", false, "beside another program on the same core"},
    {"input", 0, "DATA", true, "samples, of which the first is run; without it, zeros"},
#include "cli/preparation.def"
    {"clock", 0, "80MHz", false, "milliseconds at this clock of the core"},
    {"power", 0, "10mW", false, "energy, with what the chip takes at this clock while it computes"},
    {"wait-states", 0, "N", false, "cycles of an access to flash that misses its small cache (0)"},
    {"program-data", 0, "MODEL.ptd", false, "the tensors that the program keeps in another file"},
    {"method", 0, "NAME", false, "which method to run; forward, or else the first one"},
    {"max-steps", 0, "N", false, "instructions of one inference on the host (100000000)"},
    {"timeout", 0, "SECONDS", false, "on an emulated core; 600 without this option"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"max-unpacked", 0, "BYTES", false, "what a .npz may unfold to; 32 times the file, 128M at least"},
    {"etdump", 0, "OUT.etdp", false, "also write the cycles for ExecuTorch's Inspector"},
    {"node-data", 0, "OUT.json", false, "also write node data for Model Explorer, on the graph of Arm's PTE adapter"},
    {"trace", 0, "OUT.json", false, "also write a trace that Perfetto and chrome://tracing open"},
    {"csv", 0, NULL, false, "print the operators as comma-separated values"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_profile = {
    .name = "profile",
    .operands = "MODEL.pte [MORE.pte ...]",
    .operand_count = 1,
    .optional_operand_count = MOST_MODELS - 1,
    .summary = "cycles, instructions and stack of each layer on an emulated core; time on the host",
    .options = options,
    .run = run,
};
