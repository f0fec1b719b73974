// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "convolution/convolution.h"
#include "convolution/output_s16.h"
#include "convolution/patch.h"
#include "isa.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(output_s16_tile.h)

__extension__ _Static_assert((int)RL_OUTPUT_S16_POSITIONS <= (int)RL_PATCHES_S16, "the scratch takes their patches");

enum { ONE_BY_TWO = RL_HAS_THUMB_LOOP && !RL_HAS_DSP }; // whether a last position is not computed twice

// Some channels of a convolution.
struct problem {
    const int8_t *filter;
    const int32_t *bias;        // for 32-bit sums, may be NULL
    struct rl_output_s16 scale; // for 64-bit sums
    bool wide;                  // sums have 64 bits
    bool is_short;              // but 32 are enough, and scales shift right
    int32_t depth;
    int32_t channels;
    int32_t output_step; // from one position to the next
};

// The output of `channel` from its sum.
static inline __attribute__((always_inline)) int16_t scaled(const struct problem *p, int32_t channel, int64_t sum)
{
    if (p->wide) {
        return rl_output_s16(&p->scale, channel, sum);
    }
    const uint32_t biased = (uint32_t)sum + (p->bias ? (uint32_t)p->bias[channel] : 0u);
    const int32_t value = rl_requantize((int32_t)biased, p->scale.multiplier[channel], p->scale.shift[channel]);
    return (int16_t)rl_clamp_s32(value, p->scale.min, p->scale.max);
}

// Not inlined, because with the loops around it there are more live values than registers.
static __attribute__((noinline)) void sum_2x2(const int16_t *first, const int16_t *second, const int8_t *filter,
                                              const int8_t *next, int32_t depth, int64_t sums[4])
{
    // Parts whose sums fit in 32 bits; usually there is only one.
    int32_t at = 0;
    do {
        int32_t part[4];
        rl_dot_s16_s8_2x2(first + at, second + at, filter + at, next + at, rl_min_s32(depth - at, RL_DOT_S16_BLOCK),
                          part);
        for (int32_t i = 0; i < 4; i++) {
            sums[i] = at == 0 ? part[i] : sums[i] + part[i];
        }
        at += RL_DOT_S16_BLOCK;
    } while (at < depth);
}

// Whether the patches of all outputs follow each other in the input.
static bool are_rows(const struct rl_convolution *c)
{
    return c->dense || (c->filter.h == 1 && c->filter.w == 1 && c->stride.h == 1 && c->stride.w == 1 &&
                        c->padding.h == 0 && c->padding.w == 0 && c->groups == 1 && c->input.h == c->output.h &&
                        c->input.w == c->output.w && !c->spread_h && !c->spread_w);
}

// Whether 32 bits hold the sums, and the first case of rl_requantize_s64 all scales. Products are 2^15 * 2^7 at most.
// Helium has loops of its own.
static bool is_short(const struct problem *p)
{
    const struct rl_output_s16 *o = &p->scale;
    if (RL_SMALL || RL_HAS_MVE || !p->wide || p->depth > RL_DOT_S16_BLOCK) {
        return false;
    }
    const int64_t limit = INT32_MAX - (p->depth << 22);
    for (int32_t i = 0; i < p->channels; i++) {
        const int64_t bias = o->bias[i * o->bias_step];
        if (o->shift[i] > -2 || o->multiplier[i] < 0 || bias < -limit || bias > limit) {
            return false;
        }
    }
    return true;
}

// Stores the outputs of a channel of two positions, `step` elements apart, from short sums.
static inline void store_short(const struct rl_output_s16 *o, int32_t channel, int32_t first, int32_t second,
                               int16_t *output, ptrdiff_t step)
{
    const int32_t multiplier = rl_reduce_multiplier(o->multiplier[channel]), right_shift = -2 - o->shift[channel];
    const int32_t bias = (int32_t)o->bias[channel * o->bias_step];
    second = ((rl_multiply_q16(second + bias, multiplier) >> right_shift) + 1) >> 1;
    first = ((rl_multiply_q16(first + bias, multiplier) >> right_shift) + 1) >> 1;
    output[step] = (int16_t)rl_clamp_s32(second, o->min, o->max);
    output[0] = (int16_t)rl_clamp_s32(first, o->min, o->max);
}

// The sums of one position and two filters, or twice the same. Not inlined, because the loop over channels would save
// registers for it.
static __attribute__((noinline)) void sum_1x2(const int16_t *patch, const int8_t *filter, const int8_t *next,
                                              int32_t depth, int32_t sums[4])
{
    int64_t pair[2] = {0, 0};
    if (next == filter) {
        sums[3] = sums[2] = sums[1] = sums[0] = rl_dot_s16_s8(patch, filter, depth);
        return;
    }
    rl_dot_s16_s8_pair(patch, filter, next, depth, pair);
    sums[2] = sums[0] = (int32_t)pair[0];
    sums[3] = sums[1] = (int32_t)pair[1];
}

