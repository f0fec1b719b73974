// SPDX-License-Identifier: Apache-2.0
// Copy and fill of int8 runs for kernels, which are short and have any alignment. Small C libraries would move single
// bytes.
#ifndef RL_KERNELS_SCALAR_MEMORY_TILE_H
#define RL_KERNELS_SCALAR_MEMORY_TILE_H

#include <stddef.h>
#include <stdint.h>

#include "data_movement/copy_unaligned.h"
#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

static inline void rl_copy_16_s8(int8_t *to, const int8_t *from)
{
    const uint32_t words[4] = {rl_load_s8x4(from), rl_load_s8x4(from + 4), rl_load_s8x4(from + 8),
                               rl_load_s8x4(from + 12)};
    rl_store_s8x4(to, words[0]);
    rl_store_s8x4(to + 4, words[1]);
    rl_store_s8x4(to + 8, words[2]);
    rl_store_s8x4(to + 12, words[3]);
}

// Copies `count` >= 0 elements from the first on; `to` may lie before `from` in the same area.
static inline void rl_copy_s8(int8_t *to, const int8_t *from, int32_t count)
{
    if (rl_words_allowed((uintptr_t)to | (uintptr_t)from)) {
        for (; !RL_SMALL && count >= 64; count -= 64, to += 64, from += 64) {
            rl_copy_16_s8(to, from);
            rl_copy_16_s8(to + 16, from + 16);
            rl_copy_16_s8(to + 32, from + 32);
            rl_copy_16_s8(to + 48, from + 48);
            RL_KEEP_LOOP();
        }
        for (; count >= 16; count -= 16, to += 16, from += 16) {
            rl_copy_16_s8(to, from);
            RL_KEEP_LOOP();
        }
        if ((count & 8) != 0) {
            const uint32_t words[2] = {rl_load_s8x4(from), rl_load_s8x4(from + 4)};
            rl_store_s8x4(to, words[0]);
            rl_store_s8x4(to + 4, words[1]);
            to += 8;
            from += 8;
        }
        if ((count & 4) != 0) {
            rl_store_s8x4(to, rl_load_s8x4(from));
            to += 4;
            from += 4;
        }
        count &= 3;
    } else if (RL_HAS_COPY_UNALIGNED && count >= RL_COPY_UNALIGNED) {
        rl_copy_unaligned_s8(to, from, count);
        return;
    }
    for (; count > 0; count--) {
        *to++ = *from++;
        RL_KEEP_LOOP();
    }
}

enum { RL_LONG_RUN = 44 }; // elements from which rl_copy_s8 takes fewer cycles for a run than a loop of words

// rl_copy_runs_s8 for runs of at most three, as in patches of one input channel. For shorter ones the middle element is
// the last, too.
static inline void rl_copy_short_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step,
                                         int32_t count, int32_t runs)
{
    const int32_t last = count - 1, middle = last > 1 ? 1 : last;
    for (; runs > 0; runs--, to += to_step, from += from_step) {
        const int8_t elements[3] = {from[0], from[middle], from[last]};
        to[0] = elements[0];
        to[middle] = elements[1];
        to[last] = elements[2];
        RL_KEEP_LOOP();
    }
}

// rl_copy_runs_s8 for runs of at least four, as in patches of few input channels. A run ends with a word that may
// overlap the one before it, so that no elements are left over. Inlined, because compilers else call it for patches.
static inline __attribute__((always_inline)) void rl_copy_word_runs_s8(int8_t *to, ptrdiff_t to_step,
                                                                       const int8_t *from, ptrdiff_t from_step,
                                                                       int32_t count, int32_t runs)
{
    const int32_t last = count - 4;
    for (; last <= 4 && runs > 0; runs--, to += to_step, from += from_step) {
        const uint32_t words[2] = {rl_load_s8x4(from), rl_load_s8x4(from + last)};
        rl_store_s8x4(to, words[0]);
        rl_store_s8x4(to + last, words[1]);
        RL_KEEP_LOOP();
    }
    for (; last <= 8 && runs > 0; runs--, to += to_step, from += from_step) {
        const uint32_t words[3] = {rl_load_s8x4(from), rl_load_s8x4(from + 4), rl_load_s8x4(from + last)};
        rl_store_s8x4(to, words[0]);
        rl_store_s8x4(to + 4, words[1]);
        rl_store_s8x4(to + last, words[2]);
        RL_KEEP_LOOP();
    }
    for (; runs > 0; runs--, to += to_step, from += from_step) {
        const uint32_t end = rl_load_s8x4(from + last);
        for (int32_t i = 0; i < last; i += 4) {
            rl_store_s8x4(to + i, rl_load_s8x4(from + i));
            RL_KEEP_LOOP();
        }
        rl_store_s8x4(to + last, end);
    }
}

