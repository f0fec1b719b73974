// SPDX-License-Identifier: Apache-2.0
//
// Two programs side by side, as JSON: what their files hold, and what they compute.
#ifndef RL_CLI_DIFF_H
#define RL_CLI_DIFF_H

#include "cli/execution.h"

// A figure of both: {a, b, percent} under `key`. Those of a core are there only if they were measured.
struct rl_cli_diff_figure {
    const char *key, *title;
    const char *limit; // the option that limits it; NULL: none
};

extern const struct rl_cli_diff_figure rl_cli_diff_figures[]; // ends with a NULL key

// {a, b, percent}: the change from A to B, null where A is 0.
json_t *rl_cli_diff_pair(json_int_t a, json_int_t b);

// The emulated core of --on; RL_EXIT_USAGE for the host and for words that are not cores.
int rl_cli_diff_core(const struct rl_cli *cli, const char **core);

// Runs both programs on the core, on the first sample of --input or on zeros, and adds what they take there. Returns an
// exit status.
int rl_cli_diff_costs(struct rl_cli *cli, const char *core, json_t *report);

// Compares both with the float model of --model on the samples of --data, and adds `accuracy`: {samples, top1_float},
// and {a, b} of top1_quantized, agreement and sqnr_db. Returns an exit status, whose reason was printed.
int rl_cli_diff_accuracy(struct rl_cli *cli, json_t *report);

// Runs both programs (operands 0 and 1 of the verb) on the data on the host. Adds `samples` and `results` to the
// report: [{index, comparable, equal, equal_samples, sqnr_db, agreement}] for each output. Those of different sizes,
// and those that one program lacks, are not comparable. The ratio is that of B against A. The agreement is the share of
// the rows along the last dimension whose largest elements are at the same place; null for rows of one element. Returns
// an exit status.
int rl_cli_diff_results(struct rl_cli *cli, const char *const *paths, int path_count, json_t *report);

// The report for a terminal, and as a table in Markdown.
void rl_cli_diff_print(const json_t *report);
void rl_cli_diff_print_markdown(const json_t *report);

#endif
