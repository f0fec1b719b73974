// SPDX-License-Identifier: Apache-2.0
//
// A float model and a program of it on the same samples: what `evaluate` prints and `check` judges.
#ifndef RL_CLI_EVALUATION_H
#define RL_CLI_EVALUATION_H

#include "cli/execution.h"
#include "compiler/evaluate/culprits.h"
#include "compiler/evaluate/outputs.h"
#include "compiler/graph_runner.h"

struct rl_cli_evaluation {
    struct rl_graph *graph; // of the float model
    struct rl_graph_runner *runner;
    struct rl_cli_program program;
    struct rl_dataset float_samples, samples; // the same data for the one and the other
    struct rl_cli_outputs results;            // of the program, on the core asked for
    struct rl_layers layers;                  // on the host
    struct rl_output *outputs;                // graph->output_count of them
    int chosen;                               // the output whose accuracy counts; -1: the model has none
    int64_t culprit_samples;     // how many rl_cli_find_culprits looks at; -1: as many as take about a second, up to 8
    struct rl_culprits culprits; // what it found
};

// What is compared, and on which data.
struct rl_cli_comparison {
    const char *model_path, *program_path;
    const char *data_path;       // of the program: its .ptd, or NULL
    const char *method, *output; // names; NULL: the usual ones
    const char *core;            // "host" or an emulated one
    const char *const *data;     // files of samples
    int data_count;
    int64_t sequence; // samples of a sequence; 0: all are one
};

// Reads the operands and the options --data, --on, --method, --output and --sequence of a verb that has them all.
// Returns an exit code; other than RL_EXIT_DONE, the reason is printed.
int rl_cli_read_comparison(const struct rl_cli *cli, struct rl_cli_comparison *comparison);

// Runs both on all samples. Returns an exit code; other than RL_EXIT_DONE, the reason is printed.
int rl_cli_evaluate_all(struct rl_cli *cli, const struct rl_cli_comparison *comparison,
                        struct rl_cli_evaluation *evaluation);

// Finds what each layer alone costs at the chosen output, or at the first one of floats, on the first samples. Call it
// after rl_cli_evaluate_all; returns an exit code.
int rl_cli_find_culprits(struct rl_cli *cli, struct rl_cli_evaluation *evaluation);

// Everything found, as one JSON object.
json_t *rl_cli_evaluation_json(const struct rl_cli_evaluation *evaluation, const char *core);

// What would help against the error of a culprit, by its `help`; "" where that is not known.
const char *rl_cli_culprit_advice(const char *help);

// The lowest ratio among outputs of floats.
double rl_cli_lowest_db(const struct rl_cli_evaluation *evaluation);

#endif
