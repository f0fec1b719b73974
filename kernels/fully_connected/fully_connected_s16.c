// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(output_s16_tile.h)
#include RL_TILE(row_s16_tile.h)

enum {
    BLOCK = 32,         // channels at a time of several rows
    ROW_BLOCK = 96,     // and of one row
    TINY_PRODUCTS = 32, // of all rows
    FEW_PRODUCTS = 400, // of one row, below which pairs of channels cost less than bringing it into order
    FEW_CHANNELS = 5,   // the same; 6 if the last group would not be whole because of what is behind it
    SOME_CHANNELS = 9,  // from which on Helium gains by fours
};

__extension__ _Static_assert((int)BLOCK <= (int)RL_OUTPUT_S16_CHANNELS, "a tile takes no more");

// Runs several rows at a time, as the positions of a convolution. False if a sum may not fit in 32 bits.
static __attribute__((noinline)) bool run_rows(const struct rl_fully_connected *layer, const int16_t *input,
                                               int16_t *output)
{
    int32_t multiplier[BLOCK], shift[BLOCK];
    for (int32_t i = 0; i < BLOCK; i++) {
        multiplier[i] = layer->scale.multiplier;
        shift[i] = layer->scale.shift;
    }
    const struct rl_scales scales = {multiplier, shift};
    const int32_t depth = layer->depth, channels = layer->channels;
    uint32_t words[rl_outputs_s16_words(depth)];
    for (int32_t first = 0; first < channels; first += BLOCK) {
        const int32_t count = rl_min_s32(channels - first, BLOCK);
        const int64_t *bias = layer->wide_bias ? layer->wide_bias + first : NULL;
        const struct rl_output_s16 o = rl_output_s16_of(scales, bias, layer->range);
        struct rl_outputs_s16 outputs;
        struct rl_patches_s16 p = {.filter = layer->weights + (ptrdiff_t)first * depth,
                                   .depth = depth,
                                   .channels = count,
                                   .output_step = channels};
        rl_outputs_s16_start(&outputs, &o, &p, layer->rows, words);
        if (!outputs.possible) {
            return false;
        }
        for (int32_t row = 0; row < layer->rows; row += p.count) {
            p.patches = input + (ptrdiff_t)row * depth;
            p.count = rl_min_s32(layer->rows - row, RL_OUTPUT_S16_POSITIONS);
            rl_outputs_s16(&outputs, &o, &p, output + (ptrdiff_t)row * channels + first);
        }
        p.count = 0;
        rl_outputs_s16_end(&outputs, &o, &p);
    }
    return true;
}

// Whether no sum needs more than 32 bits: of all products, which are 2^15 * 2^7 at most, and each bias.
static bool sums_are_short(const struct rl_fully_connected *layer)
{
    const int64_t *bias = layer->wide_bias;
    if (layer->depth > RL_DOT_S16_BLOCK) {
        return false;
    }
    const uint64_t limit = (uint64_t)(INT32_MAX - (layer->depth << 22));
    for (int32_t channels = bias ? layer->channels : 0; channels > 0; channels--, bias++) {
        if ((uint64_t)*bias + limit > 2 * limit) {
            return false;
        }
    }
    return true;
}

static inline struct rl_row_s16_scale short_scale_of(const struct rl_fully_connected *layer)
{
    const int32_t shift = layer->scale.shift;
    return (struct rl_row_s16_scale){rl_reduce_multiplier(layer->scale.multiplier), INT32_C(1) << (-2 - shift),
                                     RL_ROW_S16_ONE_FLOOR ? -1 - shift : -2 - shift, layer->range.min,
                                     layer->range.max};
}

static inline int16_t short_output(const struct rl_row_s16_scale *s, int32_t sum, const int64_t *bias)
{
    return rl_row_s16_output(s, sum + (bias ? (int32_t)*bias : 0));
}

// Runs a layer whose sums are short.
static __attribute__((noinline)) void run_short(const struct rl_fully_connected *layer, const int16_t *input,
                                                int16_t *output)
{
    const struct rl_row_s16_scale scale = short_scale_of(layer);
    const int32_t depth = layer->depth;
    for (int32_t row = 0; row < layer->rows; row++, input += depth) {
        const int8_t *weights = layer->weights;
        const int64_t *bias = layer->wide_bias;
        int32_t left = layer->channels;
        for (; left > 1; left -= 2, weights += 2 * depth) {
            int64_t sums[2] = {0, 0};
            rl_dot_s16_s8_pair(input, weights, weights + depth, depth, sums);
            *output++ = short_output(&scale, (int32_t)sums[0], bias);
            *output++ = short_output(&scale, (int32_t)sums[1], bias ? bias + 1 : NULL);
            bias = bias ? bias + 2 : NULL;
        }
        if (left > 0) {
            *output++ = short_output(&scale, rl_dot_s16_s8(input, weights, depth), bias);
        }
    }
}

// Runs a block of the channels of a row. False if that is not possible.
static __attribute__((noinline)) bool run_block(const struct rl_row_s16 *some, const struct rl_row_s16_scale *scale,
                                                const int64_t *bias, int16_t *output)
{
    const int32_t count = some->count;
    int32_t sums[ROW_BLOCK];
    if (bias) {
        for (int32_t i = 0; i < count; i++) {
            sums[i] = (int32_t)*bias++;
        }
    } else {
        memset(sums, 0, (size_t)count * sizeof *sums);
    }
    if (!rl_row_s16(some, sums)) {
        return false;
    }
    rl_row_s16_store(scale, sums, count, output);
    return true;
}

