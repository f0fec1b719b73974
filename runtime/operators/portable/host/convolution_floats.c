// SPDX-License-Identifier: Apache-2.0
//
// Plain convolutions of floats on a host. A block of places of the output is computed for all its channels before the
// next one. What their windows hold is gathered into a panel on the stack, a part of the window after the other, and
// between parts the output holds the sums. Convolutions with one input channel a group go row by row.
//
// A panel has zeros for taps beside the input, which the loop of the cores leaves out. A product of zero that is added
// changes a sum only if the sum is -0, which it stays only after a bias of -0, or if the weight is not finite.
// Convolutions of such biases or weights are computed one result after the other.
#include <math.h>
#include <string.h>

#include "runtime/operators/portable/convolution.h"
#include "runtime/operators/portable/host/products.h"

enum { TILES = 16, PLACES = TILES * RL_LANES };

static const rl_real zero;

// Eight places of the output, in the order of rows. Of the last ones, some may be beyond the image.
struct tile {
    int32_t y[RL_LANES], x[RL_LANES]; // of the window's first tap in the input; negative in the padding
    ptrdiff_t out[RL_LANES];          // where the results go, from the first channel on
    int32_t count;                    // on the image
    bool adjacent;                    // whether results lie next to each other
};

struct block {
    struct tile tiles[TILES];
    int32_t count;
};

struct panel {
    rl_real places[TILES][RL_DEPTH * RL_LANES];
    ptrdiff_t weights[RL_DEPTH]; // the offset of the weight of each product
    int32_t depth;
};

// Goes over taps and input channels in the order of the sums.
struct cursor {
    int32_t ky, kx, channel;
};

// ---- places

static void find_tile(const struct rl_convolution *c, int64_t first, int64_t end, struct tile *tile)
{
    int32_t y = (int32_t)(first / c->out_width), x = (int32_t)(first % c->out_width);
    tile->count = end - first < RL_LANES ? (int32_t)(end - first) : RL_LANES;
    tile->adjacent = tile->count == RL_LANES;
    for (int32_t i = 0; i < RL_LANES; i++) {
        tile->y[i] = y * c->stride_y - c->padding_y;
        tile->x[i] = x * c->stride_x - c->padding_x;
        tile->out[i] = y * c->out.row + x * c->out.column;
        tile->adjacent &= tile->out[i] == tile->out[0] + i;
        if (i + 1 < tile->count && ++x == c->out_width) {
            x = 0;
            y++;
        }
    }
}

static void find_block(const struct rl_convolution *c, int64_t first, int64_t end, struct block *block)
{
    block->count = 0;
    for (; first < end && block->count < TILES; first += RL_LANES) {
        find_tile(c, first, end, &block->tiles[block->count++]);
    }
}

// ---- panels

// Moves on by `count` input channels, which do not go beyond those of a tap.
static void advance(const struct rl_convolution *c, struct cursor *at, int32_t count)
{
    at->channel += count;
    if (at->channel < c->depth) {
        return;
    }
    at->channel = 0;
    if (++at->kx == c->width) {
        at->kx = 0;
        at->ky++;
    }
}

// Copies what the tap at the cursor reads in `count` channels. `input` is the first channel of the group.
static void copy_tap(const struct rl_convolution *c, const rl_real *input, const struct tile *tile,
                     const struct cursor *at, int32_t count, rl_real *to)
{
    const rl_real *from[RL_LANES];
    ptrdiff_t step[RL_LANES];
    bool adjacent = true;
    for (int i = 0; i < RL_LANES; i++) {
        const int32_t row = tile->y[i] + at->ky * c->dilation_y, column = tile->x[i] + at->kx * c->dilation_x;
        const bool is_inside = row >= 0 && row < c->in_height && column >= 0 && column < c->in_width;
        from[i] = is_inside ? input + at->channel * c->in.channel + row * c->in.row + column * c->in.column : &zero;
        step[i] = is_inside ? c->in.channel : 0;
        adjacent = adjacent && is_inside && from[i] == from[0] + i;
    }
    for (int32_t k = 0; k < count && adjacent; k++, to += RL_LANES) {
        memcpy(to, from[0] + k * c->in.channel, RL_LANES * sizeof *to);
    }
    for (int32_t k = 0; k < count && !adjacent; k++, to += RL_LANES) {
        for (int i = 0; i < RL_LANES; i++) {
            to[i] = from[i][k * step[i]];
        }
    }
}

