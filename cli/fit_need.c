// SPDX-License-Identifier: Apache-2.0
//
// Measures what a program takes of a device.
#include "cli/fit.h"

#include <string.h>

#include "boards/qemu/process.h"
#include "boards/qemu/workspace.h"
#include "cli/execution.h"
#include "cli/inspect.h"
#include "cli/profile.h"
#include "compiler/support/file.h"

enum rl_status rl_cli_measure_need(struct rl_cli *cli, const char *path, const char *data_path,
                                   const struct rl_cli_room *room, struct rl_cli_need *need)
{
    struct rl_cli_profile_settings settings = {.data_path = data_path,
                                               .board = room->board,
                                               .current = room->current,
                                               .hertz = room->hertz,
                                               .watts = room->watts,
                                               .wait_states = room->wait_states};
    struct rl_host_files files;

    *need = (struct rl_cli_need){0};
    enum rl_status status = rl_cli_read_program(cli, path, data_path, NULL, &files);
    if (status != RL_OK) {
        return status;
    }
    need->profile = rl_cli_profile_program(cli, path, room->measured_on, &settings);
    need->facts = need->profile ? rl_cli_inspect_pte(cli, &files) : NULL;
    // Without the code's size, the reason is in the context.
    return need->facts && json_is_integer(json_object_get(need->profile, "flash_bytes")) ? RL_OK : RL_ERROR_UNSUPPORTED;
}

// Signals wait, so that the file is removed.
enum rl_status rl_cli_measure_bytes(struct rl_cli *cli, const struct rl_file_bytes *program,
                                    const struct rl_cli_room *room, struct rl_cli_need *need)
{
    struct rl_workspace workspace;
    struct rl_process_signals signals;

    *need = (struct rl_cli_need){0};
    rl_process_hold_signals(&signals);
    const int error = rl_workspace_create(&workspace);
    if (error) {
        rl_process_release_signals(&signals);
        return rl_fail(&cli->context, RL_ERROR_IO, "no temporary folder %s: %s", workspace.folder, strerror(error));
    }
    const char *path = rl_arena_format(cli->arena, "%s/" RL_WORKSPACE_PROGRAM, workspace.folder);
    enum rl_status status = rl_file_write(&cli->context, path, program->bytes, program->size);
    if (status == RL_OK) {
        status = rl_cli_measure_need(cli, path, NULL, room, need);
    }
    rl_workspace_remove(&workspace);
    rl_process_release_signals(&signals);
    return status;
}

void rl_cli_release_need(struct rl_cli_need *need)
{
    json_decref(need->facts);
    json_decref(need->profile);
    *need = (struct rl_cli_need){0};
}

static uint64_t number(const struct rl_cli_need *need, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(need->profile, key));
}

uint64_t rl_cli_need_flash(const struct rl_cli_need *need)
{
    return number(need, "flash_bytes");
}

uint64_t rl_cli_need_ram(const struct rl_cli_need *need)
{
    return number(need, "ram_bytes");
}

uint64_t rl_cli_need_cycles(const struct rl_cli_need *need)
{
    return number(need, "cycles");
}