// Runs a row whose sums are short, many filters at a time. False if that is not possible.
static bool run_row(const struct rl_fully_connected *layer, const struct rl_row_s16_scale *scale, const int16_t *input,
                    int16_t *output)
{
    enum { FILTERS = RL_HAS_MVE ? 4 : 3 }; // in a group
    const int32_t depth = layer->depth, channels = layer->channels;
    // As few blocks as possible, all about equal: the last one should not have so few channels that there is no group.
    const int32_t blocks = channels <= ROW_BLOCK ? 1 : (channels + ROW_BLOCK - 1) / ROW_BLOCK;
    const int32_t block = blocks == 1 ? channels : (channels + FILTERS * blocks - 1) / (FILTERS * blocks) * FILTERS;
    for (int32_t first = 0; first < channels; first += block) {
        const int32_t left = channels - first;
        const struct rl_row_s16 some = {.x = input,
                                        .filter = layer->weights + (ptrdiff_t)first * depth,
                                        .depth = depth,
                                        .count = rl_min_s32(left, block),
                                        .is_last = left <= block};
        if (!run_block(&some, scale, layer->wide_bias ? layer->wide_bias + first : NULL, output + first)) {
            return false;
        }
    }
    return true;
}

// Runs a layer whose sums are short, row by row.
static __attribute__((noinline)) void run_short_rows(const struct rl_fully_connected *layer, const int16_t *input,
                                                     int16_t *output)
{
    const struct rl_row_s16_scale scale = short_scale_of(layer);
    for (int32_t row = 0; row < layer->rows; row++, input += layer->depth, output += layer->channels) {
        if (!run_row(layer, &scale, input, output)) {
            struct rl_fully_connected one = *layer;
            one.rows = 1;
            run_short(&one, input, output);
        }
    }
}

// Runs a layer of so few products that every choice would cost more than it saves.
static void run_tiny(const struct rl_fully_connected *layer, const int16_t *input, int16_t *output)
{
    const int32_t multiplier = rl_reduce_multiplier(layer->scale.multiplier), depth = layer->depth;
    for (int32_t row = 0; row < layer->rows; row++, input += depth) {
        const int8_t *weight = layer->weights;
        for (int32_t channel = 0; channel < layer->channels; channel++) {
            int32_t products = 0; // at most TINY_PRODUCTS of them
            for (int32_t i = 0; i < depth; i++) {
                products += input[i] * *weight++;
            }
            const int64_t sum = products + (layer->wide_bias ? layer->wide_bias[channel] : 0);
            const int32_t scaled = rl_requantize_s64(sum, multiplier, layer->scale.shift);
            *output++ = (int16_t)rl_clamp_s32(scaled, layer->range.min, layer->range.max);
        }
    }
}

void rl_fully_connected_s16_run(const struct rl_fully_connected *layer, const int16_t *input, int16_t *output)
{
    if (layer->rows * layer->channels * layer->depth <= TINY_PRODUCTS) {
        run_tiny(layer, input, output);
        return;
    }
    const bool has_rows = RL_HAS_DSP && layer->rows >= (RL_HAS_MVE ? 2 : 3) && layer->rows * layer->channels >= 12;
    if (has_rows && layer->depth > 0 && run_rows(layer, input, output)) {
        return;
    }
    const int32_t multiplier = rl_reduce_multiplier(layer->scale.multiplier), shift = layer->scale.shift;
    const bool may_be_short = !RL_SMALL && (!RL_HAS_MVE || layer->channels >= SOME_CHANNELS);
    if (may_be_short && shift <= -2 && multiplier >= 0 && sums_are_short(layer)) {
        const int32_t few = FEW_CHANNELS + (layer->depth % 8 != 0 ? 1 : 0);
        if (RL_HAS_MVE || (RL_HAS_DSP && layer->channels > few && layer->channels * layer->depth >= FEW_PRODUCTS)) {
            run_short_rows(layer, input, output);
        } else {
            run_short(layer, input, output);
        }
        return;
    }
    const int32_t low = layer->range.min, high = layer->range.max;
    const int32_t depth = layer->depth, channels = layer->channels;
    for (int32_t row = 0; row < layer->rows; row++) {
        const int8_t *weights = layer->weights;
        for (int32_t channel = 0; channel < channels; channel += 2) {
            const bool pair = channel + 1 < channels;
            int64_t sums[2] = {0, 0};
            if (layer->wide_bias) {
                sums[0] = layer->wide_bias[channel];
                sums[1] = layer->wide_bias[channel + (pair ? 1 : 0)];
            }
            rl_dot_s16_s8_pair(input, weights, pair ? weights + depth : weights, depth, sums);
            output[channel] = (int16_t)rl_clamp_s32(rl_requantize_s64(sums[0], multiplier, shift), low, high);
            if (pair) {
                output[channel + 1] = (int16_t)rl_clamp_s32(rl_requantize_s64(sums[1], multiplier, shift), low, high);
            }
            weights += 2 * depth;
        }
        input += depth;
        output += channels;
    }
}