// Fills a panel from where the cursor stands.
static void fill_panel(const struct rl_convolution *c, const rl_real *input, const struct block *block,
                       struct cursor *at, struct panel *panel)
{
    panel->depth = 0;
    while (at->ky < c->height && panel->depth < RL_DEPTH) {
        const int32_t left = c->depth - at->channel, room = RL_DEPTH - panel->depth, count = left < room ? left : room;
        const ptrdiff_t weight = at->ky * c->tap.row + at->kx * c->tap.column + at->channel * c->tap.channel;
        for (int32_t t = 0; t < block->count; t++) {
            copy_tap(c, input, &block->tiles[t], at, count, &panel->places[t][panel->depth * RL_LANES]);
        }
        for (int32_t k = 0; k < count; k++) {
            panel->weights[panel->depth + k] = weight + k * c->tap.channel;
        }
        panel->depth += count;
        advance(c, at, count);
    }
}

// ---- sums

static void load_sums(const rl_real *output, const struct tile *tile, rl_real sums[RL_LANES])
{
    if (tile->adjacent) {
        memcpy(sums, output + tile->out[0], RL_LANES * sizeof *sums);
        return;
    }
    for (int i = 0; i < RL_LANES; i++) {
        sums[i] = output[tile->out[i]];
    }
}

static void store_sums(rl_real *output, const struct tile *tile, const rl_real sums[RL_LANES])
{
    if (tile->adjacent) {
        rl_put_sums(output + tile->out[0], sums, RL_LANES);
        return;
    }
    for (int32_t i = 0; i < tile->count; i++) {
        rl_put_sums(output + tile->out[i], sums + i, 1);
    }
}

// The sums of a tile for `count` output channels from `first` on, or their biases before the first panel.
static void load_channels(const struct rl_convolution *c, const struct tile *tile, int32_t first, int32_t count,
                          bool is_first, const rl_real *output, struct rl_sums *sums)
{
    const rl_real *bias = c->bias.data;
    for (int32_t k = 0; k < RL_CHANNELS; k++) {
        const int32_t channel = first + (k < count ? k : 0);
        if (!is_first) {
            load_sums(output + channel * c->out.channel, tile, sums->of[k]);
            continue;
        }
        for (int i = 0; i < RL_LANES; i++) {
            sums->of[k][i] = bias ? bias[channel] : 0;
        }
    }
}

// Whether the next RL_TURNED weights of a channel follow one another.
static bool lie_side_by_side(const ptrdiff_t *weights)
{
    bool adjacent = true;
    for (int k = 1; k < RL_TURNED; k++) {
        adjacent = adjacent && weights[k] == weights[0] + k;
    }
    return adjacent;
}

// The weights of up to RL_CHANNELS output channels side by side; surplus ones repeat the first one.
static void gather_weights(const struct rl_convolution *c, const struct panel *panel, int32_t first, int32_t count,
                           rl_real *weights)
{
    const rl_real *from = (const rl_real *)c->weight.data + first * c->tap.batch;
    const ptrdiff_t one = count > 1 ? c->tap.batch : 0, two = count > 2 ? 2 * c->tap.batch : 0,
                    three = count > 3 ? 3 * c->tap.batch : 0;
    int32_t k = 0;
    for (; k + RL_TURNED <= panel->depth && lie_side_by_side(panel->weights + k);
         k += RL_TURNED, weights += RL_TURNED * RL_CHANNELS) {
        const rl_real *weight = from + panel->weights[k];
        rl_turn_weights(weights, weight, weight + one, weight + two, weight + three);
    }
    for (; k < panel->depth; k++, weights += RL_CHANNELS) {
        const rl_real *weight = from + panel->weights[k];
        weights[0] = weight[0];
        weights[1] = weight[one];
        weights[2] = weight[two];
        weights[3] = weight[three];
    }
}

