// SPDX-License-Identifier: Apache-2.0
// The product that every int8 convolution becomes: rows of `depth` input values times `channels` filters of `depth`
// weights,
//     output[r][c] = clamp(requantize(bias[c] + sum_k rows[r][k] * filter[c][k]) + output_offset)
//
// The input offset is not here: sum (x + offset) * w = sum x * w + offset * sum w, and the second term depends on the
// channel alone. rl_convolution_channels adds it to the bias once, whatever the number of rows. DSP cores, which expand
// rows to int16, add the offset on the way instead, which takes no time and needs no sums of weights.
//
// Tile contract: rl_matmul_rows(m, rows, row_stride, row_count, output, output_stride).
// - Rows start `row_stride` >= 0 bytes apart and may overlap (1xN convolution). Nothing but the `depth` bytes of each
//   row and the filters is read. No alignment is needed. Outputs do not overlap inputs.
// - rl_matmul_tile_bytes(depth, channels): bytes that it needs at m->work.
// - RL_MATMUL_SCALE_BYTES: bytes that it needs at m->scale for each channel, 0 for a tile that does not read it.
// - rl_matmul_begin_rows(m, rows, input_offset): prepares a product of `rows` rows, once the fields before row_offset
//   are set. Returns the offset that remains to be folded into biases: 0 if rows take it. Not for Helium.
// - RL_MATMUL_ROWS rows at a time are best; other counts work.
// - Sums are exact modulo 2^32 and do not overflow for depth * 255 * 128 + |bias| < 2^31.
#ifndef RL_KERNELS_CONVOLUTION_MATMUL_H
#define RL_KERNELS_CONVOLUTION_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

// The most channels whose folded biases are kept at a time. Helium reads multipliers and shifts as vectors and needs no
// prepared scales.
enum { RL_CHANNEL_BLOCK = 64 };

struct rl_matmul {
    const int8_t *filter; // [channels][depth]
    int32_t depth;
    int32_t channels; // at most RL_CHANNEL_BLOCK
    const int32_t *multiplier;
    const int32_t *shift;
    int32_t output_offset;
    int32_t output_min;
    int32_t output_max;
    bool right_shifts_only; // every shift is below 0
    RL_EXTENSION union {
        bool simple;   // every channel can use `scale`: see rl_matmul_prepare
        bool is_prelu; // Helium: `scale_rows` is called in place of the tile's function for scales
    };
    RL_EXTENSION union {
        RL_EXTENSION struct {
            bool scale_in_eights; // Helium: see mve/scale_rows.h
            union {
                bool in_fours; // Helium: see mve/short_rows.h
                uint8_t part;  // scalar cores: see rl_packed_part in scalar/packed_rows.h
            } rows;
        };
        int16_t row_offset; // DSP: is added to the values of rows
    };
    int32_t *bias; // with the input offset folded in, unless rows take it
    RL_EXTENSION union {
        struct rl_rescale *scale;
        const int32_t *negative; // of a PReLU: the multipliers of negative sums
        int32_t late_offset;     // Helium, no PReLU: not 0 as long as there are no biases (mve/dot_rows_sums.h)
    };
    RL_EXTENSION union {
        void *work; // for the tile
        void (*scale_rows)(const void *rows);
        const int32_t *given; // Helium: biases without the offset, for those that come late
        ptrdiff_t gap;        // Helium, no PReLU and none late: bytes between one filter and the next
    };
};

enum { RL_MATMUL_BYTES = 48 }; // at least the size of struct rl_matmul on every core, a multiple of 8

// Tiles read the biases and scales of two channels together.
static inline int32_t rl_even(int32_t channels)
{
    return (channels + 1) & ~1;
}

// Sets `simple` once the fields above it and the biases are set: whether every channel can use the short requantization
// of rescale.h, because it shifts right and no sum can be above 2^29 in magnitude. 2^14 products of at most 2^14 are
// 2^28.
static inline void rl_matmul_prepare(struct rl_matmul *m)
{
    const int32_t limit = INT32_C(1) << 28;
    m->right_shifts_only = true;
    m->simple = m->depth <= (1 << 14);
    for (int32_t i = 0; i < m->channels; i++) {
        m->right_shifts_only = m->right_shifts_only && m->shift[i] < 0;
        m->simple = m->simple && m->bias[i] >= -limit && m->bias[i] <= limit &&
                    rl_rescale_init(m->output_offset, m->multiplier[i], m->shift[i], &m->scale[i]);
    }
}

// Scales and stores the sums of a channel at `count` positions. `output` is that of the first channel and position;
// positions are `step` elements apart.
typedef void rl_store_sums(const struct rl_matmul *m, int32_t channel, const int32_t *sums, int32_t count, void *output,
                           ptrdiff_t step);

static inline int8_t rl_matmul_output(const struct rl_matmul *m, int32_t channel, int32_t sum)
{
    const int32_t scaled = rl_requantize(sum, m->multiplier[channel], m->shift[channel]);
    return rl_output_s8(scaled, m->output_offset, m->output_min, m->output_max);
}

#endif
