// SPDX-License-Identifier: Apache-2.0
//
// What `rushlight profile` measures and shows. The manual page describes the report.
#ifndef RL_CLI_PROFILE_H
#define RL_CLI_PROFILE_H

#include "cli/execution.h"
#include "compiler/targets/board.h"

struct rl_cli_profile_settings {
    const char *data_path, *method;
    const char *const *inputs; // files of samples, of which the first sample counts
    int input_count;
    const struct rl_board *board;     // whose core, clock and current hold where nothing else is given; NULL: none
    const struct rl_current *current; // of the board, from which the watts follow; NULL: they were given, or unknown
    double hertz;                     // of the core's clock; 0: not given
    double watts;                     // that the chip takes while it computes; 0: not given
    uint32_t wait_states;             // of the core's flash
    unsigned timeout_seconds;
    uint64_t max_steps; // on the host
};

// Measures a program on "host" or an emulated core: a new report, or NULL with the reason in the context.
json_t *rl_cli_profile_program(struct rl_cli *cli, const char *path, const char *core,
                               const struct rl_cli_profile_settings *settings);

// Wall time of the first sample on the host, in the fastest of several runs.
struct rl_cli_host_times {
    double *seconds;  // by instruction of the method
    uint64_t *runs;   // of each
    double total;     // of the inference, with the clocks between its operators
    double unclocked; // of the fastest run without them
    int64_t repeated; // so often
};
enum rl_status rl_cli_time_operators(struct rl_cli *cli, struct rl_cli_program *program,
                                     const struct rl_dataset *samples, struct rl_cli_host_times *times);

// Adds the bytes of flash and RAM that a firmware with the program needs, from what inspect tells of it. They are null
// on the host; and where the code cannot be linked: then `unknown` has the reason, and so has the context. An error if
// this system fails, for example without memory.
enum rl_status rl_cli_profile_add_code(struct rl_cli *cli, const json_t *facts, json_t *report);

// Sums of operators with the same text under `key`, in the order of their first ones: a new array.
json_t *rl_cli_profile_group(const json_t *operators, const char *key);

// Milliseconds at a clock, of a core whose cycles are known, and the energy of a power for so long: adds them to a
// report.
void rl_cli_profile_add_time(json_t *report, double hertz, double watts);

// The figure that shares are shares of: "cycles", "instructions" or "milliseconds", as far as it is known.
const char *rl_cli_profile_measure(const json_t *report);

// ---- what is shown

void rl_cli_profile_print(const json_t *report);
void rl_cli_profile_print_csv(const json_t *report);

// Two reports side by side: {a, b, figures, by, parts}, a new object that takes both; and its text. The parts are
// layers, or kinds of operators if one of the programs has no names.
json_t *rl_cli_profile_compare(json_t *a, json_t *b);
void rl_cli_profile_print_comparison(const json_t *comparison);

// Writes a report as a trace that Perfetto and chrome://tracing open: layers, operators, and the live bytes.
enum rl_status rl_cli_profile_write_trace(struct rl_cli *cli, const json_t *report, const char *path);

// Writes a report of an emulated core with a model of its cycles as an ETDump, which ExecuTorch's Inspector reads.
enum rl_status rl_cli_profile_write_etdump(struct rl_cli *cli, const json_t *report, const char *path);

// Writes a report as node data, which Model Explorer shows on the graph of Arm's adapter for programs.
enum rl_status rl_cli_profile_write_node_data(struct rl_cli *cli, const json_t *report, const char *path);

// A table of models against cores, and the reasons why some are missing.
void rl_cli_profile_print_table(const json_t *table);
void rl_cli_profile_print_table_csv(const json_t *table);

// A figure of an entry in so many columns; a dash where it is not known.
void rl_cli_profile_print_figure(const json_t *entry, const char *key, int width, int decimals);

// What a layer, or a kind of operators, is called; and its column at the start of a line. A longer one pushes the rest.
const char *rl_cli_profile_label(const json_t *entry, const char *key);
void rl_cli_profile_print_label(const char *label);

#endif
