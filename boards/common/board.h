// SPDX-License-Identifier: Apache-2.0
//
// The services of start-up for a firmware: memory that the linker script left free, the depth of the stack, numbers on
// the console, and the words of the command line. `main(argc, argv)` is called after memory and FPU are ready; its
// result is the exit status of the emulation.
#ifndef RL_BOARDS_BOARD_H
#define RL_BOARDS_BOARD_H

#include <stddef.h>
#include <stdint.h>

// Exit status of a firmware that ended in a fault handler; a line starting with "fault: " on the console says which.
enum { RL_EXIT_FAULT = 99 };

// The large memory of the board, for programs and arenas: nothing else uses it. Starts at a multiple of 16.
void *rl_board_pool(size_t *bytes);

// The largest number of bytes of stack in use at any time since start-up, found from the paint that is left.
size_t rl_board_stack_peak(void);

// Print parts of a line: text, or a number in decimal or as 0x%08x.
void rl_board_print(const char *text);
void rl_board_print_number(uint32_t number);
void rl_board_print_hex(uint32_t number);

#endif
