// SPDX-License-Identifier: Apache-2.0
// Scratch of convolutions, and what compilers ask of them. It is plain arithmetic, because it runs on the host.
#include "convolution/choice.h"
#include "convolution/convolution.h"
#include "dsp/interleaved_bytes.h"
#include "dsp/lines_s16_bytes.h"
#include "dsp/matmul_bytes.h"
#include "dsp/prepacked_bytes.h"
#include "dsp/turned_bytes.h"
#include "requantize.h"

#include "convolution/blocks.h"

// `multiple` is a power of two.
static int32_t round_up(int32_t value, int32_t multiple)
{
    return (value + multiple - 1) & -multiple;
}

// Four patches, each rounded up to a vector.
static int32_t whole_patches(int32_t bytes)
{
    return 4 * round_up(bytes, 16);
}

// One patch and the padding on one side of it, or nothing for int4 weights. Four patches if the outputs with padding on
// the left and those with padding on the right are together more than all outputs.
static int32_t announced_row(const struct rl_convolution *c, int32_t patch)
{
    const int32_t stride = c->stride.w, pad = c->padding.w;
    const int32_t total_pad = (c->output.w - 1) * stride + c->filter.w - c->input.w;
    const int32_t odd_pad = total_pad % 2;
    const int32_t pad_right = pad + odd_pad;
    const int32_t padded_right = pad_right != 0 ? rl_max_s32(1, (pad_right + stride - 1) / stride) : 0;
    const int32_t padded_left = pad != 0 ? rl_max_s32(1, (pad + stride - 1) / stride) : 0;
    const int32_t unpadded = rl_max_s32(c->output.w - (padded_right + padded_left), 0);
    if (padded_right + unpadded + padded_left != c->output.w) {
        return whole_patches(patch);
    }
    if (c->type == RL_CONVOLUTION_S4) {
        return 0;
    }
    const int32_t left = (c->filter.w + pad) * c->input.c;
    const int32_t right = (c->filter.w - 1 + (odd_pad != 0 ? padded_right : pad)) * c->input.c;
    return rl_max_s32(left, right);
}

int32_t rl_convolution_announced(const struct rl_convolution *c, enum rl_isa isa)
{
    const int32_t value_bytes = c->type >= RL_CONVOLUTION_S16 ? (int32_t)sizeof(int16_t) : 1;
    const int32_t patch = c->filter.h * c->filter.w * c->input.c; // of all groups
    if (isa == RL_ISA_ANY) {
        return rl_max_s32(rl_convolution_announced(c, RL_ISA_DSP), rl_convolution_announced(c, RL_ISA_MVE));
    }
    if (c->path == RL_CONVOLUTION_POINTWISE) {
        return 0;
    }
    if (isa == RL_ISA_MVE) {
        return c->path == RL_CONVOLUTION_ROW ? announced_row(c, patch) : whole_patches(patch * value_bytes);
    }
    // Two patches of int16, for int8 weights and data each rounded up to four values.
    return 2 * round_up(patch, c->type == RL_CONVOLUTION_S8 ? 4 : 1) * (int32_t)sizeof(int16_t);
}

// Two patches and a block of interleaved weights behind them, where some core interleaves. Channels in fours and deep
// enough for prepacked weights (rl_convolution_prepacks) seldom come here.
static int32_t interleaved_bytes(const struct rl_convolution *c)
{
    const int32_t depth = rl_convolution_depth(c);
    if (!rl_interleaved_suits(c)) {
        return 0;
    }
    const struct rl_interleaved blocks = rl_interleaved_blocks(depth, rl_convolution_group(c), RL_INTERLEAVED_STACK);
    if (blocks.channels == 0 || (!rl_interleaved_pays(c, &blocks, false) && !rl_interleaved_pays(c, &blocks, true))) {
        return 0;
    }
    return rl_interleaved_copied(c) + rl_interleaved_bytes(blocks.depth, blocks.channels);
}

// The same with a PReLU behind.
static int32_t interleaved_prelu_bytes(const struct rl_convolution *c)
{
    int32_t most = 0;
    for (int dual = 0; dual < 2; dual++) {
        const struct rl_interleaved blocks = rl_interleaved_prelu_blocks(c, dual == 1);
        const int32_t bytes = rl_interleaved_prelu_bytes(blocks.depth, blocks.channels);
        most = blocks.channels > 0 ? rl_max_s32(most, rl_interleaved_copied(c) + bytes) : most;
    }
    return most;
}

// Patches, then the block that runs at a time.
int32_t rl_convolution_plain_scratch(const struct rl_convolution *c)
{
    const struct rl_block_shape shape = {
        .matmul_bytes = RL_MATMUL_BYTES,
        .depth = rl_convolution_depth(c),
        .channels = c->output.c / c->groups,
        .taps_first = c->path == RL_CONVOLUTION_TAPS_FIRST,
    };
    const bool copies = c->path != RL_CONVOLUTION_POINTWISE && !shape.taps_first;
    const int32_t block = rl_block_bytes(&shape, rl_block_channels(&shape, 0));
    return (copies ? rl_patches_bytes(shape.depth) : 0) + block;
}

static int32_t block_bytes_dsp(const struct rl_convolution *c)
{
    const int32_t turned = rl_convolution_suits_turned(c) ? rl_turned_bytes(rl_convolution_depth(c)) : 0;
    return rl_max_s32(turned > 0 ? turned : interleaved_bytes(c), rl_convolution_plain_scratch(c));
}

