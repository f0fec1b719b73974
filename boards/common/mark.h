// SPDX-License-Identifier: Apache-2.0
//
// Marks for the instruction counter (boards/qemu/count_plugin.c): it counts what executes after rl_mark_begin returned
// until rl_mark_end is entered, and writes one figure for each such pair. Without the counter they do nothing. Each is
// a single instruction, so that its address in a trace is the call itself.
#ifndef RL_BOARDS_MARK_H
#define RL_BOARDS_MARK_H

void rl_mark_begin(void);
void rl_mark_end(void);

#endif
