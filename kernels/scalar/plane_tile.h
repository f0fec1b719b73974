// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution in portable C, with two outputs per multiplication. See scalar/plane_nest.h for the contract.
//
// A block holds four words a pixel, one a channel: the value of a line as u = value + 129 in the low half, and that of
// the line `apart` below as v = value + 128 in the high half. Outputs whose rows are as far apart share a word. As in
// packed_dot.h, let whole = sum word * w modulo 2^32 and upper = sum of the upper halves (signed) of word * w. Then
//     sum v * w = upper + number of negative weights,   sum u * w = whole - sum v * w * 2^16
// Start values hold that number, the bias and the contributions of the offset, 129 and 128, so that `upper` and whole -
// upper * 2^16 are the sums. Padding is the value that the input offset makes 0.
#ifndef RL_KERNELS_SCALAR_PLANE_TILE_H
#define RL_KERNELS_SCALAR_PLANE_TILE_H

#include "scalar/plane_block.h"
#include "scalar/plane_nine.h"
#include "scalar/rescale_tile.h"

enum {
    RL_PLANE_TAPS = 32,                                 // the most taps of a filter
    RL_PLANE_THREE = 3,                                 // taps that are computed together
    RL_PLANE_SHARES = RL_PLANE_ALL_LAYERS && !RL_SMALL, // whether there may be a channel multiplier
};

struct rl_plane_group {
    struct rl_plane_channel channels[RL_PLANE_CHANNELS];
    int32_t count;                   // channels, fewer than a group in layers of up to three
    int32_t done;                    // the first of them that were run before
    int32_t inputs;                  // different inputs that its channels read, which lie in the first words of a pixel
    uint8_t word[RL_PLANE_CHANNELS]; // of each channel
};

// Each half of the rows uses one line of a pair.
static inline int32_t rl_plane_pairs_of_two(const struct rl_plane_axis *across)
{
    return across->reach;
}

static inline int32_t rl_plane_tap_count(const struct rl_plane_axes *axes)
{
    return axes->across.taps * axes->along.taps + RL_PLANE_THREE - 1;
}

static inline int32_t rl_plane_group_words(const struct rl_plane_axes *axes)
{
    return RL_PLANE_CHANNELS * rl_plane_tap_count(axes) * 2; // a struct rl_plane_tap has two words
}

static inline void rl_plane_place_group(const struct rl_plane_axes *axes, void *memory, const uint32_t *end,
                                        struct rl_plane_group *g)
{
    (void)end;
    struct rl_plane_tap *taps = memory;
    for (int32_t i = 0; i < RL_PLANE_CHANNELS; i++, taps += rl_plane_tap_count(axes)) {
        g->channels[i].taps = taps;
    }
}

static inline bool rl_plane_takes(int32_t channels, int32_t multiplier)
{
    if (RL_PLANE_SHARES) {
        return channels >= RL_PLANE_CHANNELS || (channels > 0 && multiplier == 1);
    }
    return channels >= RL_PLANE_CHANNELS && (!RL_SMALL || multiplier == 1);
}

static inline bool rl_plane_fits(const struct rl_plane_axes *axes)
{
    return axes->across.taps * axes->along.taps <= RL_PLANE_TAPS;
}

// Writes where the words of all taps of a channel are. Taps without weight follow.
static __attribute__((noinline)) void rl_plane_place_taps(const struct rl_plane_axes *axes, struct rl_plane_channel *c)
{
    const int32_t next = axes->along.dilation * RL_PLANE_CHANNELS;
    struct rl_plane_tap *tap = c->taps;
    int32_t line = 0;
    for (int32_t rows = axes->across.taps; rows > 0; rows--, line += axes->across.dilation * RL_PLANE_LINE_WORDS) {
        int32_t offset = line;
        for (int32_t columns = axes->along.taps; columns > 0; columns--, tap++, offset += next) {
            tap->offset = offset;
        }
    }
    c->end = tap;
    tap[0] = (struct rl_plane_tap){0, 0};
    tap[1] = (struct rl_plane_tap){0, 0};
}

