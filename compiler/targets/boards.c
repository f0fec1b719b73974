// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/board.h"

#include <stddef.h>
#include <string.h>
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

static const struct {
    const struct rl_chip *chip;
    struct rl_memory memory; // without the size of the flash, which boards.def has
    const char *reason;      // why it has none; NULL: it has
} memories[] = {
#define RL_MEMORY(chip, flash, ram, ram_kb, more, more_kb, flags, checked)                                             \
    {&chip_##chip, {flash, 0, ram, (ram_kb)*KB, more, (more_kb)*KB, flags, checked}, NULL},
#define RL_VENDOR(chip, reason) {&chip_##chip, {0, 0, 0, 0, 0, 0, NULL, NULL}, reason},
#include "compiler/targets/memories.def"
};

static const struct {
    const char *board;
    uint32_t bytes; // of flash that the boot loader has; 0: not known
    const char *reason;
} boot_loaders[] = {
#define RL_BOOT(board, kb, reason) {board, (kb)*KB, reason},
#include "compiler/targets/memories.def"
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

// False if the boot loader of a board is not known.
static bool start_behind_boot_loader(const struct rl_board *board, struct rl_memory *memory, const char **reason)
{
    for (size_t i = 0; i < sizeof boot_loaders / sizeof boot_loaders[0]; i++) {
        if (strcmp(boot_loaders[i].board, board->name) == 0) {
            *reason = boot_loaders[i].bytes > 0 ? NULL : boot_loaders[i].reason;
            memory->flash_origin += boot_loaders[i].bytes;
            memory->flash_bytes -= boot_loaders[i].bytes;
            return boot_loaders[i].bytes > 0;
        }
    }
    return true;
}

bool rl_board_memory(const struct rl_board *board, struct rl_memory *memory, const char **reason)
{
    *reason = "it was not found out where its memories lie";
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        if (memories[i].chip == board->chip) {
            *memory = memories[i].memory;
            memory->flash_bytes = board->chip->flash_bytes;
            *reason = memories[i].reason;
            return !*reason && start_behind_boot_loader(board, memory, reason);
        }
    }
    return false;
}
