// SPDX-License-Identifier: Apache-2.0
//
// A program that was compiled just now, with the samples of its compilation.
#ifndef RL_CLI_COMPILED_H
#define RL_CLI_COMPILED_H

#include "cli/execution.h"
#include "compiler/emit/pte.h"
#include "compiler/options.h"

// Opens it on the host under the name `path`, and loads the calibration data, or the samples of the model, in the types
// of its inputs. Each sample is a sequence of its own. The program must not be copied.
enum rl_status rl_cli_open_compiled(struct rl_cli *cli, const struct rl_compile_options *options,
                                    const struct rl_emitted *emitted, const char *path, struct rl_cli_program *program,
                                    struct rl_dataset *samples);

#endif
