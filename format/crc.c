// SPDX-License-Identifier: Apache-2.0
//
// Half a byte at a time: the table of whole bytes would be a kilobyte of flash.
#include "format/crc.h"

uint32_t rl_crc_add(uint32_t crc, const uint8_t *data, uint32_t bytes)
{
    static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                       0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    for (uint32_t i = 0; i < bytes; i++) {
        crc = table[(crc ^ data[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ (uint32_t)data[i] >> 4) & 15] ^ crc >> 4;
    }
    return crc;
}
