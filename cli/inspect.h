// SPDX-License-Identifier: Apache-2.0
//
// What `rushlight inspect` finds out, one function a kind of file. Each returns a new JSON object, or NULL
// with the error in the context.
#ifndef RL_CLI_INSPECT_H
#define RL_CLI_INSPECT_H

#include "cli/cli.h"
#include "compiler/host_program.h"

json_t *rl_cli_inspect_pte(struct rl_cli *cli, const struct rl_host_files *files);
json_t *rl_cli_inspect_pt2(struct rl_cli *cli, const char *path);

#endif
