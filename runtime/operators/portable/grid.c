// SPDX-License-Identifier: Apache-2.0
//
// aten::grid_sampler_2d: samples an image at the places that a grid of coordinates in -1..1 gives.
// Formulas: PyTorch's documentation of grid_sample; cubic convolution with A = -0.75.
#include <math.h>

#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, GRID, MODE, PADDING, ALIGN_CORNERS, OUTPUT };
enum mode { BILINEAR, NEAREST, BICUBIC };
enum padding { ZEROS, BORDER, REFLECTION };

struct sampling {
    struct rl_tensor input, grid, output;
    uint32_t in[RL_TENSOR_MAX_RANK], at[RL_TENSOR_MAX_RANK], out[RL_TENSOR_MAX_RANK]; // strides
    enum mode mode;
    enum padding padding;
    bool align_corners;
};

// Mirrors a coordinate between two bounds, which are halves.
static rl_real reflect(rl_real x, rl_real low, rl_real high)
{
    rl_real span = high - low;
    if (span <= 0) {
        return 0;
    }
    rl_real distance = RL_EXACT(fabs)(x - low), rest = RL_EXACT(fmod)(distance, span);
    return RL_EXACT(fmod)(RL_EXACT(floor)(distance / span), 2) == 0 ? low + rest : high - rest;
}

static rl_real limit(rl_real x, int32_t size)
{
    rl_real last = (rl_real)(size - 1);
    return x > 0 ? (x < last ? x : last) : 0;
}

static rl_real pad_coordinate(const struct sampling *s, rl_real x, int32_t size)
{
    if (s->padding == REFLECTION) {
        x = s->align_corners ? reflect(x, 0, (rl_real)(size - 1)) : reflect(x, -0.5f, (rl_real)size - 0.5f);
    }
    return s->padding == ZEROS ? x : limit(x, size);
}

// A coordinate of the grid as one of pixels.
static rl_real to_pixels(const struct sampling *s, rl_real x, int32_t size)
{
    return s->align_corners ? (x + 1) / 2 * (rl_real)(size - 1) : ((x + 1) * (rl_real)size - 1) / 2;
}

// The pixel at whole coordinates; 0 outside the image, and for coordinates that are NaN.
static rl_real pixel(const struct sampling *s, size_t image, rl_real y, rl_real x)
{
    if (!(y >= 0 && x >= 0 && y < (rl_real)s->input.sizes[2] && x < (rl_real)s->input.sizes[3])) {
        return 0;
    }
    return rl_float_at(&s->input, image + (size_t)y * s->in[2] + (size_t)x * s->in[3]);
}

static rl_real sample_bilinear(const struct sampling *s, size_t image, rl_real y, rl_real x)
{
    rl_real top = RL_EXACT(floor)(y), left = RL_EXACT(floor)(x), down = y - top, right = x - left;
    return pixel(s, image, top, left) * (1 - down) * (1 - right) + pixel(s, image, top, left + 1) * (1 - down) * right +
           pixel(s, image, top + 1, left) * down * (1 - right) + pixel(s, image, top + 1, left + 1) * down * right;
}

// Weights of the four neighbours of a place that lies `t` behind the second one.
static void cubic_weights(rl_real t, rl_real weights[4])
{
    const rl_real a = -0.75f;
    for (int32_t i = 0; i < 4; i++) {
        rl_real d = RL_EXACT(fabs)(t + 1 - (rl_real)i);
        weights[i] = d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    }
}

static rl_real sample_bicubic(const struct sampling *s, size_t image, rl_real y, rl_real x)
{
    rl_real down[4], right[4], sum = 0, top = RL_EXACT(floor)(y), left = RL_EXACT(floor)(x);
    cubic_weights(y - top, down);
    cubic_weights(x - left, right);
    for (int32_t i = 0; i < 4; i++) {
        rl_real row = 0, at_y = pad_coordinate(s, top - 1 + (rl_real)i, s->input.sizes[2]);
        for (int32_t k = 0; k < 4; k++) {
            row += right[k] * pixel(s, image, at_y, pad_coordinate(s, left - 1 + (rl_real)k, s->input.sizes[3]));
        }
        sum += down[i] * row;
    }
    return sum;
}

