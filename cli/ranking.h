// SPDX-License-Identifier: Apache-2.0
//
// The classes that a program finds likeliest: --top and --labels of `run`.
#ifndef RL_CLI_RANKING_H
#define RL_CLI_RANKING_H

#include "cli/execution.h"

struct rl_cli_ranking {
    int64_t top;             // classes to show of each sample; 0: no ranking is wanted
    const char *labels_path; // NULL: classes have numbers only
    const char **labels;
    int label_count;
    int output, class_count; // the first output that is a vector
};

// Reads the options, and the names of the classes. Returns an exit code; other than RL_EXIT_DONE, the reason is
// printed.
int rl_cli_read_ranking(struct rl_cli *cli, struct rl_cli_ranking *ranking);

// Reads the names of ranking->labels_path, one a line.
enum rl_status rl_cli_read_labels(struct rl_cli *cli, struct rl_cli_ranking *ranking);

// Finds the output with the classes: the first one in which one dimension at most is larger than 1. There must be as
// many classes as labels. Before the first run, outputs whose sizes may change are left for later.
enum rl_status rl_cli_settle_ranking(struct rl_cli *cli, const struct rl_cli_program *program, bool has_run,
                                     struct rl_cli_ranking *ranking);

// [{"input", "probabilities", "top": [{"class", "label", "score"}]}], the likeliest first; of equal ones the lower
// number.
json_t *rl_cli_ranking_json(struct rl_cli *cli, const struct rl_cli_program *program, const struct rl_dataset *samples,
                            const struct rl_cli_outputs *outputs, const struct rl_cli_ranking *ranking);

// Prints what that returned.
void rl_cli_print_ranking(const json_t *list);

#endif
