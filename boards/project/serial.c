// SPDX-License-Identifier: Apache-2.0
//
// UART 0 of Arm's MPS2 and MPS3 boards. Registers: Cortex-M System Design Kit, Technical Reference Manual, "APB UART".
#include "serial.h"

enum { TRANSMIT_FULL = 1, RECEIVE_FULL = 2, TRANSMIT_ENABLE = 1, RECEIVE_ENABLE = 2 };
enum { DATA, STATE, CONTROL, INTERRUPTS, DIVIDER }; // words
enum { CLOCK_HZ = 25000000, BAUD = 115200 };

static volatile uint32_t *const uart = (volatile uint32_t *)BOARD_UART;

void serial_start(void)
{
    uart[DIVIDER] = CLOCK_HZ / BAUD;
    uart[CONTROL] = TRANSMIT_ENABLE | RECEIVE_ENABLE;
}

uint8_t serial_get(void)
{
    while (!(uart[STATE] & RECEIVE_FULL)) {
        continue;
    }
    return (uint8_t)uart[DATA];
}

void serial_put(uint8_t byte)
{
    while (uart[STATE] & TRANSMIT_FULL) {
        continue;
    }
    uart[DATA] = byte;
}
