// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "tools.h"
#include "workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rl_emulation_status rl_tool_locate(const char *folder, const char *name, const char *command, char *absolute,
                                        const struct rl_message *message)
{
    char path[RL_PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && realpath(path, absolute)) {
        return RL_EMULATION_OK;
    }
    return rl_emulation_fail(message, RL_EMULATION_MISSING, "%s/%s: %s; %s builds it (or set RUSHLIGHT_FIRMWARE)",
                             folder, name, strerror(errno), command);
}

bool rl_tool_is_unconfined(void)
{
    const char *chosen = getenv("RUSHLIGHT_UNCONFINED");
    return chosen && strcmp(chosen, "1") == 0;
}

bool rl_tool_find_line(const char *log, const char *prefix, char *line, size_t bytes)
{
    const char *start = log;
    while (start && strncmp(start, prefix, strlen(prefix)) != 0) {
        start = strchr(start, '\n');
        if (start) {
            start++;
        }
    }
    if (!start) {
        return false;
    }
    snprintf(line, bytes, "%.*s", (int)strcspn(start, "\r\n"), start);
    return true;
}

enum rl_emulation_status rl_tool_no_qemu(int error, const struct rl_message *message)
{
    if (error == ENOENT) {
        return rl_emulation_fail(
            message, RL_EMULATION_MISSING,
            "qemu-system-arm is not installed: scripts/bootstrap does it (Debian package qemu-system-arm)");
    }
    return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "qemu-system-arm: %s", strerror(error));
}

enum rl_emulation_status rl_tool_not_confined(const char *line, const struct rl_message *message)
{
    return rl_emulation_fail(message, RL_EMULATION_SYSTEM,
                             "%s, so that a hostile program could use your files (RUSHLIGHT_UNCONFINED=1 allows it)",
                             line);
}
