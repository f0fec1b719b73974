// SPDX-License-Identifier: Apache-2.0
// Bytes to the int16 that dot_3x2.h multiplies, in assembler, because compilers neither keep a load behind a store,
// where it costs a Cortex-M4 one cycle instead of two, nor step through the values by stores alone. In C:
//
//     for (; count >= 4; count -= 4, from += 4) {
//         *values = SXTB16 of the word at `from`; values += 3;
//         *values = SXTB16 of the word rotated by 8; values += 3;
//     }
//     for (; count > 0; count--, values += 3) {
//         *values = *from++;
//     }
//     return values;
//
// `from` may have any address.
#ifndef RL_KERNELS_DSP_EXPAND_ROW_H
#define RL_KERNELS_DSP_EXPAND_ROW_H

#include <stdint.h>

#include "isa.h"

// clang-format off
#define RL_EXPAND_FOUR \
    "ldr r3, [r0], #4\n" \
    "sxtb16 r12, r3\n" \
    "sxtb16 r3, r3, ror #8\n" \
    "str r12, [r2], #12\n" \
    "str r3, [r2], #12\n"

static __attribute__((naked, noinline)) uint32_t *rl_expand_run_asm(__attribute__((unused)) const int8_t *from,
                                                                    __attribute__((unused)) int32_t count,
                                                                    __attribute__((unused)) uint32_t *values)
{
    __asm__(".if " RL_SMALL_TEXT "\n"
            "subs r1, r1, #4\n"
            ".else\n"
            "subs r1, r1, #16\n"
            "blt 2f\n"
            "1:\n" RL_EXPAND_FOUR RL_EXPAND_FOUR RL_EXPAND_FOUR RL_EXPAND_FOUR
            "subs r1, r1, #16\n"
            "bge 1b\n"
            "2:\n"
            "adds r1, r1, #12\n"
            ".endif\n"
            "blt 4f\n"
            "3:\n" RL_EXPAND_FOUR
            "subs r1, r1, #4\n"
            "bge 3b\n"
            "4:\n"
            "adds r1, r1, #4\n"
            "beq 6f\n"
            "5:\n"
            "ldrsb r3, [r0], #1\n"
            "str r3, [r2], #12\n"
            "subs r1, r1, #1\n"
            "bne 5b\n"
            "6:\n"
            "mov r0, r2\n"
            "bx lr\n");
}
// clang-format on

// The empty statements tell the compiler that memory is read and written.
static inline uint32_t *rl_expand_run(const int8_t *from, int32_t count, uint32_t *values)
{
    __asm__ volatile("" : : "r"(from), "r"(values) : "memory");
    uint32_t *next = rl_expand_run_asm(from, count, values);
    __asm__ volatile("" : : "r"(values) : "memory");
    return next;
}

#endif
