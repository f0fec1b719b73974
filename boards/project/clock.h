// SPDX-License-Identifier: Apache-2.0
//
// Written by Rushlight. Counts cycles of the core: with the DWT where the core has a cycle counter, else with SysTick,
// which holds 24 bits. Registers: Armv7-M and Armv8-M Architecture Reference Manuals, "Data Watchpoint and Trace" and
// "System timer".
#ifndef PROJECT_CLOCK_H
#define PROJECT_CLOCK_H

#include <stdint.h>

void clock_start(void);
uint32_t clock_now(void);
uint32_t clock_since(uint32_t start); // ticks since clock_now() gave `start`
const char *clock_name(void);         // "DWT" or "SysTick"
uint8_t clock_bits(void);             // after so many the counter starts anew

#endif
