// SPDX-License-Identifier: Apache-2.0
//
// Runs known numbers of instructions between the marks: 0, 1, 20, and 201 in a loop. Then 17, of which 11 are those of
// operator 515, with 66 bytes of stack. count_test.sh compares what the counter saw.
#include "mark.h"

#include <stdint.h>

#define TEN_NOPS "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"

static uint8_t places[RL_MARK_PLACES] __attribute__((aligned(RL_MARK_PLACES)));

// As in the runner, without the stack.
void rl_mark_after(void);
__attribute__((naked, noinline)) void rl_mark_after(void)
{
    __asm__ volatile("bx lr");
}

int main(void)
{
    __asm__ volatile("bl rl_mark_begin\n"
                     "bl rl_mark_end\n"
                     "bl rl_mark_begin\n"
                     "nop\n"
                     "bl rl_mark_end\n"
                     "bl rl_mark_begin\n" TEN_NOPS TEN_NOPS "bl rl_mark_end\n"
                     "bl rl_mark_begin\n"
                     "movs r0, #100\n"
                     "1: subs r0, #1\n"
                     "bne 1b\n"
                     "bl rl_mark_end\n"
                     :
                     :
                     : "r0", "r1", "r2", "r3", "r12", "lr", "cc", "memory");
    __asm__ volatile("mov r4, %0\n"
                     "ldr r5, =515\n"
                     "bl rl_mark_begin\n"
                     "mov r1, r4\n"
                     "mov r0, r5\n"
                     "bl rl_mark_number\n" TEN_NOPS "bl rl_mark_after\n"
                     "mov r1, r4\n"
                     "movs r0, #66\n"
                     "bl rl_mark_number\n"
                     "bl rl_mark_end\n"
                     :
                     : "r"(places)
                     : "r0", "r1", "r2", "r3", "r4", "r5", "r12", "lr", "cc", "memory");
    return 0;
}
