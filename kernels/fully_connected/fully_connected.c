// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/fully_connected.h"

#include "dsp/interleaved_bytes.h"
#include "fully_connected/packed_product.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"

#include RL_TILE(dot_tile.h)
#include RL_TILE(fully_connected_tile.h)

enum rl_status rl_fully_connected_prepare(struct rl_fully_connected *layer)
{
    if ((layer->rows | layer->depth | layer->channels) < 0) {
        return RL_ERROR_ARGUMENT;
    }
    rl_fully_connected_begin(layer);
    return RL_OK;
}

void rl_fully_connected_fold(const struct rl_fully_connected *layer, int32_t *folded)
{
    const int32_t offset = layer->input_offset, constant = offset * layer->depth * layer->weight_offset;
    if (offset != 0) {
        rl_sums_of_s8(layer->weights, layer->depth, layer->channels, folded);
    }
    for (int32_t channel = 0; channel < layer->channels; channel++) {
        const int32_t bias = layer->bias ? layer->bias[channel] : 0;
        folded[channel] = offset != 0 ? bias + offset * folded[channel] + constant : bias;
    }
}

// The contribution of an offset of the weights to all channels of a row.
static int32_t row_constant(const struct rl_fully_connected *f, const int8_t *row)
{
    if (f->weight_offset == 0) {
        return 0;
    }
    return f->weight_offset * (rl_sum_of_s8(row, f->depth) + f->depth * f->base_offset);
}

// Several rows that rl_fully_connected_suits_threes, which is not asked for each.
static __attribute__((noinline)) void run_many_threes(const struct rl_fully_connected *f, const int8_t *input,
                                                      int8_t *output)
{
    for (int32_t rows = f->rows; rows > 0; rows--, input += f->depth, output += f->channels) {
        rl_fully_connected_threes(f, input, 0, output, 1);
    }
}

// These functions are not inlined, because small layers would spill registers for them.
static __attribute__((noinline)) void run_many(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                               struct rl_scratch scratch)
{
    for (int32_t rows = f->rows; rows > 0; rows--, input += f->depth, output += f->channels) {
        rl_fully_connected_row(f, input, row_constant(f, input), output, 1, scratch);
    }
}

static __attribute__((noinline)) void run_many_singles(const struct rl_fully_connected *f, const int8_t *input,
                                                       int8_t *output)
{
    for (int32_t rows = f->rows; rows > 0; rows--, input += f->depth, output += f->channels) {
        rl_fully_connected_singles(f, input, RL_SINGLES_ADD_OFFSET ? 0 : row_constant(f, input), output);
    }
}

// The same with the sums of the rows in place of an offset in each product, which takes less time for many channels.
static __attribute__((noinline)) void run_many_sums(const struct rl_fully_connected *f, const int8_t *input,
                                                    int8_t *output)
{
    struct rl_fully_connected plain = *f;
    plain.weight_offset = 0;
    for (int32_t rows = f->rows; rows > 0; rows--, input += f->depth, output += f->channels) {
        rl_fully_connected_singles(&plain, input, row_constant(f, input), output);
    }
}

static __attribute__((noinline)) bool suits_singles_apart(const struct rl_fully_connected *f)
{
    return rl_fully_connected_suits_singles(f);
}

static inline bool suits_singles(const struct rl_fully_connected *f)
{
    return RL_HAS_DSP && !RL_HAS_MVE ? suits_singles_apart(f) : rl_fully_connected_suits_singles(f);
}

