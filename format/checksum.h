// SPDX-License-Identifier: Apache-2.0
//
// The checksum that our writer puts into a .pte: in the extended header, behind the fields that ExecuTorch knows and
// within the length that the header declares, so that other readers pass over it.
// Freestanding.
#ifndef RL_FORMAT_CHECKSUM_H
#define RL_FORMAT_CHECKSUM_H

#include <stdint.h>

// CRC-32 (polynomial 0x04C11DB7 reflected, as in IEEE 802.3) of the first `bytes` bytes of a file, in which the four
// bytes of the checksum itself count as zero. `bytes` must reach beyond the header.
uint32_t rl_pte_checksum(const uint8_t *file, uint32_t bytes);

#endif
