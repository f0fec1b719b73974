// SPDX-License-Identifier: Apache-2.0
//
// A serial port of the host, byte by byte and with deadlines.
#ifndef RL_BOARDS_PORT_H
#define RL_BOARDS_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rl_port_status {
    RL_PORT_OK,
    RL_PORT_LATE,    // not before the deadline
    RL_PORT_CLOSED,  // the other end is gone: an adapter was pulled, an emulator has ended
    RL_PORT_STOPPED, // `goes_on` said so
};

struct rl_port {
    int descriptor;
    uint8_t bytes[512]; // that were read and not asked for yet
    size_t next, count;
    uint64_t received; // bytes in all
    // Asked several times a second while a call waits. NULL: always.
    bool (*goes_on)(void *user);
    void *user;
};

// Opens a terminal in raw mode: 8 bits, no parity, no flow control, no echo. What has arrived before is dropped. No
// other program can open it meanwhile. 0, or an errno: ENOTTY if the file is not a terminal, EDOM if it cannot have
// this baud rate. `port` keeps `goes_on` and `user`.
int rl_port_open(struct rl_port *port, const char *path, uint32_t baud);
void rl_port_close(struct rl_port *port);

// Milliseconds of a clock that only goes forward, for deadlines.
long long rl_port_now(void);

enum rl_port_status rl_port_read(struct rl_port *port, long long deadline, uint8_t *byte);
enum rl_port_status rl_port_write(struct rl_port *port, long long deadline, const uint8_t *bytes, size_t count);

// The number `index` of the baud rates that rl_port_open takes, in ascending order; 0 after the last.
uint32_t rl_port_baud(size_t index);

#endif
