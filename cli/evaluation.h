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

// Runs both on all samples, with the operands and the options --data, --on, --method and --output of the verb. Returns
// an exit code; other than RL_EXIT_DONE, the reason is printed.
int rl_cli_evaluate_all(struct rl_cli *cli, struct rl_cli_evaluation *evaluation, const char **core);

// Finds what each layer alone costs at the chosen output, or at the first one of floats, on the first samples. Call it
// after rl_cli_evaluate_all; returns an exit code.
int rl_cli_find_culprits(struct rl_cli *cli, struct rl_cli_evaluation *evaluation);

// Everything found, as one JSON object.
json_t *rl_cli_evaluation_json(const struct rl_cli_evaluation *evaluation, const char *core);

// The lowest ratio among outputs of floats.
double rl_cli_lowest_db(const struct rl_cli_evaluation *evaluation);

#endif
