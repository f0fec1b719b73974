// SPDX-License-Identifier: Apache-2.0
#include "flash.h"

#include <string.h>

static bool touch_line(struct rl_flash_cache *cache, uint64_t tag)
{
    uint32_t i = 0;
    while (i < cache->lines && cache->tags[i] != tag) {
        i++;
    }
    const bool missing = i == cache->lines;
    if (cache->lines) {
        memmove(cache->tags + 1, cache->tags, (missing ? i - 1 : i) * sizeof *cache->tags);
        cache->tags[0] = tag;
    }
    return missing;
}

uint32_t rl_flash_touch(struct rl_flash_cache *cache, uint64_t begin, uint64_t end)
{
    uint32_t missing = 0;
    if (begin < cache->begin || begin >= cache->end) {
        return 0;
    }
    for (uint64_t line = begin / cache->line_bytes; line * cache->line_bytes < end; line++) {
        missing += touch_line(cache, line + 1) ? 1 : 0;
    }
    return missing;
}
