// SPDX-License-Identifier: Apache-2.0
// Three positions of an int16 convolution at once: dot_3x2.h multiplies int16 like expanded int8. The scratch has room
// for two patches, so each is copied to the stack in the order of dot_3x2.h when it comes.
#ifndef RL_KERNELS_DSP_OUTPUT_S16_TILE_H
#define RL_KERNELS_DSP_OUTPUT_S16_TILE_H

#include "convolution/matmul.h"
#include "convolution/output_s16.h"
#include "dsp/dot_3x2.h"
#include "dsp/dot_tile.h"
#include "dsp/instructions.h"
#include "dsp/rescale_tile.h"

enum {
    RL_OUTPUT_S16_POSITIONS = 2, // patches that come at a time
    RL_OUTPUT_S16_CHANNELS = RL_CHANNEL_BLOCK,
    RL_OUTPUT_S16_ROWS = 3,
    RL_OUTPUT_S16_DEPTH = 256,
};

struct rl_outputs_s16 {
    bool possible; // the short form of rl_requantize_s64 holds for every channel, and sums fit in 32 bits
    int32_t filled;
    int16_t *outputs[RL_OUTPUT_S16_ROWS];
    int32_t bias[RL_CHANNEL_BLOCK];
    int32_t multiplier[RL_CHANNEL_BLOCK];
    int32_t right_shift[RL_CHANNEL_BLOCK]; // without the last bit, which a rounding shift takes
    int32_t sums[RL_CHANNEL_BLOCK * RL_OUTPUT_S16_ROWS];
    uint32_t values[(RL_OUTPUT_S16_DEPTH / 2 + 1) * RL_OUTPUT_S16_ROWS];
};

static inline void rl_outputs_s16_start(struct rl_outputs_s16 *s, const struct rl_output_s16 *o, int32_t depth,
                                        int32_t channels)
{
    s->possible = depth <= RL_OUTPUT_S16_DEPTH;
    s->filled = 0;
    const int64_t limit = INT32_MAX - ((int64_t)depth << 22); // products are 2^15 * 2^7 at most
    for (int32_t i = 0; i < channels && s->possible; i++) {
        const int64_t bias = o->bias[i * o->bias_step];
        s->possible = o->shift[i] <= -2 && o->multiplier[i] >= 0 && bias >= -limit && bias <= limit;
        s->bias[i] = (int32_t)bias;
        s->multiplier[i] = rl_reduce_multiplier(o->multiplier[i]);
        s->right_shift[i] = -2 - o->shift[i];
    }
}

// Writes one of three rows in the order that dot_3x2_plain.h describes.
static inline void rl_order_row_s16(const int16_t *row, int32_t count, uint32_t *values)
{
    for (int32_t fours = count >> 2; fours > 0; fours--, row += 4, values += 6) {
        const uint32_t low = rl_load_s16x2(row), high = rl_load_s16x2(row + 2);
        values[0] = rl_pkhbt(low, high);
        values[3] = rl_pkhtb(high, low);
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
    for (int32_t row = 0; row < s->filled; row++) {
        int16_t *output = s->outputs[row];
        const int32_t *sum = s->sums + row;
        for (int32_t channel = 0; channel < p->channels; channel++, sum += RL_OUTPUT_S16_ROWS) {
            const int32_t doubled = rl_smulwb(*sum, s->multiplier[channel]) >> s->right_shift[channel];
            *output++ = (int16_t)rl_clamp_s32((doubled + 1) >> 1, o->min, o->max);
        }
    }
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
        if (s->filled == RL_OUTPUT_S16_ROWS) {
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
