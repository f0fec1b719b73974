// SPDX-License-Identifier: Apache-2.0
//
// Runs a verb again each time when one of its files changes.
#ifndef RL_CLI_WATCH_H
#define RL_CLI_WATCH_H

#include "cli/cli.h"

// Starts a process for each run, in which this function returns true: it goes on as if nothing was watched, and its
// failures end it alone. In the process that was started first it returns false when SIGINT or SIGTERM arrives, or when
// no process can be started; *status is then the exit status. `output`, which each run writes, must not lie in a folder
// that is watched; it may be NULL. Of a folder its own files are watched; a path may be
// NULL.
bool rl_cli_watch(struct rl_cli *cli, const char *const *paths, int path_count, const char *output, int *status);

#endif
