// SPDX-License-Identifier: Apache-2.0
// Sums and maxima of groups of eight bytes at equal distances. scalar/packed_s8_tile.h has the same in C, with the
// contracts.
//
// In assembler for a Cortex-M33, where a jump behind a short instruction that sets no flags costs two cycles less, and
// because compilers copy what SEL selects. A round takes two groups.
#ifndef RL_KERNELS_DSP_EIGHTS_H
#define RL_KERNELS_DSP_EIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

// clang-format off
#define RL_EIGHTS_LOAD \
    "ldr %[first], [%[bytes]]\n" \
    "ldr %[second], [%[bytes], #4]\n"

#define RL_EIGHTS_NEXT "add %[bytes], %[bytes], %[step]\n"

// The loop; `use` are the instructions for a group. Small code takes a group a round.
#define RL_EIGHTS(use) \
    ".if " RL_SMALL_TEXT "\n" \
    "1:\n" \
    RL_EIGHTS_LOAD \
    "subs %[count], %[count], #1\n" \
    use RL_EIGHTS_NEXT \
    "bne 1b\n" \
    ".else\n" \
    "lsrs %[count], %[count], #1\n" \
    "bcc 1f\n" \
    RL_EIGHTS_LOAD RL_EIGHTS_NEXT use \
    "beq 2f\n" \
    "1:\n" \
    RL_EIGHTS_LOAD RL_EIGHTS_NEXT use \
    RL_EIGHTS_LOAD \
    "subs %[count], %[count], #1\n" \
    use RL_EIGHTS_NEXT \
    "bne 1b\n" \
    "2:\n" \
    ".endif\n"
// clang-format on

static inline void rl_add_eights_s8(uint32_t sums[4], const int8_t *bytes, int32_t count, ptrdiff_t step)
{
    uint32_t first, second;
    __asm__ volatile(RL_EIGHTS("sxtab16 %[sum_0], %[sum_0], %[first]\n"
                               "sxtab16 %[sum_1], %[sum_1], %[first], ror #8\n"
                               "sxtab16 %[sum_2], %[sum_2], %[second]\n"
                               "sxtab16 %[sum_3], %[sum_3], %[second], ror #8\n")
                     : [sum_0] "+r"(sums[0]), [sum_1] "+r"(sums[1]), [sum_2] "+r"(sums[2]), [sum_3] "+r"(sums[3]),
                       [bytes] "+r"(bytes), [count] "+r"(count), [first] "=&r"(first), [second] "=&r"(second)
                     : [step] "r"(step)
                     : "cc", "memory");
}

static inline void rl_maximum_of_eights_s8(uint32_t maxima[2], const int8_t *bytes, int32_t count, ptrdiff_t step)
{
    uint32_t first, second, greater;
    __asm__ volatile(RL_EIGHTS("ssub8 %[greater], %[maximum_0], %[first]\n"
                               "sel %[maximum_0], %[maximum_0], %[first]\n"
                               "ssub8 %[greater], %[maximum_1], %[second]\n"
                               "sel %[maximum_1], %[maximum_1], %[second]\n")
                     : [maximum_0] "+r"(maxima[0]), [maximum_1] "+r"(maxima[1]), [bytes] "+r"(bytes),
                       [count] "+r"(count), [first] "=&r"(first), [second] "=&r"(second), [greater] "=&r"(greater)
                     : [step] "r"(step)
                     : "cc", "memory");
}

#endif
