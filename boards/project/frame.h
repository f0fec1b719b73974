// SPDX-License-Identifier: Apache-2.0
//
// Frames on a serial line, for both ends of `rushlight validate`: a firmware and the program on the host compile this
// file. The frames and what they mean are those of docs/validate.md of Rushlight.
//
// A frame is a type, a sequence number, at most RL_FRAME_PAYLOAD bytes, and the CRC-32 of all these, stuffed so that no
// byte of it is zero (consistent overhead byte stuffing, S. Cheshire and M. Baker, 1999), with a zero behind it. After
// a lost byte the next zero begins anew. Numbers are little-endian.
#ifndef RL_PROJECT_FRAME_H
#define RL_PROJECT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RL_FRAME_VERSION = 2,
    RL_FRAME_PAYLOAD = 240,
    RL_FRAME_HEADER = 2, // type, sequence number
    RL_FRAME_CRC = 4,
    RL_FRAME_BYTES = RL_FRAME_HEADER + RL_FRAME_PAYLOAD + RL_FRAME_CRC, // below 254: stuffing adds one byte
};

// What the host asks, and, with RL_FRAME_ANSWER, what the firmware answers with the same sequence number.
enum rl_frame_type {
    RL_FRAME_HELLO = 'H',  // starts a session
    RL_FRAME_INPUT = 'I',  // bytes of an input
    RL_FRAME_RUN = 'R',    // one inference
    RL_FRAME_OUTPUT = 'O', // bytes of an output
    RL_FRAME_PING = 'P',   // is anybody there
    RL_FRAME_ANSWER = 0x80,
    RL_FRAME_ERROR = 'E' | RL_FRAME_ANSWER, // one byte: enum rl_frame_error
    RL_FRAME_BOOT = 'B' | RL_FRAME_ANSWER,  // nobody asked: the firmware has started
};

enum rl_frame_error {
    RL_FRAME_WAS_DAMAGED = 1, // of no known sequence number
    RL_FRAME_NO_SESSION = 2,  // the firmware has started since the last HELLO
    RL_FRAME_OTHER_VERSION = 3,
    RL_FRAME_OUT_OF_RANGE = 4, // an input or output, or bytes of it, that the model does not have
    RL_FRAME_UNKNOWN = 5,      // a type that the firmware does not have
};

// Offsets in payloads.
enum {
    RL_HELLO_VERSION = 0, // one byte
    RL_HELLO_SESSION = 1, // a number of the host, not 0
    RL_HELLO_ASKED_BYTES = 5,
    // The answer goes on with
    RL_HELLO_PROGRAM_BYTES = 5, // of the .pte that the model was made of
    RL_HELLO_PROGRAM_CRC = 9,   // its CRC-32
    RL_HELLO_INPUT_BYTES = 13,  // all inputs together
    RL_HELLO_OUTPUT_BYTES = 17,
    RL_HELLO_ARENA_BYTES = 21,
    RL_HELLO_STACK_BYTES = 25, // the bound of one inference
    RL_HELLO_CLOCK_BITS = 29,  // of the counter of cycles: 32 or 24
    RL_HELLO_NAME = 30,        // of the model, up to the end

    RL_PIECE_TENSOR = 0, // INPUT, OUTPUT: two bytes
    RL_PIECE_OFFSET = 2, // four bytes
    RL_PIECE_DATA = 6,   // of INPUT; of OUTPUT one byte, how many are wanted
    RL_PIECE_BYTES = RL_FRAME_PAYLOAD - RL_PIECE_DATA,

    RL_RUN_RESETS = 0, // one byte: not 0 gives the state its first values before
    RL_RUN_ASKED_BYTES = 1,
    RL_RUN_CYCLES = 0,  // of the answer: cycles of the inference
    RL_RUN_STACK = 4,   // bytes of stack that it used; rl_run_stack_unknown if the firmware cannot tell
    RL_RUN_REFUSED = 8, // 0, or what an operator refused: enum rl_status + 256 * its instruction in the .pte
    RL_RUN_BYTES = 12,
    RL_RUN_STATUSES = 256,

    RL_PING_SESSION = 0, // of the answer: 0 if there is none
    RL_PING_BYTES = 4,
};
static const uint32_t rl_run_stack_unknown = UINT32_MAX;

struct rl_frame {
    uint8_t bytes[RL_FRAME_BYTES]; // type, sequence number, payload, CRC
    uint32_t payload_bytes;
};

// Starts a frame without payload.
void rl_frame_begin(struct rl_frame *frame, uint8_t type, uint8_t sequence);

// Append to the payload, which must have room.
void rl_frame_add(struct rl_frame *frame, const void *data, uint32_t bytes);
void rl_frame_add_number(struct rl_frame *frame, uint32_t number);

// The number in four bytes at `offset` of the payload, which must have it.
uint32_t rl_frame_number(const struct rl_frame *frame, uint32_t offset);

// Adds the CRC, and calls `put` for each byte on the line.
void rl_frame_send(struct rl_frame *frame, void (*put)(void *user, uint8_t byte), void *user);

// Collects bytes of the line. Starts as zeros.
struct rl_frame_receiver {
    struct rl_frame frame;
    uint32_t count;   // of bytes in the frame
    uint32_t left;    // of bytes before the next length
    bool is_damaged;  // until the next zero
    bool has_started; // the frame has a first length
};

enum rl_frame_event {
    RL_FRAME_NOTHING, // the frame goes on
    RL_FRAME_ARRIVED, // `frame` is whole, until the next byte
    RL_FRAME_DAMAGED, // a frame that is too long or too short, or whose CRC is wrong
    RL_FRAME_EMPTY,   // a zero with nothing before it
};

enum rl_frame_event rl_frame_receive(struct rl_frame_receiver *receiver, uint8_t byte);

#endif
