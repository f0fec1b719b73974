// SPDX-License-Identifier: Apache-2.0
#include "format/checksum.h"

#include "format/crc.h"
#include "format/pte.h"

uint32_t rl_pte_checksum(const uint8_t *file, uint32_t bytes)
{
    static const uint8_t zeros[4];
    const uint32_t behind = RL_PTE_CHECKSUM_OFFSET + sizeof zeros;
    uint32_t crc = rl_crc_add(UINT32_MAX, file, RL_PTE_CHECKSUM_OFFSET);
    crc = rl_crc_add(crc, zeros, sizeof zeros);
    return ~rl_crc_add(crc, file + behind, bytes - behind);
}
