// SPDX-License-Identifier: Apache-2.0
//
// Marks for the instruction counter (boards/qemu/count_plugin.c): it counts what executes after rl_mark_begin returned
// until rl_mark_end is entered, and writes one figure for each such pair. Without the counter they do nothing. Each is
// a single instruction, so that its address in a trace is the call itself.
//
// No function whose name starts with rl_mark_ is counted. In between, rl_mark_number tells the index of an operator
// that starts, rl_mark_after is called when it has ended, and the next number is the bytes of stack that it took
// (boards/runner/marks.h).
#ifndef RL_BOARDS_MARK_H
#define RL_BOARDS_MARK_H

#include <stdint.h>

void rl_mark_begin(void);
void rl_mark_end(void);

// An array at a multiple of its size. Where four stores go in it says what the number is: the counter sees addresses
// of stores, and no registers.
enum { RL_MARK_PLACES = 256 };
void rl_mark_number(uint32_t number, uint8_t places[RL_MARK_PLACES]);

#endif
