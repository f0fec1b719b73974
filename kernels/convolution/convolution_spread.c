// SPDX-License-Identifier: Apache-2.0
// Weights that are not int8 in the usual order, or of which some meet padding only. Those of a few channels at a time
// are brought to that order, and the int8 convolution runs on those channels: spreading costs little, because each
// weight is used for every output position.
#include "convolution/spread.h"

#include "convolution/convolution.h"
#include "convolution/prepacked.h"
#include "convolution/unpack_s4.h"
#include "convolution/winograd.h"
#include "isa.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(memory_tile.h)

enum {
    // For spread filters, and for patches that have no scratch. Hosts have larger stacks.
    SPREAD_BYTES = RL_HAS_VECTORS            ? 65536
                   : RL_HAS_MVE || !RL_SMALL ? RL_CONVOLUTION_CUT_BYTES
                                             : 1024,
    SLOW_BLOCK = 256, // weights spread at a time if a filter does not fit
    // What it takes to cut filters, in products: for each row of a filter, for each filter, and for all.
    CUT_ROW = RL_HAS_MVE ? 80 : 16,
    CUT_FILTER = RL_HAS_MVE ? 160 : 32,
    CUT_LAYER = RL_HAS_MVE ? 4000 : 800,
    CUT_PATCH = 480, // Helium: to copy a patch once more, without its values
};

// The taps of a filter that meet the input at some output, on one axis.
struct taps {
    int32_t first;
    int32_t count;
};

// A layer whose filters are cut to the taps that meet the input.
struct cut {
    const struct rl_convolution *whole;
    struct taps rows;
    struct taps columns;
};

// Copies the taps of `channels` filters from channel `first` on.
static void cut_weights(const struct cut *cut, int32_t first, int32_t channels, int8_t *to)
{
    const struct rl_convolution *c = cut->whole;
    const int32_t pixel = c->input.c, line = c->filter.w * pixel, run = cut->columns.count * pixel;
    const int8_t *from =
        c->weights + (ptrdiff_t)first * c->filter.h * line + cut->rows.first * line + cut->columns.first * pixel;
    for (; channels > 0; channels--, from += c->filter.h * line, to += cut->rows.count * run) {
        rl_copy_runs_s8(to, run, from, line, run, cut->rows.count);
    }
}

// Spreads `count` weights from number `first` on.
static void spread_weights(const struct rl_convolution *c, int32_t first, int32_t count, int8_t *weights)
{
    if (c->type == RL_CONVOLUTION_S4) {
        rl_unpack_s4(c->weights, first, count, weights);
    } else if (c->type == RL_CONVOLUTION_WINOGRAD) {
        rl_spread_winograd((const int16_t *)(const void *)c->weights, c->input.c, first, count, weights);
    } else {
        rl_spread_prepacked(c->weights, rl_convolution_depth(c), first, count, weights);
    }
}

// The number of int8 filters that fit in `bytes`. It is 1 or even, because tiles take pairs.
static int32_t filters_in(int32_t bytes, int32_t depth)
{
    const int32_t filters = rl_min_s32(bytes / rl_max_s32(depth, 1), RL_CHANNEL_BLOCK);
    return filters > 1 ? filters & ~1 : filters;
}

// The products of one pixel, NULL for padding, with the weights of a tap from number `first` on. A folded bias counts
// the input offset for all taps.
static int32_t tap_sum(const struct rl_convolution *c, const int8_t *pixel, int32_t first)
{
    int32_t sum = 0;
    for (int32_t at = 0; at < c->input.c && (pixel || c->folded); at += SLOW_BLOCK) {
        int8_t weights[SLOW_BLOCK];
        const int32_t count = rl_min_s32(c->input.c - at, SLOW_BLOCK);
        spread_weights(c, first + at, count, weights);
        if (pixel) {
            sum += rl_dot_s8_s8(pixel + at, c->folded ? 0 : c->input_offset, weights, count);
        } else {
            sum -= c->input_offset * rl_sum_of_s8(weights, count);
        }
    }
    return sum;
}

