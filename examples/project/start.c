// SPDX-License-Identifier: Apache-2.0
// The least start-up that newlib's semihosting needs. A real project has the vendor's.
#include <stdint.h>
#include <stdlib.h>

#include "rushlight/core.h"

extern uint32_t stack_top[], data[], data_end[], bss[], bss_end[];
extern const uint32_t data_image[];
void initialise_monitor_handles(void);
int main(void);
void reset(void);

static void stop(void)
{
    for (;;) {
        continue;
    }
}

void reset(void)
{
    volatile uint32_t *const cpacr = (volatile uint32_t *)0xE000ED88;
    const uint32_t *image = data_image;
    if (rl_core_refusal()) { // first, because on the wrong core all else may fault at its first instruction
        stop();
    }
    *cpacr |= 0xFU << 20; // the FPU; on cores with Helium, Helium
    __asm__ volatile("dsb\nisb");
    for (uint32_t *word = data; word < data_end; word++) {
        *word = *image++;
    }
    for (uint32_t *word = bss; word < bss_end; word++) {
        *word = 0;
    }
    initialise_monitor_handles();
    exit(main());
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_top, reset, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop,
};
