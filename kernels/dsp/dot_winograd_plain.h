// SPDX-License-Identifier: Apache-2.0
// Two transformed tiles times groups of four transformed filters: dot_winograd.h in C.
//
// A word of values holds two channels of a tile, and two words lie side by side, one for each tile. A word of weights
// holds the same channels of a filter, and four words lie side by side, one for each filter (convolution/winograd.h).
#ifndef RL_KERNELS_DSP_DOT_WINOGRAD_PLAIN_H
#define RL_KERNELS_DSP_DOT_WINOGRAD_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "convolution/winograd.h"
#include "dsp/prepacked_word.h"

enum { RL_WINOGRAD_SUMS = 2 * RL_WINOGRAD_GROUP };

// The assembler relies on the offsets of the fields.
struct rl_dot_winograd {
    const uint32_t *values;  // 0: [position][channels / 2][2]
    const uint32_t *weights; // 4: [position][channels / 2][4], of one group; on return behind it
    int32_t *sums;           // 8: [position][4][2], filters and tiles
    int32_t channels;        // 12: a multiple of eight, above 0
};

// The sums go on from position to position: those of a position are the differences to the ones before.
static inline void rl_dot_winograd_plain(struct rl_dot_winograd *job)
{
    const uint32_t *values = job->values;
    int32_t sums[RL_WINOGRAD_SUMS] = {0};
    for (int32_t position = 0; position < RL_WINOGRAD_POSITIONS; position++) {
        for (int32_t k = 0; k < job->channels; k += 2, values += 2) {
            for (int32_t i = 0; i < RL_WINOGRAD_GROUP; i++) {
                const uint32_t weight = *job->weights++;
                sums[2 * i] += rl_pair_product(values[0], weight);
                sums[2 * i + 1] += rl_pair_product(values[1], weight);
            }
        }
        memcpy(job->sums + position * RL_WINOGRAD_SUMS, sums, sizeof sums);
    }
}

#endif
