// SPDX-License-Identifier: Apache-2.0
#include "fault.h"
#include "board.h"
#include "semihosting.h"

static const char *exception_name(uint32_t number)
{
    static const char *const names[] = {
        [2] = "NMI",         [3] = "HardFault", [4] = "MemManage fault", [5] = "BusFault", [6] = "UsageFault",
        [7] = "SecureFault", [11] = "SVCall",   [12] = "DebugMonitor",   [14] = "PendSV",  [15] = "SysTick"};
    if (number < sizeof names / sizeof *names && names[number]) {
        return names[number];
    }
    return "unexpected exception";
}

static uint32_t read_register(uint32_t address)
{
    return *(const volatile uint32_t *)(uintptr_t)address;
}

// The cause, from the first bit set in the Configurable Fault Status Register.
static const char *cause(uint32_t status)
{
    static const struct {
        uint32_t bits;
        const char *text;
    } causes[] = {
        {1U << 3 | 1U << 4 | 1U << 11 | 1U << 12 | 1U << 20, "stack overflow"},
        {1U << 0 | 1U << 1, "access not permitted"},
        {1U << 8, "instruction fetch outside memory"},
        {1U << 9 | 1U << 10, "access outside memory"},
        {1U << 16, "undefined instruction"},
        {1U << 17, "invalid state"},
        {1U << 18, "invalid exception return"},
        {1U << 19, "coprocessor (FPU, Helium) not enabled"},
        {1U << 24, "unaligned access"},
        {1U << 25, "division by zero"},
    };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (status & causes[i].bits) {
            return causes[i].text;
        }
    }
    return "cause not recorded";
}

__attribute__((noreturn, used)) static void report(const uint32_t *frame, uint32_t number)
{
    const uint32_t status = read_register(0xE000ED28); // CFSR
    const uint32_t memory = read_register(0xE000ED34); // MMFAR
    const uint32_t bus = read_register(0xE000ED38);    // BFAR
    const uint32_t memory_valid = 1U << 7, bus_valid = 1U << 15, stacking_failed = 1U << 4 | 1U << 12 | 1U << 20;
    rl_board_print("fault: ");
    rl_board_print(exception_name(number));
    rl_board_print(": ");
    rl_board_print(cause(status));
    if (!(status & stacking_failed)) { // otherwise no frame was stored
        rl_board_print(", pc=");
        rl_board_print_hex(frame[6]);
        rl_board_print(" lr=");
        rl_board_print_hex(frame[5]);
    }
    if (status & (memory_valid | bus_valid)) {
        rl_board_print(" address=");
        rl_board_print_hex(status & bus_valid ? bus : memory);
    }
    rl_board_print(" cfsr=");
    rl_board_print_hex(status);
    rl_board_print("\n");
    rl_semihosting_exit(RL_EXIT_FAULT);
}

// Continues with a stack of its own, because the fault may be in the other one, whose pointer gives the frame.
__attribute__((naked)) void rl_fault(void)
{
#if __ARM_ARCH >= 8
    __asm__ volatile("movs r0, #0\n"
                     "msr msplim, r0\n");
#endif
    __asm__ volatile("mrs r0, msp\n"
                     "mrs r1, ipsr\n"
                     "ldr r2, =rl_fault_stack_top\n"
                     "mov sp, r2\n"
                     "bl report\n");
}
