// SPDX-License-Identifier: Apache-2.0
// Convolutions of int4 weights. Most layers spread their weights to int8, those of some channels at a time, and run on
// those channels. For deep filters these are few, so that patches would be packed again and again: scalar cores and
// Helium multiply a patch by all filters as they are then.
#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "convolution/spread.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"

enum { SCALAR_WORDS = RL_HAS_THUMB_LOOP && !RL_HAS_DSP && !RL_SMALL }; // scalar/words_s4.h

// Whether rows may run. On Helium short filters do not suit.
static bool allows_rows(const struct rl_convolution *c)
{
    enum { SHORT = RL_HAS_MVE ? 200 : 8 };
    const int32_t depth = rl_convolution_depth(c);
    if ((depth & 1) != 0 || (depth < SHORT && (RL_HAS_MVE || rl_convolution_outputs(c) > 1))) {
        return false;
    }
    return c->output.c >= 4 && rl_convolution_outputs(c) >= 1;
}

// Whether they take less time than spreading, in hundredths of a cycle of a product, as measured: for filters that are
// spread and summed for all outputs and patches that are packed for `block` channels; and for rows that are arranged
// for each byte of a word at which filters start, and for what a filter takes apart from its products.
static bool suits_rows(const struct rl_convolution *c)
{
    enum { BLOCK_BYTES = 2304, MOST_CHANNELS = 64 };
    const int32_t depth = rl_convolution_depth(c), channels = c->output.c, outputs = rl_convolution_outputs(c);
    if (depth < 8) {
        return true; // spreading alone takes longer
    }
    const int32_t more_starts = (depth & 4) != 0 ? 2 : 1, starts = (depth & 2) != 0 ? 4 : more_starts;
    const int32_t block = rl_clamp_s32(BLOCK_BYTES / depth, 1, rl_min_s32(channels, RL_CHANNEL_BLOCK));
    const int32_t weight = RL_HAS_LONG_MULTIPLY ? 900 : 1300, pack = RL_HAS_LONG_MULTIPLY ? 520 : 1200;
    const int32_t product = RL_HAS_LONG_MULTIPLY ? 0 : 130, arrange = RL_HAS_LONG_MULTIPLY ? 500 : 700;
    const int32_t filter = RL_HAS_LONG_MULTIPLY ? 6000 : 7000;
    return weight / outputs + pack / block >
           product + arrange * starts / rl_min_s32(channels, MOST_CHANNELS) + filter / depth;
}

// The same for Helium, in hundredths of cycles, fitted to 242 layers that ran both ways. `block` channels are spread at
// a time.
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
    const bool copies = !c->dense && c->path != RL_CONVOLUTION_POINTWISE;
    const int32_t many = block < 4 ? 17 : 13, product = block == 1 ? 34 : many;
    const int64_t parts = (channels + block - 1) / block;
    const int64_t rows = outputs * (channels * (28 * (int64_t)depth + 3100) + 57 * depth + 58000);
    const int64_t spread = parts * (190000 + (copies ? outputs * (12000 + 17 * (int64_t)depth) : 0)) +
                           channels * (10 * depth + 900 + outputs * (product * (int64_t)depth + 700));
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

void rl_convolution_s4_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                           struct rl_scratch scratch)
{
    const bool by_rows = (SCALAR_WORDS && allows_rows(c) && suits_rows(c)) ||
                         (RL_HAS_MVE && allows_rows(c) && suits_rows_mve(c, rl_spread_channels(c, scratch)));
    if (!by_rows || !run_rows(c, input, output, scratch)) {
        rl_convolution_run_spread(c, input, output, scratch);
    }
}
