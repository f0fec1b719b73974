// SPDX-License-Identifier: Apache-2.0
//
// What there is room and time for, from the options of fit.def.
#include <string.h>

#include "cli/boards.h"
#include "cli/fit.h"

void rl_cli_set_core(struct rl_cli_room *room, const struct rl_core *core)
{
    // A core that is not emulated runs the code of one that is.
    static const char *const stand_ins[] = {
        [RL_ISA_SCALAR] = "cortex-m0", [RL_ISA_DSP] = "cortex-m33", [RL_ISA_MVE] = "cortex-m55"};
    room->core = core;
    room->measured_on = core->emulated ? core->emulated : stand_ins[core->isa];
}

bool rl_cli_set_board(struct rl_cli_room *room, const struct rl_board *board)
{
    if (!board) {
        return false;
    }
    room->board = board;
    room->core = rl_core_find(board->chip->core, strlen(board->chip->core));
    room->flash_bytes = rl_board_flash_bytes(board);
    room->ram_bytes = board->chip->ram_total_bytes;
    room->ram_piece_bytes = board->chip->ram_bytes;
    room->hertz = board->chip->clock_hz;
    return true;
}

// Has its own figures for everything; options replace them.
static int read_board(const struct rl_cli *cli, struct rl_cli_room *room)
{
    const char *name = rl_cli_value(cli, "board", NULL);
    const struct rl_board *board = name ? rl_board_find(name) : NULL;

    if (!name) {
        return RL_EXIT_DONE;
    }
    if (!board) {
        return rl_cli_unknown_board(cli, name);
    }
    if (rl_cli_given(cli, "core")) {
        return rl_cli_usage_error(cli, "--core is not for a board, whose core is %s", board->chip->core);
    }
    rl_cli_set_board(room, board);
    return RL_EXIT_DONE;
}

static int read_core(const struct rl_cli *cli, struct rl_cli_room *room)
{
    const char *name = rl_cli_value(cli, "core", NULL);

    if (!room->board && !name) {
        return rl_cli_usage_error(cli, "--board or --core is missing; 'rushlight boards' lists the boards");
    }
    if (name) {
        room->core = rl_core_find(name, strlen(name));
    }
    if (!room->core || room->core->isa == RL_ISA_ANY) {
        int count;
        const struct rl_core *cores = rl_cores(&count);
        const char **names = rl_arena_array(cli->arena, (size_t)count, sizeof *names);
        for (int i = 0; i < count - 1; i++) { // the last one is `any`
            names[i] = cores[i].name;
        }
        return rl_cli_unknown(cli, "core", name, names, count - 1);
    }
    rl_cli_set_core(room, room->core);
    return RL_EXIT_DONE;
}

int rl_cli_read_room(const struct rl_cli *cli, struct rl_cli_room *room)
{
    double hertz;
    uint64_t ram;

    *room = (struct rl_cli_room){0};
    if (read_board(cli, room) != RL_EXIT_DONE || read_core(cli, room) != RL_EXIT_DONE ||
        rl_cli_bytes(cli, "flash", room->flash_bytes, &room->flash_bytes) != RL_EXIT_DONE ||
        rl_cli_bytes(cli, "ram", 0, &ram) != RL_EXIT_DONE || rl_cli_frequency(cli, "clock", &hertz) != RL_EXIT_DONE ||
        rl_cli_duration(cli, "deadline", &room->deadline_seconds) != RL_EXIT_DONE ||
        rl_cli_power(cli, "power", &room->watts) != RL_EXIT_DONE ||
        rl_cli_wait_states(cli, &room->wait_states) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    room->hertz = hertz > 0 ? hertz : room->hertz;
    room->current = rl_cli_board_power(room->board, room->hertz, &room->watts);
    if (ram > 0) {
        room->ram_bytes = ram;
        room->ram_piece_bytes = ram;
    }
    if (room->deadline_seconds > 0 && room->hertz <= 0) {
        return rl_cli_usage_error(cli, "--deadline needs --clock, or a board");
    }
    if (room->watts > 0 && room->hertz <= 0) {
        return rl_cli_usage_error(cli, "--power needs --clock, or a board: energy is power for a time");
    }
    return RL_EXIT_DONE;
}
