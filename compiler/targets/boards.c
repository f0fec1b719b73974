// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/board.h"

#include <stddef.h>
#include <strings.h>

enum { KB = 1024, MHZ = 1000000 };

#define RL_CHIP(id, name, core, flash, ram, ram_total, mhz, source, checked)                                           \
    static const struct rl_chip chip_##id = {name,           core,      (flash)*KB, (ram)*KB,                          \
                                             (ram_total)*KB, mhz * MHZ, source,     checked};
#include "compiler/targets/boards.def"

static const struct rl_board boards[] = {
#define RL_BOARD(name, full_name, chip, flash, source, note) {name, full_name, &chip_##chip, (flash)*KB, source, note},
#include "compiler/targets/boards.def"
};

enum { BOARD_COUNT = sizeof boards / sizeof boards[0] };

const struct rl_board *rl_boards(int *count)
{
    *count = BOARD_COUNT;
    return boards;
}

const struct rl_board *rl_board_find(const char *name)
{
    for (int i = 0; i < BOARD_COUNT; i++) {
        if (strcasecmp(boards[i].name, name) == 0) {
            return &boards[i];
        }
    }
    return NULL;
}

uint32_t rl_board_flash_bytes(const struct rl_board *board)
{
    return board->chip->flash_bytes > 0 ? board->chip->flash_bytes : board->flash_beside_bytes;
}