// One channel of a layer of several rows: its filter is a row, and its rows are filters with one scale.
static void run_channel(const struct rl_fully_connected *f, int32_t channel, const int8_t *input, int8_t *output,
                        struct rl_scratch scratch)
{
    struct rl_fully_connected turned;
    turned.rows = 1;
    turned.depth = f->depth;
    turned.channels = f->rows;
    turned.weights = input;
    turned.scales = (struct rl_scales){NULL, NULL};
    turned.scale = rl_fully_connected_scale_of(f, channel);
    turned.weight_offset = f->base_offset;
    turned.output_offset = f->output_offset;
    turned.range = f->range;
    turned.base = NULL;
    turned.base_offset = f->weight_offset;
    turned.has_rescale =
        rl_rescale_init(f->output_offset, turned.scale.multiplier, turned.scale.shift, &turned.rescale);
    const int8_t *filter = f->weights + (ptrdiff_t)channel * f->depth;
    const int32_t base = f->base ? f->base[channel] : 0;
    if (f->channels > 1 || !suits_singles(&turned)) {
        rl_fully_connected_run_apart(&turned, filter, base, output + channel, f->channels, scratch);
    } else {
        rl_fully_connected_singles(&turned, filter, RL_SINGLES_ADD_OFFSET ? base : base + row_constant(&turned, filter),
                                   output);
    }
}

static __attribute__((noinline)) void run_channels(const struct rl_fully_connected *f, const int8_t *input,
                                                   int8_t *output, struct rl_scratch scratch)
{
    for (int32_t channel = 0; channel < f->channels; channel++) {
        run_channel(f, channel, input, output, scratch);
    }
}

// Whether several rows and channels change places. A few filters at a time share the values of a row, so that there
// should be more of them than rows.
static bool suits_channels(const struct rl_fully_connected *f)
{
    const bool short_rows = RL_HAS_DSP && f->rows * f->depth <= 320 && (f->channels > 1 || f->rows == 2);
    const bool few = f->channels == 1 || (f->channels < RL_FILTERS && f->rows >= 4);
    const bool two_products = !RL_HAS_DSP && f->channels == 1 && f->rows == 2;
    if (two_products || (short_rows && suits_singles(f))) {
        return false; // as many calls for rows take less time than for channels
    }
    return !RL_HAS_MVE && !RL_SMALL && few && f->depth > 0;
}

// Whether packed rows take less time. A Cortex-M3 stores their sums from registers if all rows have the same base. A
// Cortex-M0 takes six rows at a time, three as well where there are no more, and outputs with scales of their own take
// longer than without.
static bool suits_packing(const struct rl_fully_connected *f)
{
    if (!RL_HAS_THUMB_LOOP || RL_HAS_DSP || RL_SMALL || f->depth == 0) {
        return false;
    }
    if (RL_HAS_THUMB2_LOOP) {
        return f->rows > 2 && f->has_rescale && f->weight_offset == 0;
    }
    return f->rows > 4 ? f->has_rescale || f->depth >= 8 : f->rows == 3 && f->has_rescale && f->channels > 12;
}

static inline __attribute__((always_inline)) void run_any(const struct rl_fully_connected *layer, const int8_t *input,
                                                          int8_t *output, struct rl_scratch scratch)
{
    if (layer->rows > 1 && suits_channels(layer)) {
        run_channels(layer, input, output, scratch);
    } else if (suits_packing(layer)) {
        rl_packed_product(layer, input, output);
    } else if (RL_SMALL || !suits_singles(layer)) {
        if (RL_HAS_MVE && layer->rows == 1 && layer->weight_offset == 0) {
            rl_fully_connected_row(layer, input, 0, output, 1, scratch);
        } else if (RL_HAS_DSP && !RL_HAS_MVE && layer->weight_offset == 0 && rl_fully_connected_suits_threes(layer)) {
            run_many_threes(layer, input, output);
        } else {
            run_many(layer, input, output, scratch);
        }
    } else if (RL_HAS_MVE && layer->rows == 1 && layer->weight_offset == 0) {
        rl_fully_connected_singles(layer, input, 0, output);
    } else if (RL_SINGLES_ADD_OFFSET && layer->weight_offset != 0 && layer->rows >= 4 && layer->channels >= 8) {
        run_many_sums(layer, input, output);
    } else {
        run_many_singles(layer, input, output);
    }
}