static rl_real sample(const struct sampling *s, size_t image, rl_real y, rl_real x)
{
    if (s->mode == BICUBIC) {
        return sample_bicubic(s, image, y, x);
    }
    y = pad_coordinate(s, y, s->input.sizes[2]);
    x = pad_coordinate(s, x, s->input.sizes[3]);
    if (s->mode == BILINEAR) {
        return sample_bilinear(s, image, y, x);
    }
    return pixel(s, image, RL_EXACT(rint)(y), RL_EXACT(rint)(x));
}

static void read_sampling(struct rl_call *call, struct sampling *s)
{
    rl_call_tensor(call, INPUT, &s->input);
    rl_call_tensor(call, GRID, &s->grid);
    rl_call_output(call, OUTPUT, &s->output);
    rl_expect_type(call, INPUT, &s->input, s->input.dtype, 4);
    if (s->input.bytes > 0) {
        rl_expect_floats(call, INPUT, &s->input, 4);
    }
    rl_expect_type(call, GRID, &s->grid, s->input.dtype, 4);
    rl_expect_type(call, OUTPUT, &s->output, s->input.dtype, 4);
    s->mode = (enum mode)rl_bounded_int(call, MODE, BILINEAR, BICUBIC);
    s->padding = (enum padding)rl_bounded_int(call, PADDING, ZEROS, REFLECTION);
    s->align_corners = rl_call_bool(call, ALIGN_CORNERS);
    if (call->status != RL_OK) {
        return;
    }
    const int32_t *in = s->input.sizes, *grid = s->grid.sizes;
    const struct rl_shape shape = {.sizes = {in[0], in[1], grid[1], grid[2]}, .rank = 4};
    rl_expect(call, grid[3] == 2 && grid[0] == in[0], GRID, "the grid is not a pair of coordinates for each place");
    rl_resize(call, OUTPUT, &s->output, &shape);
    rl_expect_disjoint(call, OUTPUT, &s->output, &s->input);
    rl_expect_disjoint(call, OUTPUT, &s->output, &s->grid);
    rl_expect(call, s->input.bytes > 0 || s->output.bytes == 0, INPUT, "an empty image has no pixels");
    rl_tensor_element_strides(&s->input, s->in);
    rl_tensor_element_strides(&s->grid, s->at);
    rl_tensor_element_strides(&s->output, s->out);
}

enum rl_status RL_RUN(aten_grid_sampler_2d)(struct rl_call *call)
{
    struct sampling s;
    read_sampling(call, &s);
    if (!rl_call_ready(call) || s.output.bytes == 0) {
        return call->status;
    }
    const int32_t *sizes = s.output.sizes;
    for (int32_t n = 0; n < sizes[0]; n++) {
        for (int32_t y = 0; y < sizes[2]; y++) {
            for (int32_t x = 0; x < sizes[3]; x++) {
                const size_t place = (size_t)n * s.at[0] + (size_t)y * s.at[1] + (size_t)x * s.at[2];
                rl_real at_x = to_pixels(&s, rl_float_at(&s.grid, place), s.input.sizes[3]);
                rl_real at_y = to_pixels(&s, rl_float_at(&s.grid, place + s.at[3]), s.input.sizes[2]);
                for (int32_t c = 0; c < sizes[1]; c++) {
                    const size_t image = (size_t)n * s.in[0] + (size_t)c * s.in[1];
                    const size_t to =
                        (size_t)n * s.out[0] + (size_t)c * s.out[1] + (size_t)y * s.out[2] + (size_t)x * s.out[3];
                    rl_set_float(&s.output, to, sample(&s, image, at_y, at_x));
                }
            }
        }
    }
    return call->status;
}