// Patches for as many rows as any core takes at a time, and on DSP cores the block behind them.
static int32_t wide_bytes(const struct rl_convolution *c, enum rl_isa isa)
{
    enum { MOST_ROWS = 6 };
    const int32_t depth = rl_convolution_depth(c), copied = c->least_scratch > 0 ? depth : 0;
    if (isa == RL_ISA_MVE || isa == RL_ISA_SCALAR) {
        return (isa == RL_ISA_MVE ? (int32_t)RL_MATMUL_ROWS : MOST_ROWS) * copied;
    }
    const int32_t block = rl_matmul_s16_bytes(depth, rl_min_s32(c->output.c, RL_CHANNEL_BLOCK));
    const int32_t dsp = ((RL_MATMUL_ROWS * copied + 7) & ~7) + block;
    return isa == RL_ISA_DSP ? dsp : rl_max_s32(dsp, MOST_ROWS * copied);
}

static int32_t lines_bytes(const struct rl_convolution *c, enum rl_isa isa)
{
    const bool is_dsp = isa == RL_ISA_DSP || isa == RL_ISA_ANY;
    return is_dsp && rl_convolution_suits_lines(c) ? rl_lines_s16_memory(c).bytes : 0;
}

int32_t rl_convolution_scratch(const struct rl_convolution *c, enum rl_isa isa)
{
    const int32_t announced = rl_convolution_announced(c, isa);
    if (c->type == RL_CONVOLUTION_S8_S16) {
        return rl_max_s32(wide_bytes(c, isa), lines_bytes(c, isa));
    }
    if (c->type == RL_CONVOLUTION_PREPACKED) {
        return ((c->least_scratch + 7) & ~7) + rl_prepacked_bytes(rl_convolution_depth(c), c->output.c);
    }
    if (c->type == RL_CONVOLUTION_PREPACKED_PRELU) {
        return ((c->least_scratch + 7) & ~7) + rl_prepacked_prelu_bytes(rl_convolution_depth(c), c->output.c);
    }
    if (c->type == RL_CONVOLUTION_PRELU) {
        const int32_t interleaved = isa == RL_ISA_DSP || isa == RL_ISA_ANY ? interleaved_prelu_bytes(c) : 0;
        const int32_t others = rl_max_s32(wide_bytes(c, isa), interleaved);
        return rl_max_s32(others, isa == RL_ISA_MVE || isa == RL_ISA_ANY ? announced : 0);
    }
    if (c->type == RL_CONVOLUTION_WINOGRAD) {
        return c->least_scratch;
    }
    if (c->type != RL_CONVOLUTION_S8) {
        return announced;
    }
    switch (isa) {
    case RL_ISA_DSP:
        return block_bytes_dsp(c);
    case RL_ISA_ANY:
        return rl_max_s32(announced, block_bytes_dsp(c));
    default:
        return announced;
    }
}

bool rl_convolution_may_cut(const struct rl_convolution *c)
{
    const bool is_image = c->path == RL_CONVOLUTION_PATCHES || c->path == RL_CONVOLUTION_ROW;
    return c->type == RL_CONVOLUTION_S8 && !c->folded && is_image && rl_convolution_has_idle_taps(c);
}

bool rl_convolution_is_whole(const struct rl_convolution *c)
{
    return c->rows_are_runs && rl_convolution_depth(c) <= RL_PREPACKED_DEPTH;
}

static bool suits_blocks(const struct rl_convolution *c, enum rl_isa isa)
{
    // With DSP instructions the weights of layers with many outputs may be brought into another order first.
    bool suits = isa == RL_ISA_SCALAR || isa == RL_ISA_MVE;
    for (int thumb2 = 0; thumb2 < 2; thumb2++) {
        const struct rl_convolution_core core = {isa, thumb2 == 1, false};
        suits = suits && !rl_convolution_has_few_outputs(c, core) && !rl_convolution_may_be_small_map(c, core) &&
                !(rl_convolution_may_be_small_windows(c, core) && rl_convolution_are_small_windows(c, core)) &&
                !rl_convolution_has_few_channels(c, core);
    }
    return suits;
}

enum rl_convolution_loops rl_convolution_loops(const struct rl_convolution *c, enum rl_isa isa)
{
    if (c->type != RL_CONVOLUTION_S8 || !suits_blocks(c, isa)) {
        return RL_CONVOLUTION_ALL_LOOPS;
    }
    const bool is_short = rl_convolution_depth(c) <= RL_CONVOLUTION_LONG_DEPTH;
    if (isa != RL_ISA_MVE || c->groups != 1 || !c->rows_are_runs || c->path == RL_CONVOLUTION_TAPS_FIRST) {
        return RL_CONVOLUTION_BLOCKS;
    }
    if (c->dense) {
        return is_short ? RL_CONVOLUTION_SHORT : RL_CONVOLUTION_DENSE;
    }
    if (c->path == RL_CONVOLUTION_ROW || c->output.h * c->output.w <= RL_PATCHES ||
        (c->path == RL_CONVOLUTION_POINTWISE && !is_short)) {
        return RL_CONVOLUTION_BLOCKS;
    }
    if (is_short) {
        return RL_CONVOLUTION_SHORT;
    }
    return c->filter.w == 3 && c->stride.w == 1 ? RL_CONVOLUTION_WINDOWS : RL_CONVOLUTION_COPIED;
}
