// SPDX-License-Identifier: Apache-2.0
//
// A firmware of the user on an emulated core, whose first serial port is a terminal of this machine. QEMU is confined
// as for rl_emulate.
#ifndef RL_BOARDS_SERVE_H
#define RL_BOARDS_SERVE_H

#include "emulator.h"

#include <stdbool.h>
#include <stddef.h>

struct rl_served_firmware;

// Starts the firmware of the file `elf`. With RL_EMULATION_OK it runs until rl_serve_end, which must be called; until
// then the signals that end this process wait. With every other status `*served` is NULL, and `message` is one sentence
// for the user.
enum rl_emulation_status rl_serve_start(const char *core, const char *elf, struct rl_served_firmware **served,
                                        char *message, size_t message_bytes);

// The path of the terminal, for rl_port_open.
const char *rl_serve_port(const struct rl_served_firmware *served);

// For the member `goes_on` of struct rl_port: false when the firmware has ended, or this process got a signal that ends
// it. `user` is a struct rl_served_firmware.
bool rl_serve_goes_on(void *user);

// Ends the firmware. If it had ended by itself, copies why: a fault, a wrong core. Else `why` is empty. `has_closed`
// says that the terminal did, which is how the end begins. A signal that waited takes effect.
void rl_serve_end(struct rl_served_firmware *served, bool has_closed, char *why, size_t bytes);

#endif
