// SPDX-License-Identifier: Apache-2.0
// PReLU of int8 with Helium, eight values at a time. VQDMULH of x * 2^7 leaves x * factor / 2^8, rounded down, in 16
// bits, and VRSHL rounds what it shifts out: both together round as one shift does.
#ifndef RL_KERNELS_MVE_PRELU_S8_TILE_H
#define RL_KERNELS_MVE_PRELU_S8_TILE_H

#include <arm_mve.h>

#include "rushlight/kernels/activation.h"

struct rl_prelu_loop {
    int16x8_t positive, negative, units; // 2^7 each
    int16_t offset, output_offset;       // the input offset in these units
    int32_t shift;                       // to the left
};

static inline struct rl_prelu_loop rl_prelu_loop_of(const struct rl_prelu *p, int16x8_t positive, int16x8_t negative)
{
    return (struct rl_prelu_loop){
        positive, negative, vdupq_n_s16(1 << 7), (int16_t)(p->input_offset * (1 << 7)), (int16_t)p->output_offset,
        -p->shift};
}

// The eight values of `values` that are active.
static inline int16x8_t rl_prelu_eight(struct rl_prelu_loop loop, int16x8_t values)
{
    const int16x8_t x = vmlasq_n_s16(values, loop.units, loop.offset);
    const int16x8_t factor = vpselq_s16(loop.negative, loop.positive, vcmpltq_n_s16(x, 0));
    const int16x8_t shifted = vrshlq_n_s16(vqdmulhq_s16(x, factor), loop.shift);
    return vreinterpretq_s16_s8(vqmovnbq_s16(vdupq_n_s8(0), vqaddq_n_s16(shifted, loop.output_offset)));
}

// `count` values, eight at a time, `step` bytes from eight to the next eight: the same in assembler, because compilers
// move predicates to core registers and back.
static inline void rl_prelu_eights(struct rl_prelu_loop loop, int32_t count, int32_t step, const int8_t *input,
                                   int8_t *output)
{
    int16x8_t x, y;
    __asm__ volatile("dlstp.16 lr, %[count]\n"
                     ".p2align 2\n"
                     "1:\n"
                     "vldrb.s16 %q[x], [%[input]]\n"
                     "add %[input], %[input], %[step]\n"
                     "vmlas.s16 %q[x], %q[units], %[offset]\n"
                     "vqdmulh.s16 %q[y], %q[x], %q[positive]\n"
                     "vpt.s16 lt, %q[x], zr\n"
                     "vqdmulht.s16 %q[y], %q[x], %q[negative]\n"
                     "vrshl.s16 %q[y], %[shift]\n"
                     "vqadd.s16 %q[y], %q[y], %[output_offset]\n"
                     "vqmovnb.s16 %q[y], %q[y]\n"
                     "vstrb.16 %q[y], [%[output]]\n"
                     "add %[output], %[output], %[step]\n"
                     "letp lr, 1b\n"
                     : [x] "=&w"(x), [y] "=&w"(y), [input] "+&l"(input), [output] "+&l"(output)
                     : [count] "r"(count), [step] "r"(step), [offset] "r"(loop.offset), [shift] "r"(loop.shift),
                       [output_offset] "r"(loop.output_offset), [units] "w"(loop.units), [positive] "w"(loop.positive),
                       [negative] "w"(loop.negative)
                     : "lr", "memory");
}

// `outer` values of each channel, the channels next to each other.
static inline void rl_prelu_columns(const struct rl_prelu *layer, const int8_t *input, int8_t *output)
{
    int32_t channel = 0;
    for (; channel + 8 <= layer->channels && layer->outer > 0; channel += 8) {
        const struct rl_prelu_loop loop =
            rl_prelu_loop_of(layer, vldrhq_s16(layer->positive + channel), vldrhq_s16(layer->negative + channel));
        rl_prelu_eights(loop, 8 * layer->outer, layer->channels, input + channel, output + channel);
    }
    if (channel < layer->channels) {
        const mve_pred16_t active = vctp16q((uint32_t)(layer->channels - channel));
        const struct rl_prelu_loop loop = rl_prelu_loop_of(layer, vldrhq_z_s16(layer->positive + channel, active),
                                                           vldrhq_z_s16(layer->negative + channel, active));
        const int8_t *from = input + channel;
        int8_t *to = output + channel;
        for (int32_t i = layer->outer; i > 0; i--, from += layer->channels, to += layer->channels) {
            vstrbq_p_s16(to, rl_prelu_eight(loop, vldrbq_z_s16(from, active)), active);
        }
    }
}

// `inner` values of one channel.
static inline void rl_prelu_row(const struct rl_prelu *layer, int32_t channel, const int8_t *input, int8_t *output)
{
    if (layer->inner > 0) {
        rl_prelu_eights(
            rl_prelu_loop_of(layer, vdupq_n_s16(layer->positive[channel]), vdupq_n_s16(layer->negative[channel])),
            layer->inner, 8, input, output);
    }
}

#endif
