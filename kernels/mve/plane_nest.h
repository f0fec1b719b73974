// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with VMLADAV, eight channels at a time. See depthwise/planes.h for the contract.
//
// A plane holds some successive input rows of one channel, interleaved: with four slots, each column of it is four
// bytes, one of each row. The window of an output is then a run of bytes. A filter of up to 4x4 taps is one vector of
// weights in the same order, zero where there is no tap; one load and one VMLADAV give its sum. The rows form a ring:
// row r lies in slot r modulo `slots`, and each pair of new rows overwrites the two oldest. The weights rotate, not the
// data. With stride 1 two rows of outputs share each load. Padding is minus the input offset; the offset itself is in
// the bias.
#ifndef RL_KERNELS_MVE_PLANE_NEST_H
#define RL_KERNELS_MVE_PLANE_NEST_H

#include <arm_mve.h>

#include "depthwise/planes.h"
#include "mve/depthwise_sharing.h"
#include "mve/memory_tile.h"
#include "mve/plane_block.h"
#include "mve/plane_store.h"
#include "mve/plane_sums.h"

// Whether channels that share inputs run here. Small code has no loops for them.
enum { RL_PLANE_SHARES = RL_PLANE_ALL_LAYERS && !RL_SMALL };

static inline int32_t rl_plane_rows(const struct rl_plane_axis *across)
{
    return across->stride == 1 && across->output > 1 ? 2 : 1;
}

static inline bool rl_plane_takes(int32_t channels, int32_t multiplier)
{
    return channels >= RL_PLANE_CHANNELS && (RL_PLANE_SHARES || multiplier == 1);
}

// The rounds of the loops for a channel. The code around a loop takes about as long as two rounds.
static inline int32_t rl_plane_computed(const struct rl_plane_axis *along, const struct rl_plane_axis *across)
{
    const int32_t rows = rl_plane_rows(across);
    return (along->output + 2) * ((across->output + rows - 1) / rows);
}

// Divides `bytes` of memory into weights, sums and planes. False if not even one column fits.
static bool rl_plane_divide(const struct rl_plane_axis *along, int32_t bytes, struct rl_plane_block *b)
{
    const int32_t pixel = RL_PLANE_CHANNELS * b->slots;
    const int32_t column_sums = b->rows * RL_PLANE_CHANNELS * (int32_t)sizeof(int32_t);
    // One more column of sums, because the loop over pairs of windows may compute one behind the last.
    const int32_t one_column = pixel * along->reach + 2 * column_sums;
    b->phases = b->slots / 2 * b->weight_bytes <= bytes / 2 ? b->slots / 2 : 1;
    const int32_t room = bytes - RL_PLANE_SLACK - b->phases * b->weight_bytes - one_column;
    if (room < 0) {
        return false;
    }
    const int32_t most = room / (rl_min_s32(along->stride, bytes) * pixel + column_sums) + 1;
    const int32_t tiles = rl_max_s32((along->output + most - 1) / most, 1);
    b->columns = (along->output + tiles - 1) / tiles;
    b->bytes = ((b->columns - 1) * along->stride + along->reach) * b->slots;
    b->sums_row = (b->columns + 1) * RL_PLANE_CHANNELS;
    return true;
}

static int32_t rl_plane_bytes(const struct rl_plane_axes *axes, const struct rl_plane_block *b)
{
    (void)axes;
    return b->phases * b->weight_bytes + b->rows * b->sums_row * (int32_t)sizeof(int32_t) +
           RL_PLANE_CHANNELS * b->bytes + RL_PLANE_SLACK;
}

static void rl_plane_place(const struct rl_plane_axes *axes, void *memory, struct rl_plane_block *b,
                           struct rl_plane_group *group)
{
    (void)axes;
    (void)group;
    b->weights = memory;
    b->sums = (int32_t *)(void *)(b->weights + b->phases * b->weight_bytes);
    b->planes = (int8_t *)(b->sums + b->rows * b->sums_row);
}

