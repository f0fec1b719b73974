// SPDX-License-Identifier: Apache-2.0
//
// Boards that people have, with what a program finds on them: boards.def as data. All texts are constants of the
// program.
#ifndef RL_COMPILER_TARGETS_BOARD_H
#define RL_COMPILER_TARGETS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

struct rl_chip {
    const char *name;         // "nRF52840"
    const char *core;         // one of rl_cores, never "any": "cortex-m4"
    uint32_t flash_bytes;     // 0: beside it, on the board
    uint32_t ram_bytes;       // the largest piece
    uint32_t ram_total_bytes; // all pieces
    uint32_t clock_hz;        // the highest of the core
    const char *source;       // of these figures: data sheet, document number
    const char *checked;      // what they were compared with besides, and which figure was not; "": nothing
};

// What a chip takes while it computes, as its data sheet says. Another program, regulator or voltage takes another
// current.
struct rl_current {
    double microamperes_per_mhz; // of the core's clock
    double volts;                // of the supply
    const char *conditions;      // "CoreMark from flash at 64 MHz, DC/DC converter"
    const char *checked;         // whose page has the same figure; "": compared with nothing
};

struct rl_board {
    const char *name;      // what users type: "nano-33-ble"
    const char *full_name; // "Arduino Nano 33 BLE"
    const struct rl_chip *chip;
    uint32_t flash_beside_bytes; // beside the chip, where the program is if the chip has none: behind a serial
                                 // interface and a cache
    const char *flash_source;    // of this figure; "" where it is 0
    const char *note;            // what the figures do not tell, or ""
};

// Where the memories of a board lie, for a linker script: memories.def as data.
struct rl_memory {
    uint32_t flash_origin, flash_bytes; // where a program begins: behind the boot loader, if the board has one
    uint32_t ram_origin, ram_bytes;     // for arena and data
    uint32_t more_origin, more_bytes;   // another piece, for the stack; 0, 0: none
    const char *flags;                  // for gcc, in place of those of the core; NULL: those of the core
    const char *checked;                // who has the same addresses
};

// All of them, by makers.
const struct rl_board *rl_boards(int *count);

// The board of this name, in any case; NULL if there is none.
const struct rl_board *rl_board_find(const char *name);

// The memories of a board. False where only the vendor's SDK has a linker script: then `reason` is why, else NULL.
bool rl_board_memory(const struct rl_board *board, struct rl_memory *memory, const char **reason);

// What the chip of a board takes; NULL where boards.def has no figure.
const struct rl_current *rl_board_current(const struct rl_board *board);

// The power that goes with it at a clock, in watts.
double rl_current_watts(const struct rl_current *current, double hertz);

// The flash that a program can be in.
uint32_t rl_board_flash_bytes(const struct rl_board *board);

#endif
