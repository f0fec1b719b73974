// SPDX-License-Identifier: Apache-2.0
//
// Eight bytes at a time. The remainder of a sum (exclusive or) is the sum of the remainders, and how the remainder of a
// byte goes on through the bytes behind it is in a table for each of the eight places. The tables take two microseconds
// to compute and lie on the stack.
#include "format/crc.h"

enum { PLACES = 8, BYTES = 256 };

static const uint32_t polynomial = 0xEDB88320;

static void fill(uint32_t tables[PLACES][BYTES])
{
    for (uint32_t i = 0; i < BYTES; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        }
        tables[0][i] = crc;
    }
    for (int place = 1; place < PLACES; place++) {
        for (uint32_t i = 0; i < BYTES; i++) {
            const uint32_t crc = tables[place - 1][i];
            tables[place][i] = tables[0][crc & 255] ^ crc >> 8;
        }
    }
}

uint32_t rl_crc_add(uint32_t crc, const uint8_t *data, uint32_t bytes)
{
    uint32_t tables[PLACES][BYTES];
    fill(tables);
    for (; bytes >= PLACES; bytes -= PLACES, data += PLACES) {
        crc = tables[7][(crc ^ data[0]) & 255] ^ tables[6][(crc >> 8 ^ data[1]) & 255] ^
              tables[5][(crc >> 16 ^ data[2]) & 255] ^ tables[4][crc >> 24 ^ data[3]] ^ tables[3][data[4]] ^
              tables[2][data[5]] ^ tables[1][data[6]] ^ tables[0][data[7]];
    }
    for (uint32_t i = 0; i < bytes; i++) {
        crc = tables[0][(crc ^ data[i]) & 255] ^ crc >> 8;
    }
    return crc;
}