// Computes the sum of one output without a patch, tap by tap. Weights are spread in blocks.
static int32_t slow_sum(const struct rl_convolution *c, const int8_t *image, int32_t y, int32_t x, int32_t channel)
{
    const int32_t pixel = c->input.c;
    int32_t weight = channel * rl_convolution_depth(c);
    const int32_t *biases = c->folded ? c->folded : c->bias;
    int32_t sum = biases ? biases[channel] : 0;
    for (int32_t ky = 0; ky < c->filter.h; ky++) {
        const int32_t row = y * c->stride.h - c->padding.h + ky * c->dilation.h;
        for (int32_t kx = 0; kx < c->filter.w; kx++, weight += pixel) {
            const int32_t column = x * c->stride.w - c->padding.w + kx * c->dilation.w;
            const bool inside = row >= 0 && row < c->input.h && column >= 0 && column < c->input.w;
            const int8_t *input = inside ? image + ((ptrdiff_t)row * c->input.w + column) * pixel : NULL;
            sum += tap_sum(c, input, weight);
        }
    }
    return sum;
}

static void run_slowly(const struct rl_convolution *c, const int8_t *image, int8_t *output)
{
    for (int32_t batch = 0; batch < c->input.n; batch++) {
        for (int32_t y = 0; y < c->output.h; y++) {
            for (int32_t x = 0; x < c->output.w; x++) {
                for (int32_t channel = 0; channel < c->output.c; channel++) {
                    const int32_t sum = slow_sum(c, image, y, x, channel);
                    const int32_t scaled = rl_requantize(sum, c->scales.multiplier[channel], c->scales.shift[channel]);
                    *output++ = rl_output_s8(scaled, c->output_offset, c->range.min, c->range.max);
                }
            }
        }
        image += (ptrdiff_t)c->input.h * c->input.w * c->input.c;
    }
}

// The parts in which channels run: their filters fit into the rest of SPREAD_BYTES that patches leave.
struct parts {
    int32_t patch_bytes; // of patches that have no scratch
    int32_t block;       // channels, below 1 if not even one filter fits
};

static struct parts parts_of(const struct rl_convolution *c, struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), patches = RL_PATCHES * depth;
    const bool copies = !c->dense && c->path != RL_CONVOLUTION_POINTWISE;
    const int32_t patch_bytes = copies && scratch.bytes < patches ? patches : 0;
    return (struct parts){patch_bytes, filters_in(SPREAD_BYTES - patch_bytes, depth)};
}

int32_t rl_spread_channels(const struct rl_convolution *c, struct rl_scratch scratch)
{
    return parts_of(c, scratch).block;
}

// Runs the channels in parts. `cut` is where the weights of `c` come from, or NULL.
static __attribute__((noinline)) void run_parts(const struct rl_convolution *c, const struct cut *cut,
                                                const struct parts *parts, const int8_t *input, int8_t *output,
                                                struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), block = parts->block;
    const bool copies = !c->dense && c->path != RL_CONVOLUTION_POINTWISE;
    const int32_t bytes = rl_convolution_memory(depth, block), more = copies ? rl_convolution_more_bytes(depth) : 0;
    int8_t *const patches = scratch.memory;
    scratch = rl_scratch_rest(scratch, copies && parts->patch_bytes == 0 ? RL_PATCHES * depth : 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes + SPREAD_BYTES + more)];
    int8_t *const memory = rl_scratch_memory(scratch, bytes + SPREAD_BYTES + more, stack);
    int8_t *const spread = memory + bytes;
    const struct rl_convolution_state s = {
        .layer = c,
        .spread = spread + parts->patch_bytes,
        .patches = parts->patch_bytes > 0 ? spread : patches,
        .patch_bytes = RL_PATCHES * depth,
        .more_patches = more > 0 ? bytes + SPREAD_BYTES : 0,
        .block = block,
        .matmul = (struct rl_matmul *)(void *)memory,
    };
    for (int32_t first = 0; first < c->output.c; first += block) {
        const int32_t count = rl_min_s32(block, c->output.c - first);
        if (cut) {
            cut_weights(cut, first, count, spread + parts->patch_bytes);
        } else {
            spread_weights(c, first * depth, count * depth, spread + parts->patch_bytes);
        }
        (void)rl_convolution_channels(&s, first, c->output.c);
        rl_convolution_run_block(&s, input, output + first);
    }
}

