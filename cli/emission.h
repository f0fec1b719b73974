// SPDX-License-Identifier: Apache-2.0
//
// Programs as C source, for `compile --emit c` and `firmware`.
#ifndef RL_CLI_EMISSION_H
#define RL_CLI_EMISSION_H

#include "cli/cli.h"
#include "compiler/c/emit.h"
#include "compiler/c/sources.h"
#include "compiler/pipeline.h"

// The folder share/rushlight with the sources that projects carry along; NULL with a message in the context if there is
// none.
const char *rl_cli_share(struct rl_cli *cli);

// A C identifier from --name, or else from the last part of `path` without its extension. Says so if it had to change.
const char *rl_cli_model_name(struct rl_cli *cli, const char *path);

// The last part of a path.
const char *rl_cli_base_name(const char *path);

// Complains of options that only a compilation takes, for a program that has been compiled; RL_EXIT_USAGE, or
// RL_EXIT_DONE if there are none.
int rl_cli_check_compiled(const struct rl_cli *cli);

// A program as C, with the labels of --labels. Its inputs and outputs have numbers only.
enum rl_status rl_cli_emit_program(struct rl_cli *cli, const struct rl_host_files *files,
                                   const struct rl_target *target, struct rl_c_source *source);

// A model as C, with the names of its graph, and the labels of --labels.
enum rl_status rl_cli_emit_c(struct rl_cli *cli, const struct rl_compile_options *options,
                             const struct rl_compiled *compiled, struct rl_c_source *source);

// Adds model.c and model.h to a project below `folder`; with `isa`, the kernels that they call as well.
enum rl_status rl_cli_add_model(struct rl_cli *cli, const struct rl_c_source *source, const enum rl_isa *isa,
                                const char *folder, struct rl_project_files *files);

// `compile --emit c`: writes the folder of -o, for a core of `isa`.
enum rl_status rl_cli_write_c(struct rl_cli *cli, const struct rl_c_source *source, enum rl_isa isa);

// {"name", "stack_bytes", "state_bytes", "functions", "files"} for --json.
json_t *rl_cli_c_json(struct rl_cli *cli, const struct rl_c_source *source);

#endif