// Adds a panel to the sums of `count` output channels from `first` on.
static void add_to_channels(const struct rl_convolution *c, const struct rl_products *products,
                            const struct panel *panel, const struct block *block, int32_t first, int32_t count,
                            bool is_first, rl_real *output)
{
    rl_real weights[RL_DEPTH * RL_CHANNELS];
    gather_weights(c, panel, first, count, weights);
    for (int32_t t = 0; t < block->count; t += 2) {
        const int32_t tiles = block->count - t < 2 ? 1 : 2;
        struct rl_sums sums[2];
        for (int32_t i = 0; i < tiles; i++) {
            load_channels(c, &block->tiles[t + i], first, count, is_first, output, &sums[i]);
        }
        if (tiles == 2) {
            products->add_twice(sums, panel->places[t], panel->places[t + 1], weights, panel->depth);
        } else {
            products->add(sums, panel->places[t], weights, panel->depth);
        }
        for (int32_t i = 0; i < tiles; i++) {
            for (int32_t k = 0; k < count; k++) {
                store_sums(output + (first + k) * c->out.channel, &block->tiles[t + i], sums[i].of[k]);
            }
        }
    }
}

static void run_group(const struct rl_convolution *c, const struct rl_products *products, const rl_real *input,
                      const struct block *block, int32_t first_channel, rl_real *output)
{
    struct panel panel;
    struct cursor at = {0};
    bool is_first = true;
    do {
        fill_panel(c, input, block, &at, &panel);
        for (int32_t i = 0; i < c->group_outputs; i += RL_CHANNELS) {
            const int32_t left = c->group_outputs - i, count = left < RL_CHANNELS ? left : RL_CHANNELS;
            add_to_channels(c, products, &panel, block, first_channel + i, count, is_first, output);
        }
        is_first = false;
    } while (at.ky < c->height);
}

static void run_blocks(const struct rl_convolution *c, const rl_real *input, rl_real *output)
{
    const int64_t end = (int64_t)c->out_height * c->out_width;
    const struct rl_products products = rl_find_products();
    struct block block;
    for (int64_t first = 0; first < end; first += PLACES) {
        find_block(c, first, end, &block);
        for (int32_t channel = 0; channel < c->channels; channel += c->group_outputs) {
            run_group(c, &products, input + channel / c->group_outputs * c->depth * c->in.channel, &block, channel,
                      output);
        }
    }
}

// ---- one input channel a group, in rows: each tap adds its part to all sums of a row

struct span {
    int32_t first, end;
};

// The columns of the output where a tap that begins at column `left` of the input lies on the input.
static struct span find_columns(const struct rl_convolution *c, int32_t left)
{
    const int32_t stride = c->stride_x, room = c->in_width - left;
    struct span span = {left < 0 ? (stride - 1 - left) / stride : 0, room > 0 ? (room + stride - 1) / stride : 0};
    span.end = span.end < c->out_width ? span.end : c->out_width;
    return span;
}

// sums[i] += from[i * step] * weight
static void add_row(rl_real *restrict sums, const rl_real *restrict from, ptrdiff_t step, rl_real weight, int32_t count)
{
    if (step != 1) {
        for (int32_t i = 0; i < count; i++) {
            sums[i] += from[i * step] * weight;
        }
        return;
    }
    enum { AT_ONCE = 16 };
    for (; count >= AT_ONCE; count -= AT_ONCE, sums += AT_ONCE, from += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) {
            sums[i] += from[i] * weight;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        sums[i] += from[i] * weight;
    }
}

static void run_row(const struct rl_convolution *c, const rl_real *input, const rl_real *weight, rl_real bias,
                    int32_t top, rl_real *output)
{
    for (int32_t x = 0; x < c->out_width; x++) {
        output[x] = bias;
    }
    for (int32_t ky = 0; ky < c->height; ky++) {
        const int32_t row = top + ky * c->dilation_y;
        for (int32_t kx = 0; kx < c->width && row >= 0 && row < c->in_height; kx++) {
            const int32_t left = kx * c->dilation_x - c->padding_x;
            const struct span columns = find_columns(c, left);
            if (columns.first < columns.end) {
                add_row(output + columns.first, input + row * c->in.row + left + columns.first * c->stride_x,
                        c->stride_x, weight[ky * c->tap.row + kx * c->tap.column], columns.end - columns.first);
            }
        }
    }
    rl_put_sums(output, output, c->out_width);
}

