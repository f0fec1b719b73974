// SPDX-License-Identifier: Apache-2.0
//
// Wait states of code and constants in flash, behind caches without prefetch that replace the least recently used line.
#ifndef RL_BOARDS_CYCLES_FLASH_H
#define RL_BOARDS_CYCLES_FLASH_H

#include <stdbool.h>
#include <stdint.h>

enum { RL_FLASH_LINES = 4096 }; // of a cache, at most

struct rl_flash_cache {
    uint64_t begin, end; // addresses in flash
    uint32_t lines;      // 0: no cache
    uint32_t line_bytes;
    uint64_t tags[RL_FLASH_LINES]; // the last used first; 0: empty
};

// Touches the lines of the addresses from `begin` to before `end`, and returns how many were missing. Addresses outside
// of flash miss nothing.
uint32_t rl_flash_touch(struct rl_flash_cache *cache, uint64_t begin, uint64_t end);

#endif
