// SPDX-License-Identifier: Apache-2.0
// The outputs of one channel of a depthwise block: plane_rows.h in C. dsp/plane_tile.h describes the forms of values
// and weights.
#ifndef RL_KERNELS_DSP_PLANE_ROWS_PLAIN_H
#define RL_KERNELS_DSP_PLANE_ROWS_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "dsp/plane_sizes.h"
#include "dsp/simd_plain.h"
#include "elementwise/rescale.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)

// The assembler relies on the offsets of the fields; it changes `pixels`, `output` and `rows`.
struct rl_plane_outputs {
    // The weights of a 3x3 filter: even 0, even 1, odd 0, odd 1, odd 2. For other filters the assembler has its own:
    // the bytes of code that the first round of its loop over taps skips, plus 1, and the rounds.
    uint32_t weights[5];
    ptrdiff_t output_right; // bytes from one output to the next
    ptrdiff_t output_down;  // bytes to the output in the row below
    struct rl_rescale scale;
    int32_t bias;
    uint32_t weight;     // the sixth weight of a 3x3 filter: even 2
    int32_t shape;       // enum rl_plane_shape
    ptrdiff_t last_pair; // bytes from the first output of a row to the last but one; negative if there is just one
    const uint32_t *pixels;
    ptrdiff_t pixels_step; // bytes from two rows of outputs to the next two
    int8_t *output;
    ptrdiff_t output_step;
    int32_t rows;
    // The assembler uses these for filters of any shape only:
    ptrdiff_t pixel_right; // bytes from the pixel of one output to that of the next
    ptrdiff_t pixel_down;  // bytes to that of the output below
    // For filters of any shape:
    ptrdiff_t tap_step;   // bytes of pixels from one tap to the next
    const uint32_t *taps; // weights of the upper row
    int32_t pairs;        // pairs of lines of the filter
    int32_t tap_count;    // taps in a line
    ptrdiff_t line_step;  // bytes of pixels from after the last tap to the first of the next pair
    // For C:
    int32_t columns;
};

enum { RL_PLANE_ROUND = 6, RL_PLANE_TAP_BYTES = 28 }; // taps of a round, and the bytes of code of each

// Sets the columns and the distance between their outputs.
static inline void rl_plane_set_columns(struct rl_plane_outputs *p, int32_t columns, ptrdiff_t output_right)
{
    p->columns = columns;
    p->output_right = output_right;
    p->last_pair = (columns - 2) * output_right;
}

// Sets the taps of a line. A 3x3 filter sets its weights later.
static inline void rl_plane_set_taps(struct rl_plane_outputs *p, int32_t taps)
{
    const int32_t rounds = (taps + RL_PLANE_ROUND - 1) / RL_PLANE_ROUND;
    p->tap_count = taps;
    p->weights[0] = (uint32_t)((rounds * RL_PLANE_ROUND - taps) * RL_PLANE_TAP_BYTES + 1);
    p->weights[1] = (uint32_t)rounds;
}

static inline const uint32_t *rl_plane_at(const uint32_t *words, ptrdiff_t bytes)
{
    return words + bytes / (ptrdiff_t)sizeof *words;
}

// The sum of products with a 3x3 filter. With stride 1 a lower row of outputs begins at an odd line, and the third line
// of the filter is the upper half of `odd`; otherwise it is the lower half.
static inline int32_t rl_plane_sum_3x3(const struct rl_plane_outputs *p, const uint32_t *pixel, bool is_lower)
{
    const uint32_t even[3] = {p->weights[0], p->weights[1], p->weight};
    int32_t sum = 0;
    for (int32_t column = 0; column < 3; column++, pixel += RL_PLANE_CHANNELS) {
        const uint32_t odd = p->weights[2 + column], first = pixel[0], second = pixel[RL_PLANE_LINE_WORDS];
        if (p->shape == RL_PLANE_3X3_STRIDE_2) {
            sum += rl_pair_product(first, even[column]) + rl_pair_low(second) * rl_pair_low(odd);
        } else if (is_lower) {
            sum += rl_pair_high(first) * rl_pair_low(even[column]) + rl_pair_product(second, odd);
        } else {
            sum += rl_pair_product(first, even[column]) + rl_pair_low(second) * rl_pair_high(odd);
        }
    }
    return sum;
}

// The sum of products with any other filter.
static inline int32_t rl_plane_sum_any(const struct rl_plane_outputs *p, const uint32_t *pixel, bool is_lower)
{
    const uint32_t *taps = p->taps + (is_lower ? RL_PLANE_WEIGHTS * RL_PLANE_CHANNELS : 0);
    int32_t sum = 0;
    for (int32_t pair = 0; pair < p->pairs; pair++) {
        for (int32_t tap = 0; tap < p->tap_count; tap++, taps += RL_PLANE_CHANNELS) {
            sum += rl_pair_product(*pixel, *taps);
            pixel = rl_plane_at(pixel, p->tap_step);
        }
        pixel = rl_plane_at(pixel, p->line_step);
    }
    return sum;
}

// Computes all outputs of p, saturated to int8. Weights and bias of a 3x3 filter are given doubled. The pixels of a
// missing second column or row may be read.
static inline void rl_plane_outputs_plain(struct rl_plane_outputs *p)
{
    const bool is_3x3 = p->shape == RL_PLANE_3X3_STRIDE_1 || p->shape == RL_PLANE_3X3_STRIDE_2;
    for (int32_t row = 0; row < p->rows; row++) {
        const bool is_lower = row % 2 != 0;
        const uint32_t *pixel = rl_plane_at(p->pixels, row / 2 * p->pixels_step + (is_lower ? p->pixel_down : 0));
        int8_t *output = p->output + row / 2 * p->output_step + (is_lower ? p->output_down : 0);
        for (int32_t column = 0; column < p->columns; column++, output += p->output_right) {
            const int32_t doubled = is_3x3 ? p->bias + rl_plane_sum_3x3(p, pixel, is_lower)
                                           : 2 * (p->bias + rl_plane_sum_any(p, pixel, is_lower));
            *output = (int8_t)rl_saturate_s8(rl_rescale(p->scale, doubled));
            pixel = rl_plane_at(pixel, p->pixel_right);
        }
    }
}

#endif
