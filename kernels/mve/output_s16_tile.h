// SPDX-License-Identifier: Apache-2.0
// Three positions of an int16 convolution at once with Helium.
#ifndef RL_KERNELS_MVE_OUTPUT_S16_TILE_H
#define RL_KERNELS_MVE_OUTPUT_S16_TILE_H

#include <arm_mve.h>

#include "convolution/output_s16.h"
#include "mve/dot_rows_s16.h"
#include "mve/dot_tile.h"

// The most positions and channels that are computed at a time.
enum { RL_OUTPUT_S16_POSITIONS = 3, RL_OUTPUT_S16_CHANNELS = 32 };

// The scales for the short form of rl_requantize_s64, four channels at a time. VMULH drops 32 bits; multipliers are
// shifted left by 16, so that 16 bits of the product are dropped. `shift` leaves one bit for the rounding shift.
struct rl_outputs_s16 {
    bool possible; // the short form holds for every channel, and sums with bias fit in 32 bits
    int32_t bias[RL_OUTPUT_S16_CHANNELS];
    int32_t multiplier[RL_OUTPUT_S16_CHANNELS];
    int32_t shift[RL_OUTPUT_S16_CHANNELS];
};

static inline int32_t rl_outputs_s16_words(int32_t depth)
{
    (void)depth;
    return 1;
}

static inline void rl_outputs_s16_start(struct rl_outputs_s16 *s, const struct rl_output_s16 *o, int32_t depth,
                                        int32_t channels, uint32_t *words)
{
    (void)words;
    s->possible = depth <= RL_DOT_S16_BLOCK;
    const int64_t limit = INT32_MAX - ((int64_t)depth << 22); // products are 2^15 * 2^7 at most
    for (int32_t i = 0; i < channels && s->possible; i++) {
        const int64_t bias = o->bias[i * o->bias_step];
        s->possible = o->shift[i] <= -2 && o->multiplier[i] >= 0 && bias >= -limit && bias <= limit;
        s->bias[i] = (int32_t)bias;
        s->multiplier[i] = rl_reduce_multiplier(o->multiplier[i]) << 16;
        s->shift[i] = o->shift[i] + 2;
    }
}

// Scales and stores four channels of a position.
static inline void rl_output_s16_scale(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o, int32_t channel,
                                       int32x4_t sum, mve_pred16_t active, int16_t *output)
{
    const int32x4_t biased = vaddq_s32(sum, vldrwq_s32(s->bias + channel));
    const int32x4_t doubled =
        vshlq_s32(vmulhq_s32(biased, vldrwq_s32(s->multiplier + channel)), vldrwq_s32(s->shift + channel));
    const int32x4_t scaled = vrshrq_n_s32(doubled, 1);
    const int32x4_t limited = vmaxq_s32(vminq_s32(scaled, vdupq_n_s32(o->max)), vdupq_n_s32(o->min));
    vstrhq_p_s32(output, limited, active);
}

// Computes the outputs of the patches. Call it only if `possible` is set.
static inline void rl_outputs_s16(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                  const struct rl_patches_s16 *p, int16_t *output)
{
    // Missing patches repeat the first one and write its outputs once more.
    const int32_t second = p->count > 1 ? 1 : 0;
    const int32_t third = p->count > 2 ? 2 : 0;
    int32_t sums[RL_OUTPUT_S16_POSITIONS * RL_SUM_BLOCK];
    struct rl_filters filters; // without scales
    filters.filter = p->filter;
    filters.depth = p->depth;
    filters.channels = p->channels;
    const struct rl_three_rows rows = {
        .row_0 = (const int8_t *)(p->patches),
        .filters = &filters,
        .row_1 = (const int8_t *)(p->patches + second * p->depth),
        .row_2 = (const int8_t *)(p->patches + third * p->depth),
        .sums = sums,
    };
    rl_call_assembler(rl_dot_rows_s16(p->depth), &rows);
    for (int32_t channel = 0; channel < p->channels; channel += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(p->channels - channel));
        const int32_t *sum = sums + channel;
        int16_t *first = output + channel;
        rl_output_s16_scale(s, o, channel, vldrwq_s32(sum), active, first);
        rl_output_s16_scale(s, o, channel, vldrwq_s32(sum + RL_SUM_BLOCK), active, first + second * p->output_step);
        rl_output_s16_scale(s, o, channel, vldrwq_s32(sum + 2 * RL_SUM_BLOCK), active, first + third * p->output_step);
    }
}

// Ends the patches. None are waiting here.
static inline void rl_outputs_s16_end(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                      const struct rl_patches_s16 *p)
{
    (void)s, (void)o, (void)p;
}

#endif