static bool rl_plane_fit_block(const struct rl_plane_axes *axes, int32_t room, struct rl_plane_block *b)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    b->rows = rl_plane_rows(across);
    b->slots = rl_max_s32((across->reach + b->rows) & ~1, 4);
    if (along->stride < 1 || across->stride < 1 || along->dilation < 1 || across->dilation < 1 || along->taps < 1 ||
        across->taps < 1 || b->slots > RL_PLANE_SLOTS || along->reach > RL_PLANE_WEIGHT_BYTES / b->slots) {
        return false;
    }
    const int32_t window = along->reach * b->slots;
    b->window = window <= 16 ? 16 : (window + 31) & ~31;
    b->weight_bytes = RL_PLANE_CHANNELS * b->rows * b->window;
    return rl_plane_divide(along, rl_max_s32(room, RL_PLANE_STACK_BYTES), b);
}

// A line of pixels, padding or zeros: the address of the first one, and the bytes from one to the next.
struct rl_plane_source {
    const int8_t *from;
    ptrdiff_t step;
};

// Interleaves two lines of eight channels: pixel i of both becomes a half word at to + i * slots. Channels are `bytes`
// apart.
static inline void rl_plane_interleave(struct rl_plane_source first, struct rl_plane_source second, int32_t pixels,
                                       int8_t *to, int32_t slots, int32_t bytes)
{
    static const uint16_t order[RL_PLANE_CHANNELS] = {0, 4, 1, 5, 2, 6, 3, 7};
    const uint16x8_t offsets = vmulq_n_u16(vldrhq_u16(order), (uint16_t)bytes);
    for (; pixels > 0; pixels--, to += slots) {
        const uint16x8_t low = vldrbq_u16((const uint8_t *)first.from);
        const uint16x8_t high = vldrbq_u16((const uint8_t *)second.from);
        vstrhq_scatter_offset_u16((uint16_t *)(void *)to, offsets, vsliq_n_u16(low, high, 8));
        first.from += first.step;
        second.from += second.step;
    }
}

// The same for lines of channels that share inputs, at these distances.
static inline void rl_plane_interleave_shared(struct rl_plane_source first, struct rl_plane_source second,
                                              int32_t pixels, int8_t *to, int32_t slots, int32_t bytes,
                                              const uint8_t *distance)
{
    static const uint16_t order[RL_PLANE_CHANNELS] = {0, 4, 1, 5, 2, 6, 3, 7};
    const uint16x8_t offsets = vmulq_n_u16(vldrhq_u16(order), (uint16_t)bytes);
    const uint16x8_t from = vldrbq_u16(distance);
    for (; pixels > 0; pixels--, to += slots) {
        const uint16x8_t low = vldrbq_gather_offset_u16((const uint8_t *)first.from, from);
        const uint16x8_t high = vldrbq_gather_offset_u16((const uint8_t *)second.from, from);
        vstrhq_scatter_offset_u16((uint16_t *)(void *)to, offsets, vsliq_n_u16(low, high, 8));
        first.from += first.step;
        second.from += second.step;
    }
}

// A row of the filter, or of zeros where dilation has none.
static inline struct rl_plane_source rl_plane_filter_row(const struct rl_plane_axis *along,
                                                         const struct rl_plane_axis *across, const int8_t *filter,
                                                         int32_t row)
{
    static const int8_t zeros[RL_PLANE_CHANNELS];
    if (row < 0 || row >= across->reach || (across->dilation > 1 && row % across->dilation != 0)) {
        return (struct rl_plane_source){zeros, 0};
    }
    const int32_t tap = across->dilation > 1 ? row / across->dilation : row;
    return (struct rl_plane_source){filter + tap * across->filter_step, along->filter_step};
}

