// SPDX-License-Identifier: Apache-2.0
// Convolutions of int4 weights. Most layers spread their weights to int8, those of some channels at a time, and run on
// those channels. Spreading does not repay with few outputs, and for deep filters the channels are few, so that patches
// would be packed again and again: a patch is then multiplied by all filters as they are.
#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "convolution/spread.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"

enum { SCALAR_WORDS = RL_HAS_THUMB_LOOP && !RL_HAS_DSP && !RL_SMALL }; // scalar/words_s4.h

// Whether rows may run, and whether it is worth to count what they take: it is not for many outputs of short filters.
static bool allows_rows(const struct rl_convolution *c)
{
    enum { EVEN = RL_HAS_MVE ? 200 : 8, ODD = RL_HAS_MVE ? 64 : 16, MEDIUM = 256, DEEP = 1 << 16, MANY = 32, FEW = 4 };
    const int32_t depth = rl_convolution_depth(c), outputs = rl_convolution_outputs(c);
    const bool odd = depth % 2 != 0;
    if (outputs < 1 || depth > DEEP || c->output.c < (odd || SCALAR_WORDS ? FEW : 1)) {
        return false;
    }
    if (depth < (odd ? ODD : EVEN) && (RL_HAS_MVE || outputs > 1)) {
        return false;
    }
    return outputs <= MANY || depth > MEDIUM || (SCALAR_WORDS && !odd);
}

// What the choice between rows and spreading depends on, in hundredths of a cycle of a product, as measured.
struct rows_cost {
    int32_t weight;  // spreads and sums a weight for all outputs
    int32_t pack;    // packs a value of a patch for a block of channels
    int32_t product; // of rows: what it takes longer than one of int8
    int32_t filter;  // of rows: what a filter takes apart from its products
    int32_t arrange; // of rows: arranges a value for filters that start at one byte of a word
};

static struct rows_cost rows_cost_of(int32_t depth)
{
    const bool odd = depth % 2 != 0;
    if (RL_HAS_MVE) {
        enum { SPLIT = 1024 }; // a deeper row is split again for each two filters
        return (struct rows_cost){1000, 150, depth > SPLIT ? 300 : 130, 54000, 0}; // for an odd depth
    }
    if (RL_HAS_DSP) {
        return odd ? (struct rows_cost){1300, 340, 350, 25000, 0} : (struct rows_cost){650, 600, 320, 100, 0};
    }
    if (RL_HAS_LONG_MULTIPLY) {
        return odd ? (struct rows_cost){1970, 260, 300, 15000, 0} : (struct rows_cost){900, 520, 0, 6000, 500};
    }
    return odd ? (struct rows_cost){960, 600, 320, 2800, 0} : (struct rows_cost){1300, 1200, 130, 7000, 700};
}

// Whether rows take less time than spreading `block` channels at a time.
static bool suits_rows(const struct rl_convolution *c, int32_t block)
{
    enum { MOST_CHANNELS = 64, SHORT = 8 };
    const int32_t depth = rl_convolution_depth(c), channels = c->output.c, outputs = rl_convolution_outputs(c);
    const bool odd = depth % 2 != 0;
    if (block < 1 || (SCALAR_WORDS && depth < SHORT && !odd)) {
        return true; // spreading alone takes longer
    }
    const struct rows_cost cost = rows_cost_of(depth);
    const int32_t more_starts = (depth & 4) != 0 ? 2 : 1, starts = (depth & 2) != 0 ? 4 : more_starts;
    return cost.weight / outputs + cost.pack / rl_min_s32(block, channels) >
           cost.product + cost.arrange * starts / rl_min_s32(channels, MOST_CHANNELS) + cost.filter / depth;
}

// The outputs whose patches are copied for each part of the channels. Others are read in place.
static int32_t copied_outputs(const struct rl_convolution *c, bool lines)
{
    if (c->dense || c->path == RL_CONVOLUTION_POINTWISE) {
        return 0;
    }
    const int32_t whole = (c->input.w - c->filter.w) / c->stride.w + 1; // windows that have no padding
    const int32_t inside = lines ? rl_max_s32(rl_min_s32(whole, c->output.w), 0) / 3 * 3 : 0;
    return c->input.n * c->output.h * (c->output.w - inside);
}

// The same for Helium and an even depth, in hundredths of cycles, fitted to 242 layers that ran both ways. `block`
// channels are spread at a time.
static bool suits_rows_mve(const struct rl_convolution *c, int32_t block)
{
    enum { MEDIUM = 450, FEW = 4 };
    const int32_t depth = rl_convolution_depth(c), outputs = rl_convolution_outputs(c), channels = c->output.c;
    if (depth < MEDIUM && outputs > FEW) {
        return false;
    }
    if (block < 1) {
        return true;
    }
    const bool lines = c->output.w >= 3 && rl_convolution_suits_lines_mve(c, rl_min_s32(block, channels));
    const int32_t many = block < 4 ? 17 : 12, product = block == 1 ? 30 : many, line = lines ? 600 : 0;
    const int64_t parts = (channels + block - 1) / block, copied = copied_outputs(c, lines);
    const int64_t rows = outputs * (channels * (28 * (int64_t)depth + 390) + 108 * depth + 1700);
    const int64_t spread =
        parts * (190000 + copied * (10700 + 26 * (int64_t)depth)) +
        channels * (5 * depth + 1400 + outputs * (product * (int64_t)depth + 640 + line * c->filter.h));
    return rows < spread;
}

// Runs the layer row by row. Padding is the value that the input offset cancels, whether it is in the biases or not.
// False if the scratch has no room for a patch.
static __attribute__((noinline)) bool run_rows(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                               struct rl_scratch scratch)
{
    struct rl_fully_connected f = {.rows = 1,
                                   .depth = rl_convolution_depth(c),
                                   .channels = c->output.c,
                                   .weights = c->weights,
                                   .bias = c->folded ? c->folded : c->bias,
                                   .scales = c->scales,
                                   .input_offset = c->folded ? 0 : c->input_offset,
                                   .output_offset = c->output_offset,
                                   .range = c->range};
    if (c->dense) {
        f.rows = rl_convolution_outputs(c);
        rl_fully_connected_s4_rows(&f, input, output);
        return true;
    }
    if (scratch.bytes < f.depth) {
        return false;
    }
    for (int32_t n = 0; n < c->input.n; n++, input += c->input.h * c->input.w * c->input.c) {
        for (int32_t y = 0; y < c->output.h; y++) {
            struct rl_patch_row row;
            rl_patch_row_start(&row, c, input, y);
            for (int32_t x = 0; x < c->output.w; x++, output += c->output.c) {
                rl_patch_copy(&row, x, scratch.memory);
                rl_fully_connected_s4_rows(&f, scratch.memory, output);
            }
        }
    }
    return true;
}

static bool runs_rows(const struct rl_convolution *c, struct rl_scratch scratch)
{
    if (!RL_HAS_ROWS_S4 || !allows_rows(c)) {
        return false;
    }
    const int32_t block = rl_spread_channels(c, scratch);
    return RL_HAS_MVE && rl_convolution_depth(c) % 2 == 0 ? suits_rows_mve(c, block) : suits_rows(c, block);
}

void rl_convolution_s4_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                           struct rl_scratch scratch)
{
    if (!runs_rows(c, scratch) || !run_rows(c, input, output, scratch)) {
        rl_convolution_run_spread(c, input, output, scratch);
    }
}
