// SPDX-License-Identifier: Apache-2.0
#include "board.h"
#include "semihosting.h"

void rl_board_print(const char *text)
{
    rl_semihosting_print(text);
}

void rl_board_print_number(uint32_t number)
{
    char text[11]; // 4294967295 and a NUL
    char *first = text + sizeof text - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    rl_semihosting_print(first);
}

void rl_board_print_hex(uint32_t number)
{
    char text[] = "0x00000000";
    for (int i = 0; i < 8; i++) {
        text[9 - i] = "0123456789abcdef"[number >> (4 * i) & 15];
    }
    rl_semihosting_print(text);
}
