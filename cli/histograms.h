// SPDX-License-Identifier: Apache-2.0
//
// How the integers of a program are distributed on their grids: weights, and what operators give for samples.
#ifndef RL_CLI_HISTOGRAMS_H
#define RL_CLI_HISTOGRAMS_H

#include "cli/execution.h"

struct rl_layers;

// {samples, tensors}: for each constant `weight` of int8 or int16, and for each such result of an operator on the first
// samples, its instruction, how often each part of the grid is taken, and how many values are at its ends. Without
// samples (NULL) only weights. Grids of results are those of `layers`, or NULL: then scales are null. Runs the program
// on the host.
json_t *rl_cli_histograms(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                          const struct rl_layers *layers);

// Sets the grids that are not known yet, of a program that was just compiled: from `instructions`, of inspect, and what
// the quantizer decided, of compile.
void rl_cli_histogram_grids(json_t *histograms, const json_t *instructions, const json_t *quantizer);

#endif
