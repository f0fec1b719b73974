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
