// SPDX-License-Identifier: Apache-2.0
//
// The host's end of `rushlight validate`: asks a firmware that has boards/project/validate.c, over a serial port.
// docs/validate.md describes the protocol. Nothing is sent twice, but the first request: this tells what a line and a
// firmware do, and does not hide it.
#ifndef RL_BOARDS_SESSION_H
#define RL_BOARDS_SESSION_H

#include "../project/frame.h"
#include "port.h"

enum rl_session_status {
    RL_SESSION_OK,
    RL_SESSION_DAMAGED,   // bytes were lost, added or changed on the line
    RL_SESSION_RESTARTED, // the firmware started anew in the middle
    RL_SESSION_WRONG,     // it is of another model, or speaks another version of the protocol
    RL_SESSION_SILENT,    // no answer in time
    RL_SESSION_CLOSED,    // the other end of the port is gone
    RL_SESSION_STOPPED,   // `goes_on` of the port said so
};

// What a firmware tells of itself.
struct rl_session_firmware {
    char name[RL_FRAME_PAYLOAD - RL_HELLO_NAME + 1]; // printable
    uint32_t program_bytes, program_crc;             // of the .pte that its model was made of
    uint32_t input_bytes, output_bytes;              // all together
    uint32_t arena_bytes, stack_bytes;               // the latter is a bound
    unsigned clock_bits;                             // of its counter of cycles
};

struct rl_session {
    struct rl_port *port;
    const char *path;     // of the port, for messages
    unsigned timeout;     // milliseconds that an answer may take
    const char *activity; // what goes on, for messages: "while it ran sample 3"; the caller may change it
    struct rl_session_firmware firmware;
    char message[512]; // of what is not RL_SESSION_OK: one sentence
    // Private from here.
    struct rl_frame_receiver in;
    struct rl_frame out;
    uint32_t number;
    uint8_t sequence;
};

// Finds the firmware. It may take the whole timeout to start, and may print lines before. `port`, `path` and `timeout`
// are set.
enum rl_session_status rl_session_start(struct rl_session *session);

// Refuses a firmware whose model was not made of a .pte with this many bytes, of this CRC-32.
enum rl_session_status rl_session_expect(struct rl_session *session, const char *program, uint32_t program_bytes,
                                         uint32_t program_crc);

// Sets input `index`, or reads output `index`, of `bytes` bytes: elements as they lie in the firmware's memory.
enum rl_session_status rl_session_set_input(struct rl_session *session, uint16_t index, const uint8_t *data,
                                            uint32_t bytes);
enum rl_session_status rl_session_get_output(struct rl_session *session, uint16_t index, uint8_t *data, uint32_t bytes);

struct rl_session_run {
    uint32_t cycles;  // of the firmware's counter, which may have started anew
    uint32_t stack;   // bytes, or rl_run_stack_unknown
    uint32_t refused; // 0, or what an operator refused: enum rl_status + 256 * its instruction in the .pte
};

// One inference; before it, `resets` gives the model's state its first values.
enum rl_session_status rl_session_run(struct rl_session *session, bool resets, struct rl_session_run *run);

#endif
