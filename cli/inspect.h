// SPDX-License-Identifier: Apache-2.0
//
// The results of `rushlight inspect`, with one function a kind of file. Each returns a new JSON object, or NULL with
// the error in the context.
#ifndef RL_CLI_INSPECT_H
#define RL_CLI_INSPECT_H

#include "cli/cli.h"
#include "compiler/host_program.h"

json_t *rl_cli_inspect_pte(struct rl_cli *cli, const struct rl_host_files *files);
json_t *rl_cli_inspect_pt2(struct rl_cli *cli, const char *path, const struct rl_input_shapes *shapes);

// The registry objects of all operators that an open program calls in any of its methods: a new array of names.
// Operators that the runtime does not have are left out.
json_t *rl_cli_list_registry(const struct rl_program *program);

// Whether the program, whose operators are all there, needs a registry with rl_control_flow_all.
bool rl_cli_needs_flow(const struct rl_program *program);

#endif
