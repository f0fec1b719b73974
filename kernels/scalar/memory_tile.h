// SPDX-License-Identifier: Apache-2.0
// Copy and fill of int8 runs: short, of any alignment, inside kernels. The C library is not used because
// small ones move single bytes.
#ifndef RL_KERNELS_SCALAR_MEMORY_TILE_H
#define RL_KERNELS_SCALAR_MEMORY_TILE_H

#include <stdint.h>
#include <string.h>

// Stops the compiler from recognising a loop as memcpy or memset and calling the library after all.
#define RL_KEEP_LOOP() __asm__ volatile("" ::: "memory")

// Copies `count` >= 0 elements; the areas must not overlap.
static inline void rl_copy_s8(int8_t *to, const int8_t *from, int32_t count)
{
    for (; count >= 8; count -= 8, to += 8, from += 8) {
        uint32_t words[2];
        memcpy(words, from, sizeof words);
        memcpy(to, words, sizeof words);
        RL_KEEP_LOOP();
    }
    for (; count > 0; count--) {
        *to++ = *from++;
        RL_KEEP_LOOP();
    }
}

// Writes `count` >= 0 copies of `value`.
static inline void rl_fill_s8(int8_t *to, int8_t value, int32_t count)
{
    const uint32_t word = (uint8_t)value * UINT32_C(0x01010101);
    for (; count >= 4; count -= 4, to += 4) {
        memcpy(to, &word, sizeof word);
        RL_KEEP_LOOP();
    }
    for (; count > 0; count--) {
        *to++ = value;
        RL_KEEP_LOOP();
    }
}

#endif
