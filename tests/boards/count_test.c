// SPDX-License-Identifier: Apache-2.0
//
// Runs known numbers of instructions between the marks: 0, 1, 20, and 201 in a loop. The host's count_plugin_test
// compares what the counter saw.
#include "mark.h"

#include <stdint.h>

#define TEN_NOPS "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"

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
    return 0;
}
