// SPDX-License-Identifier: Apache-2.0
//
// The sentence that tells a user why something could not be done on an emulated core.
#ifndef RL_BOARDS_MESSAGE_H
#define RL_BOARDS_MESSAGE_H

#include "emulator.h"

struct rl_message {
    char *text;
    size_t bytes; // with the NUL
};

// Writes the sentence, cut to the size, and returns the status.
enum rl_emulation_status rl_emulation_fail(const struct rl_message *message, enum rl_emulation_status status,
                                           const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
