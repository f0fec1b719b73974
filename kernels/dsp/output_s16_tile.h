// SPDX-License-Identifier: Apache-2.0
// Three positions of an int16 convolution at once: dot_3x2.h multiplies int16 like expanded int8. The scratch has room
// for two patches, so each is copied to the stack in the order of dot_3x2.h when it comes. One or two positions that
// are left over, or are all there are, are rows of a fully connected layer.
#ifndef RL_KERNELS_DSP_OUTPUT_S16_TILE_H
#define RL_KERNELS_DSP_OUTPUT_S16_TILE_H

#include <stdbool.h>

#include "convolution/matmul.h"
#include "convolution/output_s16.h"
#include "dsp/dot_3x2.h"
#include "dsp/dot_tile.h"
#include "dsp/instructions.h"
#include "dsp/row_s16_tile.h"
#include "dsp/scale_three_s16.h"
#include "dsp/simd.h"

enum {
    RL_OUTPUT_S16_POSITIONS = 2, // patches that come at a time
    RL_OUTPUT_S16_CHANNELS = RL_CHANNEL_BLOCK,
    RL_OUTPUT_S16_VALUES = 640, // of a patch: 3x3 of 71 channels, which take 4 KB of the stack
    RL_OUTPUT_S16_ROWS = 2,     // positions that are rows
};

struct rl_outputs_s16 {
    bool possible; // the short form holds for every channel, sums with bias fit in 32 bits, and limits in 16
    int32_t left;  // positions that have not come
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

// Not inlined, because the loop needs many registers.
static __attribute__((noinline)) void rl_outputs_s16_start(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                                           const struct rl_patches_s16 *p, int32_t positions,
                                                           uint32_t *words)
{
    const int32_t depth = p->depth, channels = p->channels;
    s->possible = depth <= RL_OUTPUT_S16_VALUES && o->min >= INT16_MIN && o->max <= INT16_MAX;
    s->left = positions;
    s->filled = 0;
    s->values = words;
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
        s->scales[i] =
            (struct rl_scale_s16){(int16_t)scale.shift, (int16_t)scale.multiplier, scale.rounding, scale.addend};
    }
}

// Eight values of rl_order_row_s16, `from` and `to` so many bytes on.
#define RL_ORDER_EIGHT(from, to)                                                                                       \
    "ldr %[a], [%[row], #" from "]\n"                                                                                  \
    "ldr %[b], [%[row], #" from " + 4]\n"                                                                              \
    "ldr %[c], [%[row], #" from " + 8]\n"                                                                              \
    "ldr %[d], [%[row], #" from " + 12]\n"                                                                             \
    "pkhbt %[even], %[a], %[b], lsl #16\n"                                                                             \
    "pkhtb %[b], %[b], %[a], asr #16\n"                                                                                \
    "pkhbt %[a], %[c], %[d], lsl #16\n"                                                                                \
    "pkhtb %[d], %[d], %[c], asr #16\n"                                                                                \
    "str %[even], [%[values], #" to "]\n"                                                                              \
    "str %[b], [%[values], #" to " + 12]\n"                                                                            \
    "str %[a], [%[values], #" to " + 24]\n"                                                                            \
    "str %[d], [%[values], #" to " + 36]\n"