// Copies the weights of one channel, and sums the offsets' products with them into the start values.
static __attribute__((noinline)) void rl_plane_prepare_channel(const struct rl_depthwise *d,
                                                               const struct rl_plane_axes *axes, int32_t bias,
                                                               const int8_t *filter, struct rl_plane_channel *c)
{
    const ptrdiff_t step = axes->along.filter_step, next = axes->across.filter_step - axes->along.taps * step;
    struct rl_plane_tap *tap = c->taps;
    int32_t sum = 0;
    uint32_t negatives = 0;
    for (int32_t rows = axes->across.taps; rows > 0; rows--, filter += next) {
        for (int32_t columns = axes->along.taps; columns > 0; columns--, filter += step, tap++) {
            const int32_t weight = *filter;
            tap->weight = (uint32_t)weight;
            sum += weight;
            negatives += (uint32_t)weight >> 31;
        }
    }
    const uint32_t second = (uint32_t)(bias + sum * (d->input_offset - 128));
    c->start = (struct rl_plane_sums){second - (uint32_t)sum + (second << 16), second + negatives};
}

static inline int32_t rl_plane_count(const struct rl_plane_group *g)
{
    return RL_PLANE_SHARES ? g->count : RL_PLANE_CHANNELS;
}

static inline int32_t rl_plane_first_word(const struct rl_plane_group *g, int32_t channel)
{
    return RL_PLANE_SHARES ? g->word[channel] : channel;
}

// How many channels of a group may be left to windows of one channel. The windows of a Cortex-M3 take four channels,
// also such as shift left, in less time than planes and then one channel.
enum { RL_PLANE_RIGHT_ONLY = RL_HAS_THUMB2_LOOP, RL_PLANE_MOST_LEFT = RL_PLANE_RIGHT_ONLY ? 0 : RL_PLANE_CHANNELS / 2 };

static inline uint32_t rl_plane_prepare(const struct rl_depthwise *d, const struct rl_plane_axes *axes, int32_t first,
                                        struct rl_plane_group *g)
{
    const int32_t padding = -d->input_offset;
    const int32_t limit = INT32_C(1) << 28; // half of the range of rl_rescale; the other half is for the products
    uint32_t left = 0, count = 0;
    g->count = rl_min_s32(d->output.c, RL_PLANE_CHANNELS);
    for (int32_t i = g->done; i < rl_plane_count(g); i++) {
        struct rl_plane_channel *c = &g->channels[i];
        const int32_t bias = d->bias ? d->bias[first + i] : 0;
        if (bias < -limit || bias > limit ||
            !rl_rescale_init(d->output_offset, d->scales.multiplier[first + i], d->scales.shift[first + i],
                             &c->scale)) {
            c->scale = (struct rl_rescale){0, 0, 1};
            left |= UINT32_C(1) << i;
            count++;
        }
        if (first == 0) { // later groups have their taps in the same places
            rl_plane_place_taps(axes, c);
        }
        if (!RL_PLANE_RIGHT_ONLY || left == 0) {
            rl_plane_prepare_channel(d, axes, bias, d->weights + first + i, c);
        }
    }
    for (int32_t i = 0; RL_PLANE_SHARES && i < g->count; i++) {
        g->word[i] = (uint8_t)(d->multiplier == 1 ? i : (first + i) / d->multiplier - first / d->multiplier);
        g->inputs = g->word[i] + 1;
    }
    return (int8_t)padding != padding || count > RL_PLANE_MOST_LEFT ? RL_PLANE_NONE : left;
}

static inline uint32_t rl_plane_word(int32_t upper, int32_t lower)
{
    uint32_t both = 129u + (128u << 16);
    RL_HIDE("+r"(both)); // one constant in a register, instead of two additions
    return (uint32_t)upper + ((uint32_t)lower << 16) + both;
}

static inline uint32_t *rl_plane_expand_padding(uint32_t *to, int32_t pixels, uint32_t word)
{
    for (int32_t words = pixels * RL_PLANE_CHANNELS; words > 0; words--) {
        *to++ = word;
    }
    return to;
}

// A line of int8 pixels. With a step of 0 it repeats one pixel.
struct rl_plane_line {
    const int8_t *pixels;
    ptrdiff_t step;
};

static inline uint32_t *rl_plane_expand_two(uint32_t *to, struct rl_plane_line upper, struct rl_plane_line lower,
                                            int32_t pixels)
{
    for (; pixels > 0; pixels--, to += RL_PLANE_CHANNELS) {
        const uint32_t word_0 = rl_plane_word(upper.pixels[0], lower.pixels[0]);
        const uint32_t word_1 = rl_plane_word(upper.pixels[1], lower.pixels[1]);
        to[0] = word_0;
        to[1] = word_1;
        const uint32_t word_2 = rl_plane_word(upper.pixels[2], lower.pixels[2]);
        const uint32_t word_3 = rl_plane_word(upper.pixels[3], lower.pixels[3]);
        to[2] = word_2;
        to[3] = word_3;
        upper.pixels += upper.step;
        lower.pixels += lower.step;
    }
    return to;
}