// Writes the weights of the first `rows` rows of outputs for a ring whose first row is in `slot`.
static void rl_plane_weights(const struct rl_plane_axes *axes, const int8_t *filter, const struct rl_plane_block *b,
                             int32_t slot, int32_t rows, int8_t *weights)
{
    const struct rl_plane_axis *along = &axes->along;
    for (int32_t output_row = 0; output_row < rows; output_row++) {
        for (int32_t i = 0; i < b->slots; i += 2) {
            const int32_t row = i - output_row;
            const int32_t to = i + slot < b->slots ? i + slot : i + slot - b->slots;
            rl_plane_interleave(rl_plane_filter_row(along, &axes->across, filter, row),
                                rl_plane_filter_row(along, &axes->across, filter, row + 1), along->taps,
                                weights + output_row * b->window + to, b->slots * along->dilation, b->rows * b->window);
        }
    }
}

// For windows of one vector with four slots: derives all weights from those of the first row of outputs. The second row
// is one slot further, where the last slot is empty; the ring's other position is two, which swaps half words.
static void rl_plane_derive_weights(struct rl_plane_block *b)
{
    uint16_t *from = (uint16_t *)(void *)b->weights;
    uint16_t *turned = from + b->weight_bytes / 2;
    for (int32_t i = RL_PLANE_CHANNELS; i > 0; i--, from += 8 * b->rows, turned += 8 * b->rows) {
        const uint16x8_t first = vldrhq_u16(from);
        vstrhq_u16(turned, vrev32q_u16(first));
        if (b->rows == 2) {
            const uint16x8_t second = vreinterpretq_u16_u32(vshlq_n_u32(vreinterpretq_u32_u16(first), 8));
            vstrhq_u16(from + 8, second);
            vstrhq_u16(turned + 8, vrev32q_u16(second));
        }
    }
}

static void rl_plane_all_weights(const struct rl_plane_axes *axes, const int8_t *filter, struct rl_plane_block *b)
{
    rl_fill_s8(b->weights, 0, b->phases * b->weight_bytes);
    if (b->slots == 4 && b->window == 16) {
        rl_plane_weights(axes, filter, b, 0, 1, b->weights);
        rl_plane_derive_weights(b);
        return;
    }
    for (int32_t i = 0; i < b->phases; i++) {
        rl_plane_weights(axes, filter, b, 2 * i, b->rows, b->weights + i * b->weight_bytes);
    }
}

static uint32_t rl_plane_prepare(const struct rl_depthwise *d, const struct rl_plane_axes *axes, int32_t first,
                                 struct rl_plane_group *g)
{
    g->filter = d->weights + first;
    int16x8_t weights = vdupq_n_s16(0);
    const int8_t *row = g->filter;
    for (int32_t rows = axes->across.taps; rows > 0; rows--, row += axes->across.filter_step) {
        const int8_t *tap = row;
        for (int32_t i = axes->along.taps; i > 0; i--, tap += axes->along.filter_step) {
            weights = vaddq_s16(weights, vldrbq_s16(tap));
        }
    }
    rl_plane_group_scale(&g->scale, d, weights, first);
    return 0;
}

// The part of the input that a tile reads, and the part of it that is in the ring.
struct rl_plane_ring {
    const int8_t *pixels; // the first pixel of row 0
    int32_t left;         // pixels of padding before it
    int32_t count;
    int32_t row;  // the input row that goes in next
    int32_t slot; // the slot where it goes
};

static inline struct rl_plane_source rl_plane_input_row(const struct rl_plane_axes *axes,
                                                        const struct rl_plane_block *b,
                                                        const struct rl_plane_ring *ring, int32_t row)
{
    if (row < 0 || row >= axes->across.input) {
        return (struct rl_plane_source){b->padding, 0};
    }
    return (struct rl_plane_source){ring->pixels + row * axes->across.input_step, axes->along.input_step};
}

