// SPDX-License-Identifier: Apache-2.0
// Expands any number of values for dot_1x3.h.
#ifndef RL_KERNELS_DSP_EXPAND_VALUES_H
#define RL_KERNELS_DSP_EXPAND_VALUES_H

#include "dsp/dot_1x3_plain.h"
#include "dsp/expand_row.h"
#include "dsp/simd.h"
#include "requantize.h"

// Writes two words for a four: values from `row` to its places from `from` on and before `end`, with an offset, and
// zeros to the others.
static inline uint32_t *rl_expand_some(const int8_t *row, int32_t from, int32_t end, uint32_t offsets, uint32_t *words)
{
    uint32_t pairs[2] = {0, 0};
    for (int32_t k = from; k < end; k++) {
        const uint32_t value = ((uint32_t)*row++ + offsets) & 0xffffu;
        pairs[k & 1] |= value << ((k & 2) * 8);
    }
    words[0] = pairs[0];
    words[1] = pairs[1];
    return words + 2;
}

// Writes two words for each four of `zeros` zeros, up to three, and `count` values behind them, in the order of
// dot_1x3_plain.h. The last four are filled up with zeros. `offsets` holds what is added to values twice. Returns the
// end of the words.
static __attribute__((noinline)) uint32_t *rl_expand_values(const int8_t *row, int32_t zeros, int32_t count,
                                                            uint32_t offsets, uint32_t *words)
{
    if (zeros != 0) {
        const int32_t first = rl_min_s32(count, 4 - zeros);
        words = rl_expand_some(row, zeros, zeros + first, offsets, words);
        row += first;
        count -= first;
    }
    if (count >= RL_EXPAND_STEP) {
        const int32_t rounds = count / RL_EXPAND_STEP;
        words = rl_expand_rounds(row, rounds, offsets, words);
        row += rounds * RL_EXPAND_STEP;
        count -= rounds * RL_EXPAND_STEP;
    }
    for (; count >= 4; count -= 4, row += 4, words += 2) {
        const uint32_t four = rl_load_s8x4(row);
        words[0] = (uint32_t)rl_even_s16_add((int16x2_t)offsets, four);
        words[1] = (uint32_t)rl_odd_s16_add((int16x2_t)offsets, four);
    }
    return count > 0 ? rl_expand_some(row, 0, count, offsets, words) : words;
}

#endif
