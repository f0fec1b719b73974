// SPDX-License-Identifier: Apache-2.0
// From the sums of int16 layers with per-channel scales to their outputs.
#ifndef RL_KERNELS_CONVOLUTION_OUTPUT_S16_H
#define RL_KERNELS_CONVOLUTION_OUTPUT_S16_H

#include <stdbool.h>
#include <stddef.h>

#include "requantize.h"
#include "rushlight/kernels/layer.h"

struct rl_output_s16 {
    const int32_t *multiplier;
    const int32_t *shift;
    const int64_t *bias;
    int32_t bias_step; // 1, or 0 if one zero serves all channels
    int32_t min;
    int32_t max;
};

// Patches of a convolution, one behind the other, and filters.
struct rl_patches_s16 {
    const int16_t *patches;
    int32_t count;
    const int8_t *filter; // [channels][depth]
    int32_t depth;
    int32_t channels;
    int32_t output_step; // elements from one position to the next
};

// A patch that is lines of the input.
struct rl_lines_s16 {
    const int16_t *first;
    int32_t values; // of a line, a multiple of four
    int32_t step;   // elements from one line to the next
};

// The scale of a channel whose sums fit in 32 bits. Its output is
//     floor((floor((sum + bias) * multiplier / 2^16) + rounding) / 2^shift) + addend
// which is the first case of rl_requantize_s64: floor((floor(x / 2^n) + 1) / 2) = floor((x + 2^n) / 2^(n + 1)). A bias
// of more bits is divided: bias * multiplier / 2^16 has a whole part from the bits of the bias above the lower 16.
// Multiples of 2^shift in it become the addend, and the rest belongs to the rounding. Channels with next to no weights
// have such biases.
struct rl_short_s16 {
    int32_t bias;
    int32_t multiplier; // reduced
    int32_t rounding;
    int32_t shift; // 1 to 30
    int32_t addend;
};

// The largest magnitude of a sum of up to 511 products of int16 and int8.
static inline int32_t rl_most_sum_s16(int32_t count)
{
    return count << 22;
}

// The largest magnitude of a sum with one of the filters, of which `sum_magnitudes` adds the magnitudes of the weights.
// Returns -1 if 32 bits do not hold it beside what rl_short_s16_divide leaves of a bias.
static inline int32_t rl_most_of_filters(const struct rl_patches_s16 *p,
                                         int32_t (*sum_magnitudes)(const int8_t *weights, int32_t count))
{
    enum { MOST = UINT16_MAX - 2 };
    int32_t most = 0;
    for (int32_t i = 0; i < p->channels && most <= MOST; i++) {
        const int32_t sum = sum_magnitudes(p->filter + (ptrdiff_t)i * p->depth, p->depth);
        most = sum > most ? sum : most;
    }
    return most <= MOST ? most << 15 : -1;
}

// `bias` may be NULL.
static inline struct rl_output_s16 rl_output_s16_of(struct rl_scales scales, const int64_t *bias, struct rl_range range)
{
    static const int64_t zero = 0;
    return (struct rl_output_s16){scales.multiplier, scales.shift, bias ? bias : &zero,
                                  bias ? 1 : 0,      range.min,    range.max};
}

static inline int16_t rl_output_s16(const struct rl_output_s16 *o, int32_t channel, int64_t sum)
{
    const int64_t biased = sum + o->bias[channel * o->bias_step];
    const int32_t multiplier = rl_reduce_multiplier(o->multiplier[channel]);
    return (int16_t)rl_clamp_s32(rl_requantize_s64(biased, multiplier, o->shift[channel]), o->min, o->max);
}

// Divides a bias that does not fit into what remains for the sums. Returns false if outputs could overflow.
static __attribute__((noinline)) bool rl_short_s16_divide(int64_t bias, struct rl_short_s16 *s)
{
    const int64_t whole = (bias >> 16) * s->multiplier, addend = whole >> s->shift;
    s->bias = (int32_t)(bias & UINT16_MAX);
    s->rounding += (int32_t)(whole & ((INT64_C(1) << s->shift) - 1));
    s->addend = (int32_t)addend;
    // Then the rounding is less than 3 * 2^28, and what it is added to 2^30 at most.
    return s->shift <= 29 && addend >= -(1 << 29) && addend < 1 << 29;
}

// Whether the bias of a channel needs no division beside sums of at most `most`, which is below 2^31 - 2^16.
static inline bool rl_short_s16_takes_bias(const struct rl_output_s16 *o, int32_t channel, int32_t most)
{
    const int64_t bias = o->bias[channel * o->bias_step];
    return bias >= most - INT32_MAX && bias <= INT32_MAX - most;
}

// Fills in the short form of a channel whose bias needs no division. Returns false if there is none for its scale.
static inline bool rl_short_s16_of_scale(const struct rl_output_s16 *o, int32_t channel, struct rl_short_s16 *s)
{
    const int32_t shift = o->shift[channel], multiplier = o->multiplier[channel];
    if (shift > -2 || multiplier < 0) {
        return false;
    }
    s->bias = (int32_t)o->bias[channel * o->bias_step];
    s->multiplier = rl_reduce_multiplier(multiplier);
    s->rounding = INT32_C(1) << (-2 - shift);
    s->shift = -1 - shift;
    s->addend = 0;
    return true;
}

// Fills in the short form. Returns false if there is none for sums of at most `most`.
static inline bool rl_short_s16_of(const struct rl_output_s16 *o, int32_t channel, int32_t most, struct rl_short_s16 *s)
{
    return rl_short_s16_of_scale(o, channel, s) &&
           (rl_short_s16_takes_bias(o, channel, most) || rl_short_s16_divide(o->bias[channel * o->bias_step], s));
}

// Computes the outputs of `count` channels from `first` on, whose sums are in `sums`.
static inline void rl_outputs_s16_of(const struct rl_output_s16 *o, int32_t first, int32_t count, const int32_t *sums,
                                     int16_t *output)
{
    const struct rl_output_s16 local = *o; // stores cannot change it
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_output_s16(&local, first + i, sums[i]);
    }
}

#endif
