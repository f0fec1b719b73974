// SPDX-License-Identifier: Apache-2.0
//
// What `rushlight fit` measures, compares and shows. The manual page describes the report.
#ifndef RL_CLI_FIT_H
#define RL_CLI_FIT_H

#include "boards/qemu/emulator.h"
#include "cli/cli.h"
#include "compiler/options.h"
#include "compiler/targets/board.h"
#include "compiler/targets/target.h"

// What there is room and time for. 0: not given, so it is not judged.
struct rl_cli_room {
    const struct rl_board *board; // NULL: numbers alone
    const struct rl_core *core;
    const char *measured_on; // the emulated core: `core`, or the one that stands in for it
    uint64_t flash_bytes;
    uint64_t ram_bytes;       // all of it
    uint64_t ram_piece_bytes; // the largest piece, in which the arena must lie
    double hertz, deadline_seconds, watts;
    const struct rl_current *current; // from which the watts follow; NULL: they were given, or are not known
    uint32_t wait_states;
};

// Reads the options of fit.def; RL_EXIT_USAGE if they name no core, or are wrong.
int rl_cli_read_room(const struct rl_cli *cli, struct rl_cli_room *room);

// Sets the core, which is not `any`, and the one to measure on.
void rl_cli_set_core(struct rl_cli_room *room, const struct rl_core *core);

// Sets core, memories and clock to those of a board. False, and nothing is set, if it is NULL.
bool rl_cli_set_board(struct rl_cli_room *room, const struct rl_board *board);

// What a program takes.
struct rl_cli_need {
    json_t *facts;     // of inspect
    json_t *profile;   // of profile
    size_t name_bytes; // of the program that are names of layers, if it was compiled just now
};

// Measures the program in a file, with its .ptd (NULL: it has none). It must be released, even if it failed.
enum rl_status rl_cli_measure_need(struct rl_cli *cli, const char *path, const char *data_path,
                                   const struct rl_cli_room *room, struct rl_cli_need *need);
// The same for a program that has no file yet.
enum rl_status rl_cli_measure_bytes(struct rl_cli *cli, const struct rl_file_bytes *program,
                                    const struct rl_cli_room *room, struct rl_cli_need *need);
void rl_cli_release_need(struct rl_cli_need *need);

// The bytes of flash and RAM, and the cycles.
uint64_t rl_cli_need_flash(const struct rl_cli_need *need);
uint64_t rl_cli_need_ram(const struct rl_cli_need *need);
uint64_t rl_cli_need_cycles(const struct rl_cli_need *need);

// {name, fits, ...}: what is needed beside what there is.
json_t *rl_cli_fit_report(const char *file, const struct rl_cli_room *room, const struct rl_cli_need *need);

// Adds to a report what was tried and what it would save. `other` is the same model with integers as inputs and
// outputs; NULL if that was not tried.
void rl_cli_add_hints(json_t *report, const struct rl_cli_room *room, const struct rl_cli_need *need,
                      const struct rl_cli_need *other);

void rl_cli_print_fit(const json_t *report);

#endif