// rl_copy_runs_s8 for runs of any length.
static inline void rl_copy_any_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step,
                                       int32_t count, int32_t runs)
{
    for (; runs > 0; runs--, to += to_step, from += from_step) {
        rl_copy_s8(to, from, count);
    }
}

// The same for long runs. Not inlined, so that short ones need not save the registers that it uses.
static __attribute__((noinline)) void rl_copy_long_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from,
                                                           ptrdiff_t from_step, int32_t count, int32_t runs)
{
    rl_copy_any_runs_s8(to, to_step, from, from_step, count, runs);
}

// Copies `runs` >= 0 runs of `count` >= 1 elements whose starts are `to_step` and `from_step` apart. No run overlaps
// the place of another.
static inline void rl_copy_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step,
                                   int32_t count, int32_t runs)
{
    if (RL_SMALL) {
        rl_copy_any_runs_s8(to, to_step, from, from_step, count, runs);
        return;
    }
    if (count < 4) {
        rl_copy_short_runs_s8(to, to_step, from, from_step, count, runs);
        return;
    }
    if (RL_HAS_UNALIGNED_WORDS && count < RL_LONG_RUN) {
        rl_copy_word_runs_s8(to, to_step, from, from_step, count, runs);
        return;
    }
    rl_copy_long_runs_s8(to, to_step, from, from_step, count, runs);
}

// rl_fill_s8 for at least four. The first and the last word may have any address; those between are aligned, for which
// a Cortex-M7 takes a cycle in place of four.
static inline void rl_fill_words_s8(int8_t *to, int8_t value, int32_t count)
{
    const uint32_t word = rl_repeat_s8x4(value);
    int8_t *const last = to + count - 4;
    rl_store_s8x4(to, word);
    rl_store_s8x4(last, word);
    to += 4 - ((uintptr_t)to & 3);
    for (; last - to > 12; to += 16) {
        rl_store_s8x4(to, word);
        rl_store_s8x4(to + 4, word);
        rl_store_s8x4(to + 8, word);
        rl_store_s8x4(to + 12, word);
        RL_KEEP_LOOP();
    }
    for (; last - to > 0; to += 4) {
        rl_store_s8x4(to, word);
        RL_KEEP_LOOP();
    }
}

// Writes `count` >= 0 copies of `value`.
static inline void rl_fill_s8(int8_t *to, int8_t value, int32_t count)
{
    if (!RL_SMALL && RL_DUAL_ISSUE && count >= 4) {
        rl_fill_words_s8(to, value, count);
        return;
    }
    for (; RL_HAS_COPY_UNALIGNED && count > 4 && ((uintptr_t)to & 3) != 0; count--) {
        *to++ = value;
    }
    if (rl_words_allowed((uintptr_t)to)) {
        const uint32_t word = rl_repeat_s8x4(value);
        for (; !RL_SMALL && count >= 16; count -= 16, to += 16) {
            rl_store_s8x4(to, word);
            rl_store_s8x4(to + 4, word);
            rl_store_s8x4(to + 8, word);
            rl_store_s8x4(to + 12, word);
            RL_KEEP_LOOP();
        }
        for (; count >= 4; count -= 4, to += 4) {
            rl_store_s8x4(to, word);
            RL_KEEP_LOOP();
        }
    }
    for (; count > 0; count--) {
        *to++ = value;
        RL_KEEP_LOOP();
    }
}

#endif
