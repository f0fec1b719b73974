// SPDX-License-Identifier: Apache-2.0
//
// What emulations share: where the tools are, what the confined QEMU says, and the sentences about that.
#ifndef RL_BOARDS_TOOLS_H
#define RL_BOARDS_TOOLS_H

#include "message.h"

#include <stdbool.h>

// How the counter starts the line in which it refuses to go on.
#define RL_TOOL_NOT_CONFINED "rl_count: cannot confine"

// The absolute path of `name` in `folder`, in room for PATH_MAX bytes; QEMU runs in another folder. `command` is what
// builds it.
enum rl_emulation_status rl_tool_locate(const char *folder, const char *name, const char *command, char *absolute,
                                        const struct rl_message *message);

// Whether the user allows an emulator with all rights. Confinement needs no privileges, but a kernel that has seccomp.
bool rl_tool_is_unconfined(void);

// The line of `log` that starts with `prefix`, without its end, copied to `line`.
bool rl_tool_find_line(const char *log, const char *prefix, char *line, size_t bytes);

// Why QEMU could not be started, from an errno.
enum rl_emulation_status rl_tool_no_qemu(int error, const struct rl_message *message);

// The line that starts with RL_TOOL_NOT_CONFINED, with what to do.
enum rl_emulation_status rl_tool_not_confined(const char *line, const struct rl_message *message);

#endif
