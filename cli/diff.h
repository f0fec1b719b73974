// SPDX-License-Identifier: Apache-2.0
//
// Two programs side by side, as JSON: what their files hold, and what they compute.
#ifndef RL_CLI_DIFF_H
#define RL_CLI_DIFF_H

#include "cli/execution.h"

// A figure of both: {a, b, percent} under `key`.
struct rl_cli_diff_figure {
    const char *key, *title;
    bool is_limited; // by --fail-if-larger
};

extern const struct rl_cli_diff_figure rl_cli_diff_figures[]; // ends with a NULL key

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