// Writes one of three rows in the order that dot_3x2_plain.h describes. In assembler because compilers do not keep the
// loads together. Rounds of 16 values; an odd number of eights enters the first one in its middle.
static inline __attribute__((always_inline)) void rl_order_row_s16(const int16_t *row, int32_t count, uint32_t *values)
{
    int32_t rounds = (count + 8) >> 4;
    if (rounds > 0) {
        uint32_t a, b, c, d, even;
        __asm__ volatile(
            "tst %[count], #8\n"
            "ittt ne\n"
            "subne %[row], %[row], #16\n"
            "subne %[values], %[values], #48\n"
            "bne 2f\n"
            ".p2align 2\n"
            "1:\n" RL_ORDER_EIGHT("0", "0") "2:\n" RL_ORDER_EIGHT("16", "48") "subs %[rounds], %[rounds], #1\n"
                                                                              "add %[row], %[row], #32\n"
                                                                              "add %[values], %[values], #96\n"
                                                                              "bne 1b"
            : [row] "+&r"(row), [values] "+&r"(values), [rounds] "+&r"(rounds), [a] "=&r"(a), [b] "=&r"(b),
              [c] "=&r"(c), [d] "=&r"(d), [even] "=&r"(even)
            : [count] "r"(count)
            : "cc", "memory");
    }
    if ((count & 4) != 0) {
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

// Computes three rows and stores the outputs of the `filled` that are there.
static __attribute__((noinline)) void rl_outputs_s16_run(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                                         const struct rl_patches_s16 *p, int32_t filled)
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
        .outputs = {first, filled > 1 ? s->outputs[1] : first, filled > 2 ? s->outputs[2] : first},
        .channels = p->channels,
        .low = rl_repeat_s16x2(o->min),
        .high = rl_repeat_s16x2(o->max),
    };
    rl_scale_three_s16(&scaling);
}

// Computes one position as a row. Returns false if that is not possible.
static __attribute__((noinline)) bool rl_outputs_s16_row(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                                         const struct rl_patches_s16 *p, const int16_t *patch,
                                                         int16_t *output)
{
    const struct rl_row_s16 row = {
        .x = patch, .filter = p->filter, .depth = p->depth, .count = p->channels, .is_last = true};
    if (!rl_row_s16_from(&row, s->bias, s->values, s->sums)) {
        return false;
    }
    const int32_t low = o->min, high = o->max, channels = p->channels;
    const struct rl_scale_s16 *scale = s->scales;
    const int32_t *sum = s->sums;
    for (int32_t i = 0; i < channels; i++, scale++) {
        const int32_t rounded = rl_smulwb(*sum++, scale->multiplier) + scale->rounding;
        *output++ = (int16_t)rl_clamp_s32((rounded >> scale->shift) + scale->addend, low, high);
    }
    return true;
}

// Takes patches, and computes each three of them. Call it only if `possible` is set.
static inline void rl_outputs_s16(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                  const struct rl_patches_s16 *p, int16_t *output)
{
    const int16_t *patch = p->patches;
    const int32_t depth = p->depth, output_step = p->output_step;
    int32_t filled = s->filled, left = s->left;
    s->left = left - p->count;
    for (int32_t i = p->count; i > 0; i--, left--, patch += depth, output += output_step) {
        if (!RL_SMALL && filled == 0 && left <= RL_OUTPUT_S16_ROWS && rl_outputs_s16_row(s, o, p, patch, output)) {
            continue;
        }
        rl_order_row_s16(patch, depth, s->values + filled);
        s->outputs[filled++] = output;
        if (filled == RL_THREE_S16) {
            rl_outputs_s16_run(s, o, p, filled);
            filled = 0;
        }
    }
    s->filled = filled;
}

// Takes a patch like rl_outputs_s16. There are more behind it.
static inline void rl_outputs_s16_lines(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                        const struct rl_patches_s16 *p, const struct rl_lines_s16 *lines,
                                        int16_t *output)
{
    const int32_t count = lines->values, filled = s->filled + 1;
    const int16_t *line = lines->first;
    uint32_t *values = s->values + s->filled;
    for (int32_t left = p->depth; left > 0; left -= count, line += lines->step, values += count / 4 * 6) {
        rl_order_row_s16(line, count, values);
    }
    s->outputs[s->filled] = output;
    s->left--;
    s->filled = filled;
    if (filled == RL_THREE_S16) {
        rl_outputs_s16_run(s, o, p, filled);
        s->filled = 0;
    }
}

// Computes the patches that are left.
static inline void rl_outputs_s16_end(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                      const struct rl_patches_s16 *p)
{
    if (s->filled > 0) {
        rl_outputs_s16_run(s, o, p, s->filled);
    }
}

#endif