// The same for fewer inputs than channels.
static inline uint32_t *rl_plane_expand_shared(uint32_t *to, struct rl_plane_line upper, struct rl_plane_line lower,
                                               int32_t pixels, int32_t inputs)
{
    for (; pixels > 0; pixels--, to += RL_PLANE_CHANNELS) {
        for (int32_t i = 0; i < inputs; i++) {
            to[i] = rl_plane_word(upper.pixels[i], lower.pixels[i]);
        }
        upper.pixels += upper.step;
        lower.pixels += lower.step;
    }
    return to;
}

// The distance between the two rows of outputs that share words.
static inline int32_t rl_plane_rows_apart(const struct rl_plane_block *b)
{
    return (b->rows + 1) / 2;
}

static inline void rl_plane_expand(struct rl_plane_block *b, const struct rl_depthwise *d,
                                   const struct rl_plane_axes *axes, const struct rl_plane_group *g,
                                   const int8_t *pixels)
{
    const struct rl_plane_axis *across = &axes->across;
    const int8_t padding = (int8_t)-d->input_offset;
    const int8_t pixel[RL_PLANE_CHANNELS] = {padding, padding, padding, padding};
    const uint32_t word = rl_plane_word(padding, padding);
    const int32_t apart = rl_plane_rows_apart(b) * across->stride;
    const int32_t lines = apart - across->stride + across->reach;
    uint32_t *to = b->words;
    for (int32_t line = 0; line < lines; line++, to += RL_PLANE_LINE_WORDS) {
        struct rl_plane_line two[2];
        for (int32_t i = 0; i < 2; i++) {
            const int32_t from = line + i * apart - b->lines.before;
            const bool inside = from >= 0 && from < b->lines.inside;
            two[i].pixels = inside ? pixels + from * across->input_step : pixel;
            two[i].step = inside ? axes->along.input_step : 0;
        }
        uint32_t *at = rl_plane_expand_padding(to, b->pixels.before, word);
        if (RL_PLANE_SHARES && g->inputs < RL_PLANE_CHANNELS) {
            at = rl_plane_expand_shared(at, two[0], two[1], b->pixels.inside, g->inputs);
        } else {
            at = rl_plane_expand_two(at, two[0], two[1], b->pixels.inside);
        }
        rl_plane_expand_padding(at, b->pixels.after, word);
    }
}

// The steps that all rows of a block share.
struct rl_plane_walk {
    int32_t next;    // words of the block from one output to the next
    int32_t columns; // columns of outputs
    ptrdiff_t right; // bytes from one output to the next
    ptrdiff_t down;  // bytes to the output in the other row
};

// Adds one tap to two outputs of both rows. Taps are not interleaved, because that needs more registers than there are.
static inline __attribute__((always_inline)) void rl_plane_add_tap(struct rl_plane_sums *first,
                                                                   struct rl_plane_sums *second, const uint32_t *line,
                                                                   const uint32_t *next, const struct rl_plane_tap *tap)
{
    uint32_t weight = tap->weight;
    uint32_t word = line[tap->offset];
    uint32_t product = next[tap->offset];
    RL_KEEP("+r"(word), "+r"(product), "+r"(weight));
    word *= weight;
    first->whole += word;
    first->upper += (uint32_t)((int32_t)word >> 16);
    product *= weight;
    second->whole += product;
    second->upper += (uint32_t)((int32_t)product >> 16);
    RL_KEEP("+r"(first->whole), "+r"(first->upper), "+r"(second->whole), "+r"(second->upper));
}

static inline int8_t rl_plane_output(struct rl_rescale scale, uint32_t sum)
{
    return (int8_t)rl_saturate_s8(rl_rescale(scale, (int32_t)(sum * 2u)));
}

// Scales and stores the outputs of both rows, `down` bytes apart.
static inline void rl_plane_store(struct rl_rescale scale, struct rl_plane_sums sums, ptrdiff_t down, int8_t *output)
{
    const int8_t upper = rl_plane_output(scale, sums.whole - (sums.upper << 16));
    output[down] = rl_plane_output(scale, sums.upper);
    output[0] = upper;
}

