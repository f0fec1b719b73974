// SPDX-License-Identifier: Apache-2.0
// PReLU of int8 with SIMD on halfwords, four values at a time.
#ifndef RL_KERNELS_DSP_PRELU_S8_TILE_H
#define RL_KERNELS_DSP_PRELU_S8_TILE_H

#include "activation/prelu.h"
#include "dsp/instructions.h"
#include "dsp/simd.h"

// Four channels while they run. Of each pair of words one is for values 0 and 2, the other for 1 and 3.
struct rl_prelu_four {
    uint32_t positive[2], negative[2];
    uint32_t offsets; // the input offset twice
    int32_t start, bits;
};

static inline struct rl_prelu_four rl_prelu_four_of(const struct rl_prelu *p, const int16_t *positive,
                                                    const int16_t *negative, int32_t step)
{
    const struct rl_prelu_loop one = rl_prelu_loop_of(p, 0);
    struct rl_prelu_four four = {.start = one.start, .bits = one.bits};
    four.offsets = rl_pkhbt((uint32_t)one.offset, (uint32_t)one.offset);
    for (int32_t i = 0; i < 2; i++) {
        four.positive[i] = rl_pkhbt((uint32_t)positive[i * step], (uint32_t)positive[(i + 2) * step]);
        four.negative[i] = rl_pkhbt((uint32_t)negative[i * step], (uint32_t)negative[(i + 2) * step]);
    }
    return four;
}

// Two values, times their factors, limited to int8 each.
static inline uint32_t rl_prelu_two(const struct rl_prelu_four *four, int32_t i, int16x2_t values)
{
    uint32_t x;
    const uint32_t factors =
        rl_add_and_select((uint32_t)values, four->offsets, four->positive[i], four->negative[i], &x);
    const int32_t low = __smlabb((int16x2_t)x, (int16x2_t)factors, four->start) >> four->bits;
    const int32_t high = __smlatt((int16x2_t)x, (int16x2_t)factors, four->start) >> four->bits;
    return rl_ssat8_s16x2(rl_pkhbt((uint32_t)low, (uint32_t)high));
}

// Words of four values, `step` bytes from one to the next. In place is allowed.
static inline void rl_prelu_words(struct rl_prelu_four four, int32_t count, int32_t step, const int8_t *input,
                                  int8_t *output)
{
    for (; count > 0; count--, input += step, output += step) {
        const uint32_t word = rl_load_s8x4(input);
        const uint32_t even = rl_prelu_two(&four, 0, rl_even_s16(word)), odd = rl_prelu_two(&four, 1, rl_odd_s16(word));
        rl_store_word(output, rl_even_u16(even) | (rl_even_u16(odd) << 8));
    }
}

// `outer` values of each channel, the channels next to each other.
static inline void rl_prelu_columns(const struct rl_prelu *layer, const int8_t *input, int8_t *output)
{
    int32_t channel = 0;
    for (; channel + 4 <= layer->channels; channel += 4) {
        rl_prelu_words(rl_prelu_four_of(layer, layer->positive + channel, layer->negative + channel, 1), layer->outer,
                       layer->channels, input + channel, output + channel);
    }
    for (; channel < layer->channels; channel++) {
        rl_prelu_walk(rl_prelu_loop_of(layer, channel), layer->outer, layer->channels, input + channel,
                      output + channel);
    }
}

// `inner` values of one channel.
static inline void rl_prelu_row(const struct rl_prelu *layer, int32_t channel, const int8_t *input, int8_t *output)
{
    const int32_t words = layer->inner >> 2;
    rl_prelu_words(rl_prelu_four_of(layer, layer->positive + channel, layer->negative + channel, 0), words, 4, input,
                   output);
    rl_prelu_walk(rl_prelu_loop_of(layer, channel), layer->inner & 3, 1, input + 4 * words, output + 4 * words);
}

#endif