// Puts the rows up to `end` into the ring, two by two.
static inline void rl_plane_fill(const struct rl_plane_axes *axes, struct rl_plane_block *b, struct rl_plane_ring *ring,
                                 int32_t end)
{
    int8_t *planes = b->planes + ring->left * b->slots;
    for (; ring->row < end; ring->row += 2) {
        const struct rl_plane_source upper = rl_plane_input_row(axes, b, ring, ring->row);
        const struct rl_plane_source lower = rl_plane_input_row(axes, b, ring, ring->row + 1);
        if (RL_PLANE_SHARES && b->shares) {
            rl_plane_interleave_shared(upper, lower, ring->count, planes + ring->slot, b->slots, b->bytes, b->distance);
        } else {
            rl_plane_interleave(upper, lower, ring->count, planes + ring->slot, b->slots, b->bytes);
        }
        ring->slot = ring->slot + 2 == b->slots ? 0 : ring->slot + 2;
    }
}

// Computes all rows of `columns` outputs from `column` on.
static void rl_plane_tile(const struct rl_plane_axes *axes, struct rl_plane_block *b, const struct rl_plane_group *g,
                          const int8_t *input, int32_t column, int32_t columns, int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const int32_t width = b->bytes / b->slots;
    const int32_t start = column * along->stride - along->padding;
    const int32_t left = rl_clamp_s32(-start, 0, width);
    const int32_t count = rl_clamp_s32(along->input - start - left, 0, width - left);
    struct rl_plane_ring ring = {
        .pixels = count > 0 ? input + (start + left) * along->input_step : input,
        .left = left,
        .count = count,
        .row = -across->padding,
    };
    struct rl_plane_lines lines = rl_plane_lines_of(b, columns, b->slots * along->stride);
    const bool restarts = across->stride > 2; // rows go in two by two, so the ring cannot advance by `stride`
    rl_fill_s8(b->planes, b->padding[0], RL_PLANE_CHANNELS * b->bytes);
    int32_t slot = 0; // the slot of the first row under the filter
    for (int32_t row = 0; row < across->output; row += b->rows) {
        const int32_t first = row * across->stride - across->padding;
        if (restarts) {
            ring.row = first;
            ring.slot = 0;
            slot = 0;
        }
        const int8_t *weights = b->weights + (b->phases > 1 ? slot / 2 * b->weight_bytes : 0);
        if (b->phases == 1) {
            rl_plane_weights(axes, g->filter, b, slot, b->rows, b->weights);
        }
        rl_plane_fill(axes, b, &ring, first + across->reach + b->rows - 1);
        rl_plane_sum(b, &lines, weights);
        rl_plane_store(&g->scale, b, rl_min_s32(b->rows, across->output - row), columns, along->output_step,
                       across->output_step, output);
        output += b->rows * across->output_step;
        slot = slot + 2 == b->slots ? 0 : slot + 2;
    }
}

// Computes one image; `input` and `output` point to the first channel of the group.
static void rl_plane_image(const struct rl_depthwise *d, const struct rl_plane_axes *axes, struct rl_plane_block *b,
                           const struct rl_plane_group *g, const int8_t *input, int8_t *output)
{
    rl_fill_s8(b->padding, (int8_t)-d->input_offset, RL_PLANE_CHANNELS);
    b->shares = d->multiplier > 1;
    if (RL_PLANE_SHARES && b->shares) {
        const int32_t first = (int32_t)(g->filter - d->weights);
        rl_depthwise_distances(d->multiplier, first, RL_PLANE_CHANNELS, b->distance);
    }
    rl_plane_all_weights(axes, g->filter, b);
    for (int32_t column = 0; column < axes->along.output; column += b->columns) {
        const int32_t columns = rl_min_s32(b->columns, axes->along.output - column);
        rl_plane_tile(axes, b, g, input, column, columns, output + column * axes->along.output_step);
    }
}

// All is done for each group.
static inline void rl_plane_finish(const struct rl_depthwise *d, const int8_t *output)
{
    (void)d;
    (void)output;
}

#endif
