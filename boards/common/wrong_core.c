// SPDX-License-Identifier: Apache-2.0
//
// Prints and exits without a stack, memory or any instruction that some Cortex-M lacks. Operations of semihosting: see
// semihosting.c.
#include "board.h"
#include "fault.h"

#include <stdint.h>

__attribute__((used)) static const char start_of_line[] = "fault: wrong core: ";
__attribute__((used)) static const char end_of_line[] = "\n";
__attribute__((used)) static const uint32_t exit_block[] = {0x20026, RL_EXIT_FAULT};

__attribute__((naked)) void rl_refuse_core(const char *sentence)
{
    (void)sentence; // in r0
    __asm__ volatile("mov r4, r0\n"
                     "ldr r1, =start_of_line\n"
                     "movs r0, #4\n" // SYS_WRITE0
                     "bkpt 0xab\n"
                     "mov r1, r4\n"
                     "movs r0, #4\n"
                     "bkpt 0xab\n"
                     "ldr r1, =end_of_line\n"
                     "movs r0, #4\n"
                     "bkpt 0xab\n"
                     "ldr r1, =exit_block\n"
                     "movs r0, #0x20\n" // SYS_EXIT_EXTENDED
                     "bkpt 0xab\n"
                     "b .\n"
                     ".ltorg\n");
}
