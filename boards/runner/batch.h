// SPDX-License-Identifier: Apache-2.0
//
// What the host and the runner exchange. The runner's standard input is
//
//     u32, bytes   the length of the program (.pte), and the program
//     u32, bytes   the length of the file with its tensors (.ptd), 0 if it has none, and that file
//     a batch      the samples
//
// and its standard output is a batch, the results. A batch is
//
//     offset 0   4 bytes            "RLB1"
//            4   u32                number of samples
//            8   u32                bytes of one sample
//           12   samples x bytes    for each sample each input (or output) in the program's order, one
//                                   directly after the other: elements in logical (C) order, as in a .npy
//
// A tensor whose shape may change is its sizes, one i32 a dimension, and its elements, with zeros behind them up to the
// bytes of its largest sizes. An output that is a number has 8 bytes, whatever kind of number it is.
//
// Integers are little-endian.
#ifndef RL_BOARDS_BATCH_H
#define RL_BOARDS_BATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RL_BATCH_HEADER_BYTES = 12 };

struct rl_batch_header {
    uint32_t samples;
    uint32_t sample_bytes;
};

static inline void rl_batch_store_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline uint32_t rl_batch_load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void rl_batch_encode_header(uint8_t bytes[RL_BATCH_HEADER_BYTES], struct rl_batch_header header)
{
    memcpy(bytes, "RLB1", 4);
    rl_batch_store_u32(bytes + 4, header.samples);
    rl_batch_store_u32(bytes + 8, header.sample_bytes);
}

// False when the bytes are not the start of a batch file.
static inline bool rl_batch_decode_header(const uint8_t bytes[RL_BATCH_HEADER_BYTES], struct rl_batch_header *header)
{
    header->samples = rl_batch_load_u32(bytes + 4);
    header->sample_bytes = rl_batch_load_u32(bytes + 8);
    return memcmp(bytes, "RLB1", 4) == 0;
}

#endif
