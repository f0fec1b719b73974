// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include <stdbool.h>

static volatile uint32_t *const systick_control = (volatile uint32_t *)0xE000E010;
static volatile uint32_t *const systick_reload = (volatile uint32_t *)0xE000E014;
static volatile uint32_t *const systick_value = (volatile uint32_t *)0xE000E018;
static bool has_dwt;

#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 2
static volatile uint32_t *const demcr = (volatile uint32_t *)0xE000EDFC;
static volatile uint32_t *const dwt_control = (volatile uint32_t *)0xE0001000;
static volatile uint32_t *const dwt_cycles = (volatile uint32_t *)0xE0001004;

// The emulator has no DWT, and some chips switch it off.
static bool start_dwt(void)
{
    *demcr |= 1U << 24; // TRCENA
    *dwt_cycles = 0;
    *dwt_control |= 1U; // CYCCNTENA
    for (volatile int i = 0; i < 16; i++) {
        continue;
    }
    return *dwt_cycles != 0;
}

static uint32_t read_dwt(void)
{
    return *dwt_cycles;
}
#else
static bool start_dwt(void)
{
    return false;
}

static uint32_t read_dwt(void)
{
    return 0;
}
#endif

void clock_start(void)
{
    has_dwt = start_dwt();
    *systick_reload = 0xFFFFFF;
    *systick_value = 0;
    *systick_control = 5; // counts cycles of the core, without interrupts
}

uint32_t clock_now(void)
{
    return has_dwt ? read_dwt() : *systick_value;
}

uint32_t clock_since(uint32_t start)
{
    return has_dwt ? read_dwt() - start : (start - *systick_value) & 0xFFFFFF; // SysTick counts down
}

const char *clock_name(void)
{
    return has_dwt ? "DWT" : "SysTick";
}

uint8_t clock_bits(void)
{
    return has_dwt ? 32 : 24;
}
