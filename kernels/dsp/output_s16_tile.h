// SPDX-License-Identifier: Apache-2.0
// Three positions of an int16 convolution at once: dot_3x2.h multiplies int16 like expanded int8. The scratch has room
// for two patches, so each is copied to the stack in the order of dot_3x2.h when it comes.
#ifndef RL_KERNELS_DSP_OUTPUT_S16_TILE_H
#define RL_KERNELS_DSP_OUTPUT_S16_TILE_H

#include <stdbool.h>

#include "convolution/matmul.h"
#include "convolution/output_s16.h"
#include "dsp/dot_3x2.h"
#include "dsp/dot_tile.h"
#include "dsp/instructions.h"
#include "dsp/scale_three_s16.h"

enum {
    RL_OUTPUT_S16_POSITIONS = 2, // patches that come at a time
    RL_OUTPUT_S16_CHANNELS = RL_CHANNEL_BLOCK,
    RL_OUTPUT_S16_VALUES = 1152, // of a patch: 3x3 of 128 channels
};

struct rl_outputs_s16 {
    bool possible; // the short form holds for every channel, sums with bias fit in 32 bits, and limits in 16
    int32_t filled;
    int16_t *outputs[RL_THREE_S16];
    uint32_t *values; // of three patches
    int32_t bias[RL_CHANNEL_BLOCK];
    struct rl_scale_s16 scales[RL_CHANNEL_BLOCK];
    int32_t sums[RL_CHANNEL_BLOCK * RL_THREE_S16];
};

static inline int32_t rl_outputs_s16_words(int32_t depth)
{
    return depth <= RL_OUTPUT_S16_VALUES ? (depth / 2 + 2) * RL_THREE_S16 : 1;
}

// The sum of the magnitudes of weights.
static inline int32_t rl_sum_magnitudes(const int8_t *weights, int32_t count)
{
    const uint32_t zeros = UINT32_C(0x80808080); // once the highest bit of each weight is inverted
    int32_t sum = 0;
    for (; count >= 8; count -= 8, weights += 8) {
        const uint32_t low = rl_load_s8x4(weights), high = rl_load_s8x4(weights + 4);
        sum = rl_usada8_of(low ^ zeros, zeros, sum);
        sum = rl_usada8_of(high ^ zeros, zeros, sum);
    }
    for (; count > 0; count--) {
        const int32_t weight = *weights++;
        sum += weight < 0 ? -weight : weight;
    }
    return sum;
}

static inline void rl_outputs_s16_start(struct rl_outputs_s16 *s, const struct rl_output_s16 *o, const int8_t *filter,
                                        int32_t depth, int32_t channels, uint32_t *words)
{
    s->possible = depth <= RL_OUTPUT_S16_VALUES && o->min >= INT16_MIN && o->max <= INT16_MAX;
    s->filled = 0;
    s->values = words;
    int32_t most = depth <= RL_DOT_S16_BLOCK ? rl_most_sum_s16(depth) : 0;
    for (int32_t i = 0; s->possible && i < channels; i++, filter += depth) {
        struct rl_short_s16 scale;
        if (depth > RL_DOT_S16_BLOCK) {
            most = rl_most_sum_of_weights(rl_sum_magnitudes(filter, depth));
        }
        if (most < 0 || !rl_short_s16_of(o, i, most, &scale)) {
            s->possible = false;
            return;
        }
        s->bias[i] = scale.bias;
        s->scales[i] =
            (struct rl_scale_s16){(int16_t)scale.shift, (int16_t)scale.multiplier, scale.rounding, scale.addend};
    }
}

// Writes one of three rows in the order that dot_3x2_plain.h describes.
static inline void rl_order_row_s16(const int16_t *row, int32_t count, uint32_t *values)
{
    for (; count >= 8; count -= 8, row += 8, values += 12) {
        const uint32_t low = rl_load_s16x2(row), high = rl_load_s16x2(row + 2);
        const uint32_t next_low = rl_load_s16x2(row + 4), next_high = rl_load_s16x2(row + 6);
        values[0] = rl_pkhbt(low, high);
        values[3] = rl_pkhtb(high, low);
        values[6] = rl_pkhbt(next_low, next_high);
        values[9] = rl_pkhtb(next_high, next_low);
    }
    if (count >= 4) {
        const uint32_t low = rl_load_s16x2(row), high = rl_load_s16x2(row + 2);
        values[0] = rl_pkhbt(low, high);
        values[3] = rl_pkhtb(high, low);
        row += 4;
        values += 6;
    }
    for (int32_t rest = count & 3; rest > 0; rest--, values += 3) {
        values[0] = (uint32_t)*row++;
    }
}

// Computes three rows and stores the outputs of those that are there.
static __attribute__((noinline)) void rl_outputs_s16_run(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                                         const struct rl_patches_s16 *p)
{
    struct rl_dot_3x2 job = {.values = s->values,
                             .filter = p->filter,
                             .filter_step = p->depth,
                             .bias = s->bias,
                             .rest = p->depth & 3,
                             .fours = p->depth >> 2,
                             .sums = s->sums};
    rl_dot_3x2_channels(&job, p->channels);
    // Rows that are missing are written where the first one is written last.
    int16_t *const first = s->outputs[0];
    const struct rl_scale_three_s16 scaling = {
        .sums = s->sums,
        .scales = s->scales,
        .outputs = {first, s->filled > 1 ? s->outputs[1] : first, s->filled > 2 ? s->outputs[2] : first},
        .channels = p->channels,
        .low = (uint16_t)o->min * UINT32_C(0x00010001),
        .high = (uint16_t)o->max * UINT32_C(0x00010001),
    };
    rl_scale_three_s16(&scaling);
    s->filled = 0;
}

// Takes patches, and computes each three of them. Call it only if `possible` is set.
static inline void rl_outputs_s16(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                  const struct rl_patches_s16 *p, int16_t *output)
{
    const int16_t *patch = p->patches;
    for (int32_t i = p->count; i > 0; i--, patch += p->depth, output += p->output_step) {
        rl_order_row_s16(patch, p->depth, s->values + s->filled);
        s->outputs[s->filled++] = output;
        if (s->filled == RL_THREE_S16) {
            rl_outputs_s16_run(s, o, p);
        }
    }
}

// Computes the patches that are left.
static inline void rl_outputs_s16_end(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                      const struct rl_patches_s16 *p)
{
    if (s->filled > 0) {
        rl_outputs_s16_run(s, o, p);
    }
}

#endif
