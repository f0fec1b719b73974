// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of bytes, in pieces. Cores have the loop in crc.c, hosts the one in host/crc.c; both give the same number.
// Freestanding.
#ifndef RL_FORMAT_CRC_H
#define RL_FORMAT_CRC_H

#include <stdint.h>

// The remainder after `bytes` more bytes. Begin with UINT32_MAX; the checksum is the complement of the last remainder.
uint32_t rl_crc_add(uint32_t crc, const uint8_t *data, uint32_t bytes);

#endif
