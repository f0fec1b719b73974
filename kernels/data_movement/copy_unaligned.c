// SPDX-License-Identifier: Apache-2.0
#include "data_movement/copy_unaligned.h"

#include "scalar/copy_blocks.h"
#include "scalar/packed_s8_tile.h"

// Four elements from the words around them. `word` is the one in which they start, and becomes the next one.
static inline void copy_four(int8_t *to, const int8_t *next_word, uint32_t *word, int32_t behind)
{
    const uint32_t next = rl_load_s8x4(next_word);
    rl_store_s8x4(to, *word >> behind | next << (32 - behind));
    *word = next;
}

void rl_copy_unaligned_s8(int8_t *to, const int8_t *from, int32_t count)
{
    for (; ((uintptr_t)to & 3) != 0; count--) {
        *to++ = *from++;
        RL_KEEP_LOOP();
    }
    const int32_t before = (int32_t)((uintptr_t)from & 3); // bytes of a word before the elements
    const int8_t *at = from - before;
    if (before == 0) {
        const int32_t blocks = count >= 2 * RL_COPY_BLOCK ? count / RL_COPY_BLOCK : 0;
        if (blocks != 0 && RL_HAS_COPY_BLOCKS) {
            rl_copy_blocks_s8(to, at, blocks);
            to += blocks * RL_COPY_BLOCK;
            at += blocks * RL_COPY_BLOCK;
            count -= blocks * RL_COPY_BLOCK;
        }
        for (; count >= 4; count -= 4, to += 4, at += 4) {
            rl_store_s8x4(to, rl_load_s8x4(at));
            RL_KEEP_LOOP();
        }
    } else {
        uint32_t word = rl_load_s8x4(at);
        for (; count >= 16; count -= 16, to += 16, at += 16) {
            copy_four(to, at + 4, &word, 8 * before);
            copy_four(to + 4, at + 8, &word, 8 * before);
            copy_four(to + 8, at + 12, &word, 8 * before);
            copy_four(to + 12, at + 16, &word, 8 * before);
            RL_KEEP_LOOP();
        }
        for (; count >= 4; count -= 4, to += 4, at += 4) {
            copy_four(to, at + 4, &word, 8 * before);
        }
    }
    for (from = at + before; count > 0; count--) {
        *to++ = *from++;
        RL_KEEP_LOOP();
    }
}
