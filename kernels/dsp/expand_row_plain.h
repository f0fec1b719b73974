// SPDX-License-Identifier: Apache-2.0
// Expands bytes to the int16 that other loops multiply: expand_row.h in C.
#ifndef RL_KERNELS_DSP_EXPAND_ROW_PLAIN_H
#define RL_KERNELS_DSP_EXPAND_ROW_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/matmul_bytes.h"
#include "dsp/simd_plain.h"
#include "isa.h"

enum { RL_EXPAND_STEP = RL_SMALL ? RL_ROW_STEP : 2 * RL_ROW_STEP }; // values in a round of rl_expand_rounds

// Writes one row of dot_3x2_plain.h: `count` >= 0 values go to every third word from `values` on, with an offset added
// that `offsets` holds twice. `from` may have any address. Returns the place for the next values.
static inline uint32_t *rl_expand_run_plain(const int8_t *from, int32_t count, uint32_t *values, uint32_t offsets)
{
    for (; count >= 4; count -= 4, from += 4, values += 6) {
        values[0] = rl_pair_of_bytes(offsets, from);
        values[3] = rl_pair_of_bytes(offsets, from + 1);
    }
    for (; count > 0; count--, values += 3) {
        *values = (uint32_t)(*from++ + rl_pair_low(offsets));
    }
    return values;
}

// Writes both rows of dot_2x4_plain.h: `count` >= 1 values of each. The rows may have any address. Returns the place
// for the next values. Adds -128 times the values of each row to `starts`.
static inline uint32_t *rl_expand_two_rows_plain(const int8_t *first, const int8_t *second, int32_t count,
                                                 uint32_t *values, int32_t starts[2])
{
    for (int32_t i = 0; i < count; i++) {
        starts[0] -= 128 * first[i];
        starts[1] -= 128 * second[i];
    }
    for (; count >= 4; count -= 4, first += 4, second += 4, values += 4) {
        values[0] = rl_pair_of_bytes(0, first);
        values[1] = rl_pair_of_bytes(0, second);
        values[2] = rl_pair_of_bytes(0, first + 1);
        values[3] = rl_pair_of_bytes(0, second + 1);
    }
    for (; count > 0; count--, values += 2) {
        values[0] = (uint32_t)*first++;
        values[1] = (uint32_t)*second++;
    }
    return values;
}

// Writes the words of dot_1x3_plain.h for `rounds` >= 1 times RL_EXPAND_STEP values, and adds an offset, which
// `offsets` holds twice. Returns the end of the words.
static inline uint32_t *rl_expand_rounds_plain(const int8_t *row, int32_t rounds, uint32_t offsets, uint32_t *words)
{
    for (int32_t fours = rounds * RL_EXPAND_STEP / 4; fours > 0; fours--, row += 4) {
        *words++ = rl_pair_of_bytes(offsets, row);
        *words++ = rl_pair_of_bytes(offsets, row + 1);
    }
    return words;
}

// Writes two lines of pixels of four channels as pairs (upper, lower) of channels 0, 1, 2 and 3, and adds the offset.
// Pixels are `step` bytes apart; a line has `bytes`, a multiple of `step`. Returns the end of the pairs.
static inline uint32_t *rl_expand_two_lines_plain(const int8_t *upper, const int8_t *lower, ptrdiff_t bytes,
                                                  ptrdiff_t step, uint32_t offsets, uint32_t *to)
{
    const int32_t offset = rl_pair_low(offsets);
    for (ptrdiff_t at = 0; at < bytes; at += step) {
        for (ptrdiff_t channel = at; channel < at + 4; channel++) {
            *to++ = rl_pair_of(upper[channel] + offset, lower[channel] + offset);
        }
    }
    return to;
}

#endif