// two_outputs with short sums.
static __attribute__((noinline)) void two_short_outputs(const struct problem *p, const int16_t *patch, int32_t patches,
                                                        int16_t *output)
{
    const struct rl_output_s16 o = p->scale; // stores cannot change it
    const int32_t channels = p->channels, depth = p->depth;
    const ptrdiff_t step = patches > 1 ? p->output_step : 0; // of one position, the second output is written first
    const int16_t *second = patches > 1 ? patch + depth : patch;
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < channels; channel += 2, filter += 2 * depth) {
        const bool pair = channel + 1 < channels;
        const int8_t *next = pair ? filter + depth : filter;
        int32_t sums[4];
        if (ONE_BY_TWO && patches == 1) {
            sum_1x2(patch, filter, next, depth, sums);
        } else {
            rl_dot_s16_s8_2x2(patch, second, filter, next, depth, sums);
        }
        store_short(&o, channel, sums[0], sums[2], output++, step);
        if (pair) {
            store_short(&o, channel + 1, sums[1], sums[3], output++, step);
        }
    }
}

// Computes two neighbouring output positions, two channels at a time.
static void two_outputs(const struct problem *p, const int16_t *patch, int16_t *output)
{
    const int32_t channels = p->channels, depth = p->depth, step = p->output_step;
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < channels; channel += 2, filter += 2 * depth) {
        const int32_t next = channel + 1 < channels ? channel + 1 : channel; // repeated, and written twice, at the end
        int64_t sums[4];
        sum_2x2(patch, patch + depth, filter, next > channel ? filter + depth : filter, depth, sums);
        for (int32_t i = 0; i < 2; i++) {
            output[i * step + channel] = scaled(p, channel, sums[2 * i]);
            output[i * step + next] = scaled(p, next, sums[2 * i + 1]);
        }
    }
}

// Computes one position, two channels at a time.
static void one_output(const struct problem *p, const int16_t *patch, int16_t *output)
{
    const int32_t channels = p->channels, depth = p->depth;
    const int8_t *filter = p->filter;
    for (int32_t channel = 0; channel < channels; channel += 2, filter += 2 * depth) {
        const int32_t next = channel + 1 < channels ? channel + 1 : channel;
        int64_t sums[2] = {0, 0};
        rl_dot_s16_s8_pair(patch, filter, next > channel ? filter + depth : filter, depth, sums);
        output[channel] = scaled(p, channel, sums[0]);
        output[next] = scaled(p, next, sums[1]);
    }
}

static inline struct rl_patches_s16 patches_of(const struct problem *p, const int16_t *patches, int32_t count)
{
    return (struct rl_patches_s16){patches, count, p->filter, p->depth, p->channels, p->output_step};
}

// Computes neighbouring positions, two at a time. Not inlined, because the other loop would save registers for it.
static __attribute__((noinline)) void pairs_of(const struct problem *p, const int16_t *patches, int32_t count,
                                               int16_t *output)
{
    for (; count > 0; count -= 2, patches += 2 * p->depth, output += 2 * p->output_step) {
        if (!RL_SMALL && !RL_HAS_MVE && p->is_short) {
            two_short_outputs(p, patches, rl_min_s32(count, 2), output);
        } else if (count > 1) {
            two_outputs(p, patches, output);
        } else {
            one_output(p, patches, output);
        }
    }
}

// Computes up to RL_OUTPUT_S16_POSITIONS neighbouring positions.
static void outputs_of(const struct problem *p, struct rl_outputs_s16 *several, const int16_t *patches, int32_t count,
                       int16_t *output)
{
    if (!several->possible) {
        pairs_of(p, patches, count, output);
    } else if (count > 0) {
        const struct rl_patches_s16 filled = patches_of(p, patches, count);
        rl_outputs_s16(several, &p->scale, &filled, output);
    }
}

// Computes all positions of the channels of `p`, whose patches lie in `rows`, one behind the other.
static void run_rows(const struct problem *p, struct rl_outputs_s16 *several, const int16_t *rows, int32_t left,
                     int16_t *output)
{
    while (left > 0) {
        int32_t count = rl_min_s32(left, left == 4 ? 2 : (int32_t)RL_OUTPUT_S16_POSITIONS);
        if (RL_HAS_DSP && !RL_HAS_MVE && several->possible) {
            count = left; // that limit is for the scratch
        }
        outputs_of(p, several, rows, count, output);
        rows += (ptrdiff_t)count * p->depth;
        output += (ptrdiff_t)count * p->output_step;
        left -= count;
    }
}

