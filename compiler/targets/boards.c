// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/board.h"

#include <stddef.h>
#include <strings.h>

enum { KB = 1024, MHZ = 1000000 };

#define RL_CHIP(id, name, core, flash, ram, ram_total, mhz, source, checked)                                           \
    static const struct rl_chip chip_##id = {name,           core,      (flash)*KB, (ram)*KB,                          \
                                             (ram_total)*KB, mhz * MHZ, source,     checked};
#include "compiler/targets/boards.def"

static const struct {
    const struct rl_chip *chip;
    struct rl_current current;
} currents[] = {
#define RL_CURRENT(chip, microamperes, millivolts, conditions, checked)                                                \
    {&chip_##chip, {microamperes, (millivolts) / 1000.0, conditions, checked}},
#include "compiler/targets/boards.def"
};

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

const struct rl_current *rl_board_current(const struct rl_board *board)
{
    for (size_t i = 0; i < sizeof currents / sizeof currents[0]; i++) {
        if (currents[i].chip == board->chip) {
            return &currents[i].current;
        }
    }
    return NULL;
}

double rl_current_watts(const struct rl_current *current, double hertz)
{
    return current->microamperes_per_mhz * 1e-6 * hertz / MHZ * current->volts;
}

uint32_t rl_board_flash_bytes(const struct rl_board *board)
{
    return board->chip->flash_bytes > 0 ? board->chip->flash_bytes : board->flash_beside_bytes;
}
