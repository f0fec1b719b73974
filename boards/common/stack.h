// SPDX-License-Identifier: Apache-2.0
//
// The paint of the stack, which shows how deep it was. Inline, so that it counts as part of its caller.
#ifndef RL_BOARDS_STACK_H
#define RL_BOARDS_STACK_H

#include <stdint.h>

extern uint32_t rl_stack_limit[], rl_stack_top[];

static const uint32_t rl_stack_color = 0xA5A5A5A5;

__attribute__((always_inline)) static inline const volatile uint32_t *rl_stack_pointer(void)
{
    const volatile uint32_t *top;
    __asm__ volatile("mov %0, sp" : "=r"(top));
    return top;
}

// Memory below the stack pointer is not in use.
__attribute__((always_inline)) static inline void rl_stack_paint(void)
{
    const volatile uint32_t *const top = rl_stack_pointer();
    for (volatile uint32_t *word = rl_stack_limit; word < top; word++) {
        *word = rl_stack_color;
    }
}

// The bytes of stack that were used below `from`.
__attribute__((always_inline)) static inline uint32_t rl_stack_used(const volatile uint32_t *from)
{
    const volatile uint32_t *word = rl_stack_limit;
    while (word < from && *word == rl_stack_color) {
        word++;
    }
    return (uint32_t)((const volatile uint8_t *)from - (const volatile uint8_t *)word);
}

#endif
