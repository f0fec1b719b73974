// SPDX-License-Identifier: Apache-2.0
#include "mark.h"

__attribute__((naked, noinline)) void rl_mark_begin(void)
{
    __asm__ volatile("bx lr");
}

__attribute__((naked, noinline)) void rl_mark_end(void)
{
    __asm__ volatile("bx lr");
}

// The most significant byte first. In instructions that each core has.
__attribute__((naked, noinline)) void rl_mark_number(uint32_t number, uint8_t places[RL_MARK_PLACES])
{
    (void)number;
    (void)places;
    __asm__ volatile(".syntax unified\n"
                     "lsrs r2, r0, #24\n"
                     "strb r2, [r1, r2]\n"
                     "lsls r2, r0, #8\n"
                     "lsrs r2, r2, #24\n"
                     "strb r2, [r1, r2]\n"
                     "lsls r2, r0, #16\n"
                     "lsrs r2, r2, #24\n"
                     "strb r2, [r1, r2]\n"
                     "uxtb r2, r0\n"
                     "strb r2, [r1, r2]\n"
                     "bx lr");
}
