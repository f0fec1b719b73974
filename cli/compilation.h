// SPDX-License-Identifier: Apache-2.0
//
// The options of a compilation, of the verbs that compile a model: compilation.def has their rows in tables of options.
#ifndef RL_CLI_COMPILATION_H
#define RL_CLI_COMPILATION_H

#include "cli/cli.h"
#include "compiler/options.h"

// The choices of --quantize, --quantizer, --accuracy and --io.
extern const struct rl_cli_choice rl_cli_quantizations[], rl_cli_quantizers[], rl_cli_accuracies[], rl_cli_interfaces[];

// All of them, for a verb whose other options have no choices.
extern const struct rl_cli_choices rl_cli_compilation_choices[];

// Reads them, and --target and --for of verbs that have these. The model is the first operand.
int rl_cli_read_compilation(struct rl_cli *cli, struct rl_compile_options *options);

#endif
