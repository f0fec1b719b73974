// SPDX-License-Identifier: Apache-2.0
//
// The code that a firmware needs for a program: links the libraries of a core as a firmware does, without unused
// functions, and measures what is left. Needs arm-none-eabi-gcc and the libraries in
// <folder>/<short core>/librushlight_*.a, where folder is that of the emulated firmware (emulator.h).
#ifndef RL_BOARDS_CODE_SIZE_H
#define RL_BOARDS_CODE_SIZE_H

#include "emulator.h"

struct rl_code {
    const char *core;           // an emulated one: "cortex-m4"
    const char *const *symbols; // functions and objects that the firmware names
    size_t symbol_count;
};

struct rl_code_size {
    uint32_t flash_bytes; // code, constants and initial values, with those of libc, libm and libgcc
    uint32_t ram_bytes;   // variables
};

// With another status than RL_EMULATION_OK, `message` is one sentence for the user.
enum rl_emulation_status rl_measure_code(const struct rl_code *code, struct rl_code_size *size, char *message,
                                         size_t message_bytes);

#endif