static void run_rows(const struct rl_convolution *c, const rl_real *input, rl_real *output)
{
    const rl_real *bias = c->bias.data;
    for (int32_t channel = 0; channel < c->channels; channel++) {
        for (int32_t y = 0; y < c->out_height; y++) {
            run_row(c, input + channel / c->group_outputs * c->in.channel,
                    (const rl_real *)c->weight.data + channel * c->tap.batch, bias ? bias[channel] : 0,
                    y * c->stride_y - c->padding_y, output + channel * c->out.channel + y * c->out.row);
        }
    }
}

// ---- one result after the other

static rl_real sum_at(const struct rl_convolution *c, const rl_real *input, int32_t channel, int32_t y, int32_t x)
{
    const rl_real *bias = c->bias.data, *weight = (const rl_real *)c->weight.data + channel * c->tap.batch;
    rl_real sum = bias ? bias[channel] : 0;
    for (struct cursor at = {0}; at.ky < c->height; advance(c, &at, 1)) {
        const int32_t row = y * c->stride_y - c->padding_y + at.ky * c->dilation_y;
        const int32_t column = x * c->stride_x - c->padding_x + at.kx * c->dilation_x;
        if (row >= 0 && row < c->in_height && column >= 0 && column < c->in_width) {
            sum += input[at.channel * c->in.channel + row * c->in.row + column * c->in.column] *
                   weight[at.ky * c->tap.row + at.kx * c->tap.column + at.channel * c->tap.channel];
        }
    }
    return sum;
}

static void run_singly(const struct rl_convolution *c, const rl_real *input, rl_real *output)
{
    for (int32_t channel = 0; channel < c->channels; channel++) {
        const rl_real *group = input + channel / c->group_outputs * c->depth * c->in.channel;
        for (int32_t y = 0; y < c->out_height; y++) {
            for (int32_t x = 0; x < c->out_width; x++) {
                const rl_real sum = sum_at(c, group, channel, y, x);
                rl_put_sums(output + channel * c->out.channel + y * c->out.row + x * c->out.column, &sum, 1);
            }
        }
    }
}

// ---- all of them

// Whether zeros may stand for taps beside the input. The weights are dense.
static bool allows_zeros(const struct rl_convolution *c)
{
    const rl_real *bias = c->bias.data, *weight = c->weight.data;
    int64_t left = (int64_t)c->channels * c->depth * c->height * c->width;
    rl_real differences[RL_LANES] = {0}; // of weights from themselves: NaN if one is not finite
    for (; left >= RL_LANES; left -= RL_LANES, weight += RL_LANES) {
        for (int i = 0; i < RL_LANES; i++) {
            differences[i] += weight[i] - weight[i];
        }
    }
    for (int64_t i = 0; i < left; i++) {
        differences[i] += weight[i] - weight[i];
    }
    bool allows = true;
    for (int i = 0; i < RL_LANES; i++) {
        allows = allows && differences[i] == 0;
    }
    for (int32_t i = 0; i < c->channels && bias; i++) {
        allows = allows && !(bias[i] == 0 && signbit(bias[i]));
    }
    return allows;
}

void rl_convolve_floats(const struct rl_convolution *c)
{
    const bool is_padded = c->padding_y > 0 || c->padding_x > 0;
    const bool by_rows = c->depth == 1 && c->group_outputs < RL_CHANNELS && c->in.column == 1 && c->out.column == 1;
    const bool by_blocks = !by_rows && (!is_padded || allows_zeros(c));
    for (int32_t batch = 0; batch < c->batches; batch++) {
        const rl_real *input = (const rl_real *)c->input.data + batch * c->in.batch;
        rl_real *output = (rl_real *)c->output.data + batch * c->out.batch;
        if (by_rows) {
            run_rows(c, input, output);
        } else if (by_blocks) {
            run_blocks(c, input, output);
        } else {
            run_singly(c, input, output);
        }
    }
}
