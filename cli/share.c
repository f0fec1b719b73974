// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include "boards/qemu/workspace.h"
#include "cli/emission.h"

const char *rl_cli_share(struct rl_cli *cli)
{
    char folder[RL_PATH_BYTES];
    const char *chosen = getenv("RUSHLIGHT_SHARE");
    if (chosen && *chosen) {
        return chosen;
    }
    if (rl_workspace_own_folder(folder)) {
        // In a build folder and in the Python package it lies beside program and library, in a prefix beside their
        // folders; that of libraries may have one more inside for the architecture.
        const char *const places[] = {rl_arena_format(cli->arena, "%s/share/rushlight", folder),
                                      rl_arena_format(cli->arena, "%s/../share/rushlight", folder),
                                      rl_arena_format(cli->arena, "%s/../../share/rushlight", folder)};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            if (access(rl_arena_format(cli->arena, "%s/sources.txt", places[i]), R_OK) == 0) {
                return places[i];
            }
        }
    }
    (void)rl_fail(&cli->context, RL_ERROR_IO,
                  "the sources of the kernels are not installed: expected share/rushlight/sources.txt beside the "
                  "program or the library, or their folder (or set RUSHLIGHT_SHARE)");
    return NULL;
}
