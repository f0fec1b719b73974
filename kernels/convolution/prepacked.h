// SPDX-License-Identifier: Apache-2.0
// The order of prepacked weights, in which the inner loops of DSP cores read them (dsp/dot_2x4.h).
//
// Filters are in groups of four, and each group is as long as its four filters. In a group come, for each four weights
// k..k+3 of the filters a, b, c and d, four words, and for each of the last zero to three weights one word, as halves:
//
//     ab[k], ab[k+2]   cd[k], cd[k+2]   ab[k+1], ab[k+3]   cd[k+1], cd[k+3]        ab[k], cd[k]
//
// Each half is an int16 that holds the weights of two filters: ab[k] = a[k] + 128 + 256 * b[k]. Its lower byte is
// a[k] + 128. With x the inputs,
//
//     sum of x * a = sum of x * lower byte - 128 * sum of x
//     sum of x * b = (sum of x * ab - sum of x * lower byte) / 256
//
// Sums are modulo 2^32, so the latter is exact while it is within 24 bits.
#ifndef RL_KERNELS_CONVOLUTION_PREPACKED_H
#define RL_KERNELS_CONVOLUTION_PREPACKED_H

#include <stdint.h>

enum { RL_PREPACKED_GROUP = 4 }; // filters in a group

// The number of a byte of a filter: `filter` is 0 to 3, its number in the group.
static inline int32_t rl_prepacked_place(int32_t depth, int32_t filter, int32_t k)
{
    const int32_t four = k >> 2, end = depth >> 2;
    if (four == end) {
        return 16 * four + 4 * (k & 3) + filter;
    }
    return 16 * four + 8 * (k & 1) + 4 * (filter >> 1) + (k & 2) + (filter & 1);
}

// The weight as its byte, and back.
static inline int8_t rl_prepacked_byte(int8_t weight, int32_t filter)
{
    return (int8_t)(filter % 2 == 0 ? (uint8_t)weight ^ 0x80u : (uint8_t)weight);
}

// Writes `channels` filters of `depth` weights, a multiple of four, in the order above.
void rl_prepack(const int8_t *weights, int32_t channels, int32_t depth, int8_t *packed);

// Spreads `count` weights of prepacked filters in the usual order, [channel][depth], from number `first` on.
void rl_spread_prepacked(const int8_t *packed, int32_t depth, int32_t first, int32_t count, int8_t *weights);

#endif
