// SPDX-License-Identifier: Apache-2.0
//
// Written by Rushlight. The serial line to the host, for `rushlight validate`: 115200 baud, 8 bits, no parity. On a
// board, put that of the vendor's SDK in these three functions.
#ifndef PROJECT_SERIAL_H
#define PROJECT_SERIAL_H

#include <stdint.h>

void serial_start(void);
uint8_t serial_get(void); // waits for a byte
void serial_put(uint8_t byte);

#endif
