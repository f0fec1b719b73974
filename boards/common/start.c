// SPDX-License-Identifier: Apache-2.0
//
// From reset to main: vectors, check of the core, FPU and Helium, traps, memory, stack paint, command line. Register
// addresses and bits: Armv8-M Architecture Reference Manual, "System Control Space".
#include "board.h"
#include "fault.h"
#include "semihosting.h"
#include "stack.h"

#include <stdlib.h>

extern uint32_t rl_data_begin[], rl_data_end[], rl_bss_begin[], rl_bss_end[];
extern const uint32_t rl_data_image[];
extern uint8_t rl_stack_guard[], rl_pool_begin[], rl_pool_end[];

int main(int argc, char **argv);
void rl_reset(void);

enum { MAX_WORDS = 16, LINE_BYTES = 1024 };

static volatile uint32_t *const ccr = (volatile uint32_t *)0xE000ED14;
static volatile uint32_t *const shcsr = (volatile uint32_t *)0xE000ED24;

static void set_traps(void)
{
    *shcsr |= 7U << 16; // memory, bus and usage faults have handlers of their own
    *ccr |= 1U << 4;    // a division by zero is a fault, instead of giving zero
#if __ARM_ARCH < 7
    *ccr |= 1U << 3; // an unaligned access is a fault, as on the core this code is for
#endif
}

#if __ARM_ARCH >= 8
static void guard_stack(void)
{
    __asm__ volatile("msr msplim, %0" ::"r"(rl_stack_limit));
}
#else
// Region 0 of the MPU is the guard below the stack. All other memory keeps its default attributes.
static void guard_stack(void)
{
    volatile uint32_t *const mpu_ctrl = (volatile uint32_t *)0xE000ED94;
    volatile uint32_t *const mpu_rbar = (volatile uint32_t *)0xE000ED9C;
    volatile uint32_t *const mpu_rasr = (volatile uint32_t *)0xE000EDA0;
    const uint32_t region_valid = 1U << 4, region_enable = 1U, size_4k = 11U << 1, no_access = 0;
    const uint32_t mpu_enable = 1U, default_map = 1U << 2;
    *mpu_rbar = (uint32_t)(uintptr_t)rl_stack_guard | region_valid;
    *mpu_rasr = no_access | size_4k | region_enable;
    *mpu_ctrl = default_map | mpu_enable;
    __asm__ volatile("dsb\n"
                     "isb" ::
                         : "memory");
}
#endif

static void initialize_memory(void)
{
    const uint32_t *image = rl_data_image;
    for (uint32_t *word = rl_data_begin; word < rl_data_end; word++) {
        *word = *image++;
    }
    for (uint32_t *word = rl_bss_begin; word < rl_bss_end; word++) {
        *word = 0;
    }
}

size_t rl_board_stack_peak(void)
{
    return rl_stack_used(rl_stack_top);
}

void *rl_board_pool(size_t *bytes)
{
    *bytes = (size_t)(rl_pool_end - rl_pool_begin);
    return rl_pool_begin;
}

static int split_words(char *line, char **words)
{
    int count = 0;
    while (*line != '\0' && count < MAX_WORDS) {
        while (*line == ' ') {
            *line++ = '\0';
        }
        if (*line != '\0') {
            words[count++] = line;
        }
        while (*line != '\0' && *line != ' ') {
            line++;
        }
    }
    return count;
}

__attribute__((noreturn, used)) static void start(void)
{
    static char line[LINE_BYTES];
    static char *words[MAX_WORDS + 1];
    initialize_memory();
    set_traps();
    rl_stack_paint();
    guard_stack();
    int count = 0;
    if (rl_semihosting_command_line(line, sizeof line)) {
        count = split_words(line, words);
    }
    exit(main(count, words));
}

// Without a stack frame: the compiler may use FPU or Helium registers in the very first C function.
__attribute__((naked)) void rl_reset(void)
{
    __asm__ volatile("bl rl_core_refusal\n"
                     "cmp r0, #0\n"
                     "beq 1f\n"
                     "bl rl_refuse_core\n"
                     "1:\n");
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    __asm__ volatile("ldr r0, =0xE000ED88\n" // CPACR: full access to coprocessors 10 and 11
                     "ldr r1, [r0]\n"
                     "orr r1, r1, #0xF00000\n"
                     "str r1, [r0]\n"
                     "dsb\n"
                     "isb\n");
#endif
    __asm__ volatile("bl start\n");
}

#define HANDLER(function) (const void *)(uintptr_t)(function)

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    rl_stack_top,
    HANDLER(rl_reset),
    HANDLER(rl_fault), // NMI
    HANDLER(rl_fault), // HardFault
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
