// SPDX-License-Identifier: Apache-2.0
//
// Plain convolutions of floats on a core: four output channels at once, without a work space.
#include "runtime/operators/portable/convolution.h"
#include "runtime/operators/portable/dot.h"

enum { AT_ONCE = 4 };

// Taps of a window that fall on the input along one dimension: from `first` to before `end`.
struct taps {
    int32_t first, end;
};

static struct taps clip(int32_t start, int32_t dilation, int32_t kernel, int32_t size)
{
    struct taps taps = {0, kernel};
    if (start < 0) {
        taps.first = (-start + dilation - 1) / dilation;
    }
    if (start + (kernel - 1) * dilation >= size) {
        taps.end = size > start ? (size - start + dilation - 1) / dilation : 0;
    }
    if (taps.first > taps.end) {
        taps.first = taps.end;
    }
    return taps;
}

// Moves four pointers by the same distance.
static void move4(const rl_real *to[AT_ONCE], const rl_real *const from[AT_ONCE], ptrdiff_t distance)
{
    for (int32_t k = 0; k < AT_ONCE; k++) {
        to[k] = from[k] + distance;
    }
}

// Adds one row of taps to four sums. `input` points at the channels' images, `weight` at their kernels' row.
static void add_row(const struct rl_convolution *c, const rl_real *const input[AT_ONCE],
                    const rl_real *const weight[AT_ONCE], int32_t row, int32_t left, struct taps columns,
                    rl_real sums[AT_ONCE])
{
    const rl_real *from[AT_ONCE], *taps[AT_ONCE];
    ptrdiff_t start = row * c->in.row;
    if (c->depth == 1) {
        move4(from, input, start + (left + columns.first * c->dilation_x) * c->in.column);
        move4(taps, weight, columns.first * c->tap.column);
        rl_dot4(sums, from, c->dilation_x * c->in.column, taps, c->tap.column, columns.end - columns.first);
        return;
    }
    for (int32_t kx = columns.first; kx < columns.end; kx++) {
        move4(from, input, start + (left + kx * c->dilation_x) * c->in.column);
        move4(taps, weight, kx * c->tap.column);
        rl_dot4(sums, from, c->in.channel, taps, c->tap.channel, c->depth);
    }
}

// Computes up to AT_ONCE output channels at one position. Order of each sum: bias, then kernel rows, kernel columns,
// input channels.
static void run_channels(const struct rl_convolution *c, int32_t batch, int32_t y, int32_t x, int32_t first)
{
    const rl_real *input[AT_ONCE], *weight[AT_ONCE], *weight_row[AT_ONCE];
    rl_real sums[AT_ONCE];
    const rl_real *bias = c->bias.data;
    int32_t left_over = c->channels - first;
    for (int32_t k = 0; k < AT_ONCE; k++) {
        int32_t channel = first + (k < left_over ? k : 0); // surplus sums repeat the first one
        int32_t depth_start = channel / c->group_outputs * c->depth;
        sums[k] = bias ? bias[channel] : 0;
        input[k] = (const rl_real *)c->input.data + batch * c->in.batch + depth_start * c->in.channel;
        weight[k] = (const rl_real *)c->weight.data + channel * c->tap.batch;
    }
    int32_t top = y * c->stride_y - c->padding_y, left = x * c->stride_x - c->padding_x;
    struct taps rows = clip(top, c->dilation_y, c->height, c->in_height);
    struct taps columns = clip(left, c->dilation_x, c->width, c->in_width);
    for (int32_t ky = rows.first; ky < rows.end; ky++) {
        move4(weight_row, weight, ky * c->tap.row);
        add_row(c, input, weight_row, top + ky * c->dilation_y, left, columns, sums);
    }
    rl_real *output = (rl_real *)c->output.data + batch * c->out.batch + y * c->out.row + x * c->out.column;
    for (int32_t k = 0; k < AT_ONCE && k < left_over; k++) {
        rl_put_real(output + (first + k) * c->out.channel, sums[k]);
    }
}

void rl_convolve_floats(const struct rl_convolution *c)
{
    for (int32_t batch = 0; batch < c->batches; batch++) {
        for (int32_t y = 0; y < c->out_height; y++) {
            for (int32_t x = 0; x < c->out_width; x++) {
                for (int32_t first = 0; first < c->channels; first += AT_ONCE) {
                    run_channels(c, batch, y, x, first);
                }
            }
        }
    }
}