// The same from copies of patches. `copy` describes the convolution for them.
static void run_patches(const struct problem *p, struct rl_outputs_s16 *several, const struct rl_convolution *copy,
                        const int8_t *image, int16_t *patches, int16_t *output)
{
    int32_t filled = 0, left = copy->input.n * copy->output.h * copy->output.w;
    for (int32_t n = 0; n < copy->input.n; n++) {
        for (int32_t y = 0; y < copy->output.h; y++) {
            struct rl_patch_row row;
            rl_patch_row_start(&row, copy, image, y);
            for (int32_t x = 0; x < copy->output.w; x++) {
                rl_patch_copy(&row, x, (int8_t *)(patches + filled * p->depth));
                filled++;
                left--;
                // The last four are not three and one.
                if (filled == RL_OUTPUT_S16_POSITIONS || (filled == 2 && left == 2)) {
                    outputs_of(p, several, patches, filled, output);
                    output += filled * p->output_step;
                    filled = 0;
                }
            }
        }
        image += (ptrdiff_t)copy->input.h * copy->input.w * copy->input.c;
    }
    outputs_of(p, several, patches, filled, output);
}

// run_patches where patches are taken one by one: those that lie in the input need no copy.
static void run_windows(const struct problem *p, struct rl_outputs_s16 *several, const struct rl_convolution *copy,
                        const int8_t *image, int16_t *memory, int16_t *output)
{
    struct rl_patches_s16 patch = patches_of(p, memory, 1);
    const int32_t pixel = copy->input.c / 2;
    struct rl_lines_s16 lines = {NULL, copy->filter.w * pixel, copy->input.w * pixel};
    for (int32_t n = 0; n < copy->input.n; n++) {
        for (int32_t y = 0; y < copy->output.h; y++) {
            struct rl_patch_row row;
            rl_patch_row_start(&row, copy, image, y);
            const bool single = copy->filter.h == 1;
            const bool is_last = n == copy->input.n - 1 && y == copy->output.h - 1; // none may be behind
            for (int32_t x = 0; x < copy->output.w; x++, output += p->output_step) {
                const bool lies = single || (lines.values % 4 == 0 && !is_last);
                lines.first = lies ? (const int16_t *)(const void *)rl_patch_inside(&row, x) : NULL;
                if (lines.first && !single) {
                    rl_outputs_s16_lines(several, &p->scale, &patch, &lines, output);
                    continue;
                }
                if (!lines.first) {
                    rl_patch_copy(&row, x, (int8_t *)memory);
                }
                patch.patches = lines.first ? lines.first : memory;
                rl_outputs_s16(several, &p->scale, &patch, output);
            }
        }
        image += (ptrdiff_t)copy->input.h * copy->input.w * copy->input.c;
    }
}

// Whether there are enough positions for rl_outputs_s16_start, which reads all weights of long filters. Helium has no
// other loop for one.
static bool is_worth_bounds(const struct problem *p, const struct rl_convolution *c)
{
    return rl_convolution_outputs(c) > (p->depth <= RL_DOT_S16_BLOCK ? RL_HAS_MVE : 4);
}

// Computes all positions of the channels of `p`.
static void run_channels(struct problem *p, const struct rl_convolution *c, const int16_t *input, int16_t *patches,
                         int16_t *output)
{
    struct rl_outputs_s16 several;
    uint32_t words[rl_outputs_s16_words(p->depth)];
    const struct rl_patches_s16 none = patches_of(p, patches, 0);
    several.possible = false;
    if (p->wide && is_worth_bounds(p, c)) {
        rl_outputs_s16_start(&several, &p->scale, &none, rl_convolution_outputs(c), words);
    }
    p->is_short = !several.possible && is_short(p);
    if (are_rows(c)) {
        run_rows(p, &several, input, rl_convolution_outputs(c), output);
    } else {
        // Patches are copied like those of an int8 convolution that has two bytes for each value and zeros as padding.
        struct rl_convolution copy = *c;
        copy.input_offset = 0;
        copy.input.c = copy.filter_channels = 2 * c->input.c;
        if (!RL_SMALL && RL_HAS_DSP && !RL_HAS_MVE && several.possible) {
            run_windows(p, &several, &copy, (const int8_t *)input, patches, output);
        } else {
            run_patches(p, &several, &copy, (const int8_t *)input, patches, output);
        }
    }
    if (several.possible) {
        rl_outputs_s16_end(&several, &p->scale, &none);
    }
}

void rl_convolution_s16_run(const struct rl_convolution *c, const int16_t *input, int16_t *output,
                            struct rl_scratch scratch)
{
    struct problem p;
    p.wide = c->type == RL_CONVOLUTION_S16_WIDE;
    p.depth = rl_convolution_depth(c);
    p.output_step = c->output.c;
    for (int32_t first = 0; first < c->output.c; first += p.channels) {
        const struct rl_scales scales = {c->scales.multiplier + first, c->scales.shift + first};
        p.channels = rl_min_s32(c->output.c - first, RL_OUTPUT_S16_CHANNELS);
        p.filter = c->weights + (ptrdiff_t)first * p.depth;
        p.bias = c->bias && !p.wide ? c->bias + first : NULL;
        p.scale = rl_output_s16_of(scales, c->wide_bias && p.wide ? c->wide_bias + first : NULL, c->range);
        run_channels(&p, c, input, scratch.memory, output + first);
    }
}
