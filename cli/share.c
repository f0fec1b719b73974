// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/emission.h"

const char *rl_cli_share(struct rl_cli *cli)
{
    enum { PATH_BYTES = 4096 };
    char folder[PATH_BYTES];
    const char *chosen = getenv("RUSHLIGHT_SHARE");
    if (chosen && *chosen) {
        return chosen;
    }
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
        // In a build folder it lies beside the program, in a prefix beside the folder of programs.
        const char *const places[] = {rl_arena_format(cli->arena, "%s/share/rushlight", folder),
                                      rl_arena_format(cli->arena, "%s/../share/rushlight", folder)};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            if (access(rl_arena_format(cli->arena, "%s/sources.txt", places[i]), R_OK) == 0) {
                return places[i];
            }
        }
    }
    (void)rl_fail(&cli->context, RL_ERROR_IO,
                  "the sources of the kernels are not installed: expected share/rushlight/sources.txt beside the "
                  "program or its folder (or set RUSHLIGHT_SHARE)");
    return NULL;
}