// One row on DSP cores, which needs no other choice.
static inline __attribute__((always_inline)) void run_one(const struct rl_fully_connected *f, const int8_t *input,
                                                          int8_t *output, struct rl_scratch scratch)
{
    if (f->weight_offset == 0 && rl_fully_connected_suits_threes(f)) {
        rl_fully_connected_threes(f, input, 0, output, 1);
    } else if (rl_fully_connected_suits_singles(f)) {
        rl_fully_connected_singles(f, input, 0, output);
    } else {
        run_many(f, input, output, scratch);
    }
}

static __attribute__((noinline)) void run_others(const struct rl_fully_connected *layer, const int8_t *input,
                                                 int8_t *output, struct rl_scratch scratch)
{
    if (!RL_SMALL && layer->rows == 1) {
        run_one(layer, input, output, scratch);
    } else if (RL_SMALL || layer->rows < RL_INTERLEAVED_ROWS ||
               !rl_fully_connected_run_rows(layer, input, output, scratch)) {
        run_any(layer, input, output, scratch);
    }
}

__attribute__((noinline)) void rl_fully_connected_run(const struct rl_fully_connected *layer, const int8_t *input,
                                                      int8_t *output, struct rl_scratch scratch)
{
    // On DSP cores the least layers come first, so that they save no registers for what the others need.
    if (!RL_HAS_DSP || RL_HAS_MVE) {
        run_any(layer, input, output, scratch);
    } else if (rl_fully_connected_is_small(layer)) {
        rl_fully_connected_small(layer, input, output);
    } else if (rl_fully_connected_is_short(layer)) {
        rl_fully_connected_short(layer, input, output);
    } else {
        run_others(layer, input, output, scratch);
    }
}

// One row on scalar cores, for layers of more channels than one or two.
static __attribute__((noinline)) void run_row(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    rl_fully_connected_row(f, input, 0, output, 1, (struct rl_scratch){NULL, 0});
}

// Layers of rl_fully_connected_run_here that are not the least, for DSP cores.
static __attribute__((noinline)) void run_here(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    const struct rl_scratch none = {NULL, 0};
    const bool few_rows = !RL_SMALL && f->rows > 1 && f->rows < RL_INTERLEAVED_ROWS;
    // What run_others finds after some questions.
    if (few_rows && (f->channels > 1 || f->rows == 2) && rl_fully_connected_has_small_rows(f)) {
        run_many_singles(f, input, output);
    } else if (few_rows && f->channels > 1 && rl_fully_connected_has_short_rows(f)) {
        run_many_threes(f, input, output);
    } else if (RL_SMALL || f->rows != 1) {
        run_others(f, input, output, none);
    } else {
        run_one(f, input, output, none);
    }
}

__attribute__((noinline)) void rl_fully_connected_run_here(const struct rl_fully_connected *layer, const int8_t *input,
                                                           int8_t *output)
{
    if (RL_HAS_DSP && !RL_HAS_MVE) {
        if (rl_fully_connected_is_small(layer)) {
            rl_fully_connected_small(layer, input, output);
        } else if (rl_fully_connected_is_short(layer)) {
            rl_fully_connected_short(layer, input, output);
        } else {
            run_here(layer, input, output);
        }
        return;
    }
    const bool one = !RL_SMALL && layer->rows == 1 && (RL_SINGLES_ADD_OFFSET || layer->weight_offset == 0);
    // One scale comes first, so that the way to such a layer has no branch that is taken.
    if (one && !layer->scales.multiplier && rl_fully_connected_suits_singles(layer)) {
        rl_fully_connected_singles(layer, input, 0, output);
    } else if (one && layer->scales.multiplier && rl_fully_connected_suits_singles(layer)) {
        rl_fully_connected_singles(layer, input, 0, output);
    } else if (one && !RL_HAS_MVE && !rl_fully_connected_suits_singles(layer)) {
        run_row(layer, input, output);
    } else {
        rl_fully_connected_run(layer, input, output, (struct rl_scratch){NULL, 0});
    }
}

void rl_fully_connected_run_apart(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                  int8_t *output, ptrdiff_t step, struct rl_scratch scratch)
{
    if (RL_HAS_MVE || !RL_SMALL) {
        rl_fully_connected_row(f, input, constant + row_constant(f, input), output, step, scratch);
    }
}