// Computes two rows of outputs of one channel. If the second is missing, it is stored first, under the first one.
static __attribute__((noinline)) void rl_plane_two_rows(const struct rl_plane_walk *walk,
                                                        const struct rl_plane_channel *c, const uint32_t *line,
                                                        int8_t *output)
{
    for (int32_t left = walk->columns; left > 0; left -= 2) {
        struct rl_plane_sums first = c->start;
        struct rl_plane_sums second = c->start;
        const uint32_t *next = line + walk->next;
        for (const struct rl_plane_tap *tap = c->taps; tap < c->end; tap += RL_PLANE_THREE) {
            rl_plane_add_tap(&first, &second, line, next, tap);
            rl_plane_add_tap(&first, &second, line, next, tap + 1);
            rl_plane_add_tap(&first, &second, line, next, tap + 2);
        }
        rl_plane_store(c->scale, first, walk->down, output);
        output += walk->right;
        if (left > 1) {
            rl_plane_store(c->scale, second, walk->down, output);
            output += walk->right;
        }
        line = next + walk->next;
    }
}

// Limits outputs that were saturated to int8.
static inline void rl_plane_limit(const struct rl_plane_block *b, const struct rl_plane_axes *axes, int32_t channels,
                                  struct rl_limits_s8 limits, int8_t *output)
{
    for (int32_t rows = b->rows; rows > 0; rows--, output += axes->across.output_step) {
        int8_t *pixel = output;
        for (int32_t columns = b->columns; columns > 0; columns--, pixel += axes->along.output_step) {
            for (int32_t i = 0; i < channels; i++) {
                pixel[i] = (int8_t)rl_clamp_s32(pixel[i], limits.low, limits.high);
            }
        }
    }
}

// Runs all channels with the loops of plane_nine.h.
static void rl_plane_run_rows(const struct rl_plane_block *b, const struct rl_depthwise *d,
                              const struct rl_plane_axes *axes, const struct rl_plane_group *g, bool nine,
                              int8_t *output)
{
    const struct rl_limits_s8 limits = {d->range.min, d->range.max};
    const int32_t apart = rl_plane_rows_apart(b);
    struct rl_plane_job job = {
        .next = axes->along.stride * RL_PLANE_CHANNELS * (ptrdiff_t)sizeof *b->words,
        .right = axes->along.output_step,
        .down = apart * axes->across.output_step,
        .limits = rl_limits_are_open(limits) ? NULL : &limits,
    };
    const uint32_t *line = b->words;
    for (int32_t y = 0; y < apart; y++) {
        if (y + apart == b->rows) {
            job.down = 0;
        }
        for (int32_t channel = g->done; channel < rl_plane_count(g); channel++) {
            job.line = line + rl_plane_first_word(g, channel);
            job.output = output + channel;
            job.columns = b->columns;
            job.channel = &g->channels[channel];
            if (nine) {
                rl_plane_nine(&job);
            } else {
                rl_plane_taps(&job);
            }
        }
        line += axes->across.stride * RL_PLANE_LINE_WORDS;
        output += axes->across.output_step;
    }
}

static inline void rl_plane_run(const struct rl_plane_block *b, const struct rl_depthwise *d,
                                const struct rl_plane_axes *axes, const struct rl_plane_group *g, int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const bool nine = along->taps == 3 && across->taps == 3 && along->dilation == 1 && across->dilation == 1;
    if (RL_HAS_THUMB_LOOP && !RL_SMALL && (nine || !RL_HAS_THUMB2_LOOP)) {
        rl_plane_run_rows(b, d, axes, g, nine, output);
        return;
    }
    const int32_t apart = rl_plane_rows_apart(b);
    struct rl_plane_walk walk = {along->stride * RL_PLANE_CHANNELS, b->columns, along->output_step,
                                 apart * across->output_step};
    const uint32_t *line = b->words;
    int8_t *row = output;
    for (int32_t y = 0; y < apart; y++) {
        if (y + apart == b->rows) {
            walk.down = 0;
        }
        for (int32_t channel = g->done; channel < rl_plane_count(g); channel++) {
            rl_plane_two_rows(&walk, &g->channels[channel], line + rl_plane_first_word(g, channel), row + channel);
        }
        line += across->stride * RL_PLANE_LINE_WORDS;
        row += across->output_step;
    }
    const struct rl_limits_s8 limits = {d->range.min, d->range.max};
    if (!rl_limits_are_open(limits)) {
        rl_plane_limit(b, axes, rl_plane_count(g), limits, output);
    }
}

// All is done for each group.
static inline void rl_plane_finish(const struct rl_depthwise *d, const int8_t *output)
{
    (void)d;
    (void)output;
}

#endif
