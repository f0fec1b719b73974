// SPDX-License-Identifier: Apache-2.0
// From the sums of three positions of an int16 convolution to their outputs.
#ifndef RL_KERNELS_DSP_SCALE_THREE_S16_PLAIN_H
#define RL_KERNELS_DSP_SCALE_THREE_S16_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

enum { RL_THREE_S16 = 3 };

// struct rl_short_s16 of a channel, without the bias, which is in the sums. The shift is in the byte that ASR reads,
// the multiplier in the half that SMLAWT reads.
struct rl_scale_s16 {
    int16_t shift;
    int16_t multiplier;
    int32_t rounding;
    int32_t addend;
};

// The assembler relies on the offsets of the fields.
struct rl_scale_three_s16 {
    const int32_t *sums;               // [channels][3]
    const struct rl_scale_s16 *scales; // of each channel
    int16_t *outputs[RL_THREE_S16];    // the first may be equal to others, and is written last
    int32_t channels;                  // at least 1
    uint32_t low;                      // limits, each twice
    uint32_t high;
};

static inline void rl_scale_three_s16_plain(const struct rl_scale_three_s16 *job)
{
    const int32_t low = (int16_t)job->low, high = (int16_t)job->high;
    for (int32_t row = RL_THREE_S16 - 1; row >= 0; row--) {
        for (int32_t i = 0; i < job->channels; i++) {
            const struct rl_scale_s16 *s = &job->scales[i];
            const int32_t product = rl_multiply_q16(job->sums[RL_THREE_S16 * i + row], s->multiplier);
            const int32_t scaled = ((product + s->rounding) >> s->shift) + s->addend;
            job->outputs[row][i] = (int16_t)rl_clamp_s32(scaled, low, high);
        }
    }
}

#endif
