// SPDX-License-Identifier: Apache-2.0
// The channels of one output in groups of 16: what depthwise_sixteen.h computes in assembler.
#ifndef RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_PLAIN_H
#define RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

enum {
    RL_SIXTEEN = 16, // channels of a group
    RL_SIXTEEN_TAPS = 64,
    RL_SIXTEEN_AHEAD = 2, // distances that are read behind those of the taps, and not used
};

// Distances in bytes, from a common place.
struct rl_sixteen_tap {
    int32_t input;
    int32_t weights;
};

// The assembler relies on the order of these fields.
struct rl_sixteen {
    const int32_t *bias, *multiplier, *shift; // of the first channel; shifts are -1 or less
    const int8_t *input, *weights;            // the places from which the distances count, at the first channel
    int8_t *output;
    int32_t groups;                    // at least 1
    const struct rl_sixteen_tap *taps; // and RL_SIXTEEN_AHEAD more
    int32_t count;                     // of taps
    int32_t input_offset;
    int32_t output_offset;
    int16_t limits[16]; // eight times the lower one, then eight times the upper one
};

static inline void rl_depthwise_sixteen_plain(const struct rl_sixteen *s)
{
    for (int32_t i = 0; i < s->groups * RL_SIXTEEN; i++) {
        int32_t sum = s->bias[i];
        for (int32_t tap = 0; tap < s->count; tap++) {
            sum += (s->input[s->taps[tap].input + i] + s->input_offset) * s->weights[s->taps[tap].weights + i];
        }
        const int32_t value = rl_requantize(sum, s->multiplier[i], s->shift[i]) + s->output_offset;
        s->output[i] = (int8_t)rl_clamp_s32(value, s->limits[0], s->limits[8]);
    }
}

#endif
