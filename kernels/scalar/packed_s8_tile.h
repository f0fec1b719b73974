// SPDX-License-Identifier: Apache-2.0
// Four int8 in one word, with ordinary integer instructions. The first element is in the low bits.
#ifndef RL_KERNELS_SCALAR_PACKED_S8_TILE_H
#define RL_KERNELS_SCALAR_PACKED_S8_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa.h"

#include RL_WORDS(words)

// Whether words may be loaded and stored at addresses, or with steps in bytes, whose bitwise OR is `addresses`.
static inline bool rl_words_allowed(uintptr_t addresses)
{
    return RL_HAS_UNALIGNED_WORDS || (addresses & 3u) == 0;
}

// Call it only where rl_words_allowed.
static inline uint32_t rl_load_s8x4(const int8_t *from)
{
    return rl_load_word(RL_HAS_UNALIGNED_WORDS ? from : RL_ALIGNED(from, 4));
}

static inline void rl_store_s8x4(int8_t *to, uint32_t word)
{
    rl_store_word(RL_HAS_UNALIGNED_WORDS ? to : RL_ALIGNED(to, 4), word);
}

static inline uint32_t rl_repeat_s8x4(int32_t value)
{
    return (uint8_t)value * UINT32_C(0x01010101);
}

// 0xff in each byte where a is below b. Bits 0-6 are compared by a subtraction that cannot borrow from the next byte,
// because bit 7 is set first. Where the signs differ, they decide.
static inline uint32_t rl_below_s8x4(uint32_t a, uint32_t b)
{
    const uint32_t high = UINT32_C(0x80808080);
    const uint32_t low_bits_not_below = (a | high) - (b & ~high);
    const uint32_t signs_differ = a ^ b;
    const uint32_t below = ((signs_differ & a) | ~(signs_differ | low_bits_not_below)) & high;
    return (below << 1) - (below >> 7);
}

static inline uint32_t rl_maximum_s8x4(uint32_t a, uint32_t b)
{
    return a ^ ((a ^ b) & rl_below_s8x4(a, b));
}

static inline uint32_t rl_minimum_s8x4(uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & rl_below_s8x4(a, b));
}

// Adds bytes 0 and 2 (even) or 1 and 3 (odd) of a word to sums of which a word holds two. A word of sums starts as 0
// and takes up to 255 additions.
static inline uint32_t rl_add_even_s8(uint32_t sums, uint32_t bytes)
{
    return sums + ((bytes ^ UINT32_C(0x80808080)) & UINT32_C(0x00ff00ff));
}

static inline uint32_t rl_add_odd_s8(uint32_t sums, uint32_t bytes)
{
    return sums + (((bytes ^ UINT32_C(0x80808080)) >> 8) & UINT32_C(0x00ff00ff));
}

// Adds `count` groups of eight bytes, which are `step` bytes apart, to the even and the odd sums of the first four and
// of the others. `count` is at least 1.
static inline void rl_add_eights_s8(uint32_t sums[4], const int8_t *bytes, int32_t count, ptrdiff_t step)
{
    for (; count > 0; count--, bytes += step) {
        const uint32_t first = rl_load_s8x4(bytes), second = rl_load_s8x4(bytes + 4);
        sums[0] = rl_add_even_s8(sums[0], first);
        sums[1] = rl_add_odd_s8(sums[1], first);
        sums[2] = rl_add_even_s8(sums[2], second);
        sums[3] = rl_add_odd_s8(sums[3], second);
    }
}

// The maximum of each of eight bytes over such groups, and of `maxima`.
static inline void rl_maximum_of_eights_s8(uint32_t maxima[2], const int8_t *bytes, int32_t count, ptrdiff_t step)
{
    do {
        maxima[0] = rl_maximum_s8x4(maxima[0], rl_load_s8x4(bytes));
        maxima[1] = rl_maximum_s8x4(maxima[1], rl_load_s8x4(bytes + 4));
        bytes += step;
    } while (--count > 0);
}

// The lower, and below the upper, of the two sums after `count` additions, each of which added 128 too much.
static inline int32_t rl_lower_sum(uint32_t sums, int32_t count)
{
    return (int32_t)(sums & 0xffffu) - 128 * count;
}

static inline int32_t rl_upper_sum(uint32_t sums, int32_t count)
{
    return (int32_t)(sums >> 16) - 128 * count;
}

#endif
