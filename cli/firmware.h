// SPDX-License-Identifier: Apache-2.0
//
// The parts of `rushlight firmware`: what a project is about, whether it fits a board, its files from templates, and
// what a chip adds to it.
#ifndef RL_CLI_FIRMWARE_H
#define RL_CLI_FIRMWARE_H

#include "cli/emission.h"
#include "cli/fit.h"

// The heap of a firmware for a board.
enum { RL_FIRMWARE_HEAP_BYTES = 2048 };

// What the project is about.
struct rl_firmware {
    struct rl_compile_options options;
    struct rl_cli_room room; // of --board
    struct rl_c_source source;
    struct rl_file_bytes program; // the .pte of which the source is made
    const char *name, *folder;    // of the emulated core: "m4"
    struct rl_project_files files;
    // Of a board for which there is a linker script (compiler/targets/memories.def):
    bool has_memory;
    struct rl_memory memory;
    const char *no_memory;  // why there is none, or NULL
    uint32_t stack_bytes;   // that the script keeps
    const char *stack_from; // how much of it the model takes, as a sentence
    bool stack_has_own_ram; // in memory.more_origin
};

// Whether the board has room for the model, linked with the code that it calls, and for a stack, which it chooses. If
// not, prints what is needed beside what there is, and fails. RL_EXIT_DONE without a board.
int rl_firmware_check_room(struct rl_cli *cli, struct rl_firmware *firmware);

struct rl_firmware_word {
    const char *name, *text;
};

// Adds the file `from` of share/rushlight as `to`, with the text of each word in place of @NAME@.
enum rl_status rl_firmware_add_file(struct rl_cli *cli, struct rl_firmware *firmware, const char *from, const char *to,
                                    const struct rl_firmware_word *words, int count);

// Adds main.c, validate/main.c, CMakeLists.txt and README.md.
enum rl_status rl_firmware_add_templates(struct rl_cli *cli, struct rl_firmware *firmware);

// Adds chip/: linker script, start-up and build for the chip of the board. Nothing if it has no memory.
enum rl_status rl_firmware_add_chip(struct rl_cli *cli, struct rl_firmware *firmware);

#endif
