// SPDX-License-Identifier: Apache-2.0
//
// From reset to main on a chip: the least that a model needs. Clocks, pins and interrupts are those of reset; the code
// of the vendor's SDK sets them, and can take the place of this file. Register addresses and bits: Armv7-M and Armv8-M
// Architecture Reference Manuals, "System Control Space".
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "fault.h"
#include "stack.h"

extern uint32_t rl_data_begin[], rl_data_end[], rl_bss_begin[], rl_bss_end[];
extern const uint32_t rl_data_image[];

int main(void);
void rl_reset(void);

extern const void *const rl_vectors[16];

__attribute__((noreturn, used)) static void start(void)
{
    const uint32_t *image = rl_data_image;
    for (uint32_t *word = rl_data_begin; word < rl_data_end; word++) {
        *word = *image++;
    }
    for (uint32_t *word = rl_bss_begin; word < rl_bss_end; word++) {
        *word = 0;
    }
    rl_stack_paint();
    exit(main());
}

// Without a stack frame: the compiler may use FPU or Helium registers in the very first C function. The stack is set
// anew, because a boot loader may have used another one.
__attribute__((naked)) void rl_reset(void)
{
    __asm__ volatile("ldr r0, =rl_stack_top\n"
                     "mov sp, r0\n"
                     "bl rl_core_refusal\n"
                     "cmp r0, #0\n"
                     "beq 1f\n"
                     "bl rl_refuse_core\n"
                     "1:\n");
#if !defined(__ARM_ARCH_6M__)
    __asm__ volatile("ldr r0, =0xE000ED08\n" // VTOR, which a boot loader may have left at its own vectors
                     "ldr r1, =rl_vectors\n"
                     "str r1, [r0]\n");
#endif
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    __asm__ volatile("ldr r0, =0xE000ED88\n" // CPACR: full access to coprocessors 10 and 11
                     "ldr r1, [r0]\n"
                     "orr r1, r1, #0xF00000\n"
                     "str r1, [r0]\n"
                     "dsb\n"
                     "isb\n");
#endif
    __asm__ volatile("bl start\n"
                     ".ltorg\n");
}

// Without a debugger a call of semihosting is this fault. Nobody listens then: the call fails, the firmware goes on.
__attribute__((naked)) static void hard_fault(void)
{
    __asm__ volatile(".syntax unified\n"
                     "mrs r0, msp\n"
                     "ldr r1, [r0, #24]\n" // where it happened
                     "ldrh r2, [r1]\n"
                     "ldr r3, =0xBEAB\n" // BKPT 0xAB
                     "cmp r2, r3\n"
                     "bne 1f\n"
                     "adds r1, #2\n"
                     "str r1, [r0, #24]\n"
                     "movs r2, #0\n"
                     "mvns r2, r2\n"
                     "str r2, [r0]\n" // r0 of the call: -1
                     "bx lr\n"
                     "1:\n"
                     "ldr r0, =rl_fault\n"
                     "bx r0\n"
                     ".ltorg\n");
}

#define HANDLER(function) (const void *)(uintptr_t)(function)

__attribute__((section(".vectors"), used)) const void *const rl_vectors[16] = {
    rl_stack_top,
    HANDLER(rl_reset),
    HANDLER(rl_fault), // NMI
    HANDLER(hard_fault),
    HANDLER(rl_fault), // MemManage
    HANDLER(rl_fault), // BusFault
    HANDLER(rl_fault), // UsageFault
    HANDLER(rl_fault), // SecureFault
    NULL,
    NULL,
    NULL,
    HANDLER(rl_fault), // SVCall
    HANDLER(rl_fault), // DebugMonitor
    NULL,
    HANDLER(rl_fault), // PendSV
    HANDLER(rl_fault), // SysTick
};
