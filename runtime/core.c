// SPDX-License-Identifier: Apache-2.0
//
// Registers and fields: Armv8-M Architecture Reference Manual, "System Control Space". A register that a core does not
// have reads as zero.
#include "rushlight/core.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

// The core lacks a feature if the bits of `mask` in a register are `value`. The function below relies on the order of
// the members.
struct lack {
    uint32_t address;
    uint32_t mask;
    uint32_t value;
    const char *sentence; // NULL ends the list
};

// The features that the compiler was allowed to use.
__attribute__((used)) static const struct lack lacks[] = {
#if __ARM_ARCH_ISA_THUMB == 2
    {0xE000ED00, 15U << 16, 12U << 16, "built with Armv7-M instructions, which this core does not have"}, // CPUID
#endif
#if defined(__ARM_FEATURE_MVE)
    {0xE000EF44, 15U << 8, 0, "built with Helium instructions, which this core does not have"}, // MVFR1
#endif
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    {0xE000EF44, 14U << 8, 0, "built with Helium instructions for floats, which this core does not have"},
#endif
#if __ARM_ARCH >= 8 && __ARM_ARCH_ISA_THUMB == 2
    {0xE000ED50, 12U << 4, 0, "built with Armv8-M instructions, which this core does not have"}, // ID_MMFR0: PMSA < 4
#endif
#if defined(__ARM_FEATURE_DSP) && __ARM_ARCH == 7
    // Identified by the part number, because ID_ISAR3 of QEMU's M4 is that of an M3.
    {0xE000ED00, 0xFFF0, 0xC230, "built with DSP instructions, which this core does not have"}, // CPUID
#endif
#if defined(__ARM_FEATURE_DSP) && __ARM_ARCH >= 8
    {0xE000ED6C, 14U << 4, 0, "built with DSP instructions, which this core does not have"}, // ID_ISAR3
#endif
#if defined(__ARM_FP) && (__ARM_FP & 4)
    {0xE000EF40, 15U << 4, 0, "built for an FPU of single precision, which this core does not have"}, // MVFR0
#endif
#if defined(__ARM_FP) && (__ARM_FP & 8)
    {0xE000EF40, 15U << 8, 0, "built for an FPU of double precision, which this core does not have"},
#endif
    {0, 0, 0, NULL},
};

// In assembler, with Armv6-M instructions only, because the compiler may use the features in question anywhere.
__attribute__((naked)) const char *rl_core_refusal(void)
{
    __asm__ volatile(".syntax unified\n"
                     "ldr r3, =lacks\n"
                     "1: ldr r0, [r3, #12]\n" // the sentence
                     "cmp r0, #0\n"
                     "beq 2f\n"
                     "ldr r1, [r3, #0]\n"
                     "ldr r1, [r1]\n"
                     "ldr r2, [r3, #4]\n"
                     "ands r1, r2\n"
                     "ldr r2, [r3, #8]\n"
                     "adds r3, #16\n"
                     "cmp r1, r2\n"
                     "bne 1b\n"
                     "2: bx lr\n"
                     ".ltorg\n");
}

#else

const char *rl_core_refusal(void)
{
    return NULL;
}

#endif
