// SPDX-License-Identifier: Apache-2.0
// Three positions of an int16 convolution at once with Helium.
#ifndef RL_KERNELS_MVE_OUTPUT_S16_TILE_H
#define RL_KERNELS_MVE_OUTPUT_S16_TILE_H

#include <arm_mve.h>

#include "convolution/output_s16.h"
#include "mve/dot_rows_s16.h"
#include "mve/dot_tile.h"

// The most positions and channels that are computed at a time.
enum {
    RL_OUTPUT_S16_POSITIONS = 3,
    RL_OUTPUT_S16_CHANNELS = 32,
    RL_OUTPUT_S16_VALUES = 1 << 14, // of a patch, far more than sums of 32 bits allow with usual weights
};

// struct rl_short_s16 for each channel, for vectors: VMULH drops 32 bits, so multipliers are shifted left by 16. The
// rounding of a rounding shift is not in `rest`, and `shift` is below 0.
struct rl_outputs_s16 {
    bool possible; // there is a short form for every channel
    bool plain;    // and neither `rest` nor `addend` is anything but 0
    int32_t bias[RL_OUTPUT_S16_CHANNELS];
    int32_t multiplier[RL_OUTPUT_S16_CHANNELS];
    int32_t rest[RL_OUTPUT_S16_CHANNELS];
    int32_t shift[RL_OUTPUT_S16_CHANNELS];
    int32_t addend[RL_OUTPUT_S16_CHANNELS];
};

static inline int32_t rl_outputs_s16_words(int32_t depth)
{
    (void)depth;
    return 1;
}

// The sum of the magnitudes of weights.
static inline int32_t rl_sum_magnitudes(const int8_t *weights, int32_t count)
{
    uint32_t sum = 0;
    for (; count > 0; count -= 16, weights += 16) {
        sum = vabavq_s8(sum, vldrbq_z_s8(weights, vctp8q((uint32_t)count)), vdupq_n_s8(0));
    }
    return (int32_t)sum;
}

// Not inlined, because the loop needs many registers.
static __attribute__((noinline)) void rl_outputs_s16_start(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                                           const struct rl_patches_s16 *p, int32_t positions,
                                                           uint32_t *words)
{
    (void)positions, (void)words;
    const int32_t depth = p->depth, channels = p->channels;
    s->possible = depth <= RL_OUTPUT_S16_VALUES;
    s->plain = true;
    int32_t most = 0;
    if (s->possible) {
        most = depth <= RL_DOT_S16_BLOCK ? rl_most_sum_s16(depth) : rl_most_of_filters(p, rl_sum_magnitudes);
        s->possible = most >= 0;
    }
    for (int32_t i = 0; s->possible && i < channels; i++) {
        struct rl_short_s16 scale;
        if (!rl_short_s16_of(o, i, most, &scale)) {
            s->possible = false;
            return;
        }
        s->bias[i] = scale.bias;
        s->multiplier[i] = scale.multiplier * 65536;
        s->rest[i] = scale.rounding - (int32_t)((UINT32_C(1) << scale.shift) >> 1);
        s->shift[i] = -scale.shift;
        s->addend[i] = scale.addend;
        s->plain = s->plain && s->rest[i] == 0 && scale.addend == 0;
    }
}

// Scales and stores four channels of a position. `plain` is a constant.
static inline __attribute__((always_inline)) void rl_output_s16_scale(const struct rl_outputs_s16 *s,
                                                                      const struct rl_output_s16 *o, int32_t channel,
                                                                      const int32_t *sums, mve_pred16_t active,
                                                                      int16_t *output, bool plain)
{
    const int32x4_t biased = vaddq_s32(vldrwq_s32(sums), vldrwq_s32(s->bias + channel));
    int32x4_t scaled = vmulhq_s32(biased, vldrwq_s32(s->multiplier + channel));
    if (!plain) {
        scaled = vaddq_s32(scaled, vldrwq_s32(s->rest + channel));
    }
    scaled = vrshlq_s32(scaled, vldrwq_s32(s->shift + channel));
    if (!plain) {
        scaled = vaddq_s32(scaled, vldrwq_s32(s->addend + channel));
    }
    const int32x4_t limited = vmaxq_s32(vminq_s32(scaled, vdupq_n_s32(o->max)), vdupq_n_s32(o->min));
    vstrhq_p_s32(output, limited, active);
}

// Scales and stores the sums of positions, whose outputs are `second` and `third` elements from the first one's; 0 if
// there is none.
static inline __attribute__((always_inline)) void
rl_outputs_s16_store(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o, const int32_t *sums,
                     int32_t channels, int16_t *output, ptrdiff_t second, ptrdiff_t third, bool plain)
{
    for (int32_t channel = 0; channel < channels; channel += 4, sums += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(channels - channel));
        rl_output_s16_scale(s, o, channel, sums, active, output, plain);
        rl_output_s16_scale(s, o, channel, sums + RL_SUM_BLOCK, active, output + second, plain);
        if (third != 0) {
            rl_output_s16_scale(s, o, channel, sums + 2 * RL_SUM_BLOCK, active, output + third, plain);
        }
    }
}

// Computes the outputs of the patches. Call it only if `possible` is set.
static inline void rl_outputs_s16(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                  const struct rl_patches_s16 *p, int16_t *output)
{
    // A missing second patch repeats the first one and writes its outputs once more.
    const int32_t second = p->count > 1 ? 1 : 0;
    const bool has_third = p->count > 2;
    const int32_t third = has_third ? 2 : 0;
    int32_t sums[RL_OUTPUT_S16_POSITIONS * RL_SUM_BLOCK];
    struct rl_filters filters; // without scales
    filters.filter = p->filter;
    filters.depth = p->depth;
    filters.channels = p->channels;
    const struct rl_three_rows rows = {
        .row_0 = (const int8_t *)(p->patches),
        .filters = &filters,
        .row_1 = (const int8_t *)(p->patches + second * p->depth),
        .row_2 = has_third || p->depth <= 8 ? (const int8_t *)(p->patches + third * p->depth) : NULL,
        .sums = sums,
    };
    rl_call_assembler(rl_dot_rows_s16(p->depth, !has_third), &rows);
    const ptrdiff_t to_second = (ptrdiff_t)second * p->output_step, to_third = (ptrdiff_t)third * p->output_step;
    if (s->plain) {
        rl_outputs_s16_store(s, o, sums, p->channels, output, to_second, to_third, true);
    } else {
        rl_outputs_s16_store(s, o, sums, p->channels, output, to_second, to_third, false);
    }
}

// For other cores.
static inline void rl_outputs_s16_lines(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                        const struct rl_patches_s16 *p, const struct rl_lines_s16 *lines,
                                        int16_t *output)
{
    (void)s, (void)o, (void)p, (void)lines, (void)output;
}

// Ends the patches. None are waiting here.
static inline void rl_outputs_s16_end(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                      const struct rl_patches_s16 *p)
{
    (void)s, (void)o, (void)p;
}

#endif