void rl_convolution_run_spread(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    const struct parts parts = parts_of(c, scratch);
    if (parts.block < 1) {
        run_slowly(c, input, output);
        return;
    }
    run_parts(c, NULL, &parts, input, output, scratch);
}

// The last output starts furthest to the right and reaches the input with the earliest tap.
static struct taps taps_that_meet(int32_t input, int32_t output, int32_t window, int32_t stride, int32_t padding,
                                  int32_t dilation)
{
    const int32_t before = padding - (output - 1) * stride, most = input - 1 + padding;
    const int32_t first = rl_max_s32(before, 0) / dilation;
    return (struct taps){first, rl_min_s32(most / dilation, window - 1) - first + 1};
}

// The products that filters without idle taps save, less what it takes to cut them.
static int32_t cut_gain(const struct rl_convolution *c, const struct cut *cut)
{
    const int32_t rows = cut->rows.count, columns = cut->columns.count;
    if (rows < 1 || columns < 1) {
        return 0;
    }
    const int32_t depth = rows * columns * c->input.c;
    const int32_t saved = rl_convolution_outputs(c) * (c->filter.h * c->filter.w * c->input.c - depth);
    return c->output.c * (saved - (CUT_FILTER + CUT_ROW * rows + depth / 2)) - CUT_LAYER;
}

// What it takes to copy the patches of all outputs once more for each part but the first.
static int32_t cost_of_parts(const struct rl_convolution *c, int32_t block)
{
    const int32_t again = c->dense ? 0 : (c->output.c - 1) / block * rl_convolution_outputs(c);
    return again * (CUT_PATCH + 5 * rl_convolution_depth(c) / 2);
}

static __attribute__((noinline)) bool run_cut(const struct cut *cut, int32_t gain, const int8_t *input, int8_t *output,
                                              struct rl_scratch scratch)
{
    struct rl_convolution small = *cut->whole;
    small.filter = (struct rl_extent){cut->rows.count, cut->columns.count};
    small.padding.h -= cut->rows.first * small.dilation.h;
    small.padding.w -= cut->columns.first * small.dilation.w;
    const enum rl_convolution_path path = rl_convolution_path(&small);
    if (rl_convolution_prepare_as(&small, path == RL_CONVOLUTION_ROW ? RL_CONVOLUTION_PATCHES : path) != RL_OK) {
        return false;
    }
    const struct parts parts = parts_of(&small, scratch);
    if (parts.block < 2 || (RL_HAS_MVE && gain <= cost_of_parts(&small, parts.block))) {
        return false;
    }
    run_parts(&small, cut, &parts, input, output, scratch);
    return true;
}

bool rl_convolution_run_cut(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                            struct rl_scratch scratch)
{
    if (c->type != RL_CONVOLUTION_S8 || c->folded || c->spread_h || c->spread_w) {
        return false;
    }
    const struct cut cut = {
        c,
        taps_that_meet(c->input.h, c->output.h, c->filter.h, c->stride.h, c->padding.h, c->dilation.h),
        taps_that_meet(c->input.w, c->output.w, c->filter.w, c->stride.w, c->padding.w, c->dilation.w),
    };
    const int32_t gain = cut_gain(c, &cut);
    return (cut.rows.count < c->filter.h || cut.columns.count < c->filter.w) && gain > 0 &&
           run_cut(&cut, gain, input, output, scratch);
}
