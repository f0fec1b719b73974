// SPDX-License-Identifier: Apache-2.0
//
// aten::max_pool2d_with_indices, avg_pool2d and _adaptive_avg_pool2d, on images of any type and layout.
#include <stddef.h>

#include "ops/sizes.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, KERNEL, STRIDE, PADDING };
enum { MAX_WINDOW = 32767, AT_ONCE = 8 };

// A tensor as one of four dimensions.
struct image {
    int32_t sizes[4];
    uint8_t order[4];
};

struct pooling {
    struct rl_tensor input, output;
    struct image images[2];                                   // of tensors of three dimensions
    uint32_t in[RL_TENSOR_MAX_RANK], out[RL_TENSOR_MAX_RANK]; // strides
    int32_t kernel[2], stride[2], padding[2], dilation[2];    // height, width
    bool real, is_single;                                     // `is_single`: without a batch
};

// The part of a window that lies on the input: from `top` to before `bottom`, `left` to before `right`.
struct window {
    int32_t top, bottom, left, right;
};

// Reads two items, or one for both. An empty list gives the fallback.
static void read_pair(struct rl_call *call, uint32_t argument, int32_t lowest, const int32_t *fallback, int32_t pair[2])
{
    uint32_t count = rl_call_ints(call, argument, pair, 2);
    if (count == 0 && fallback) {
        pair[0] = fallback[0];
        pair[1] = fallback[1];
        return;
    }
    pair[1] = count == 2 ? pair[1] : pair[0];
    rl_expect(call, count == 1 || count == 2, argument, "a list must have one or two items");
    rl_expect(call, pair[0] >= lowest && pair[0] <= MAX_WINDOW && pair[1] >= lowest && pair[1] <= MAX_WINDOW, argument,
              "an item of a list is out of range");
}

// The number of windows along one dimension; -1 if there is none.
static int32_t count_windows(const struct pooling *p, uint32_t axis, bool ceil_mode)
{
    const struct rl_window window = {p->kernel[axis], p->stride[axis], p->padding[axis], p->dilation[axis]};
    const uint32_t count = rl_count_pool_windows((uint32_t)p->input.sizes[2 + axis], &window, ceil_mode);
    return window.padding <= window.kernel / 2 ? rl_size(count) : -1;
}

// Views an image without a batch as a batch of one.
static void widen(struct rl_tensor *tensor, struct image *image)
{
    if (tensor->rank != 3) {
        return;
    }
    image->sizes[0] = 1;
    image->order[0] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        image->sizes[1 + i] = tensor->sizes[i];
        image->order[1 + i] = (uint8_t)(tensor->dim_order[i] + 1);
    }
    tensor->sizes = image->sizes;
    tensor->dim_order = image->order;
    tensor->rank = 4;
}

static void read_input(struct rl_call *call, struct pooling *p)
{
    rl_call_tensor(call, INPUT, &p->input);
    p->is_single = p->input.rank == 3;
    widen(&p->input, &p->images[0]);
    rl_expect_numbers(call, INPUT, &p->input);
    rl_expect_type(call, INPUT, &p->input, p->input.dtype, 4);
    p->real = rl_is_real(p->input.dtype);
}

// Reads an output that has an image of this height and width for each image of the input.
static void read_output(struct rl_call *call, uint32_t argument, const struct pooling *p, int32_t height, int32_t width,
                        struct rl_tensor *output, struct image *image)
{
    rl_call_output(call, argument, output);
    if (call->status != RL_OK) {
        return;
    }
    struct rl_shape shape = {.sizes = {p->input.sizes[0], p->input.sizes[1], height, width}, .rank = 4};
    if (p->is_single) {
        rl_shape_remove(&shape, 0);
    }
    rl_resize(call, argument, output, &shape);
    rl_expect_disjoint(call, argument, output, &p->input);
    widen(output, image);
}

static void read_pooling(struct rl_call *call, int32_t dilation_argument, uint32_t ceil_argument,
                         uint32_t output_argument, struct pooling *p)
{
    static const int32_t ones[2] = {1, 1};
    read_input(call, p);
    read_pair(call, KERNEL, 1, NULL, p->kernel);
    read_pair(call, STRIDE, 1, p->kernel, p->stride);
    read_pair(call, PADDING, 0, NULL, p->padding);
    p->dilation[0] = p->dilation[1] = 1;
    if (dilation_argument >= 0) {
        read_pair(call, (uint32_t)dilation_argument, 1, ones, p->dilation);
    }
    bool ceil_mode = rl_call_bool(call, ceil_argument);
    if (call->status != RL_OK) {
        return;
    }
    const int32_t height = count_windows(p, 0, ceil_mode), width = count_windows(p, 1, ceil_mode);
    rl_expect(call, height >= 0 && width >= 0, KERNEL, "the windows do not fit the input");
    read_output(call, output_argument, p, height, width, &p->output, &p->images[1]);
    rl_expect_type(call, output_argument, &p->output, p->input.dtype, 4);
    rl_tensor_element_strides(&p->input, p->in);
    rl_tensor_element_strides(&p->output, p->out);
}

static size_t place_in(const uint32_t strides[RL_TENSOR_MAX_RANK], int32_t batch, int32_t channel, int32_t y, int32_t x)
{
    return (size_t)batch * strides[0] + (size_t)channel * strides[1] + (size_t)y * strides[2] + (size_t)x * strides[3];
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- maximum

struct largest {
    union rl_number number;
    int64_t position; // in the image
    bool any;
};

// Compares `count` elements from `position` on, `step` apart, with the largest so far. The first of equal elements
// counts, and a NaN before all others.
static void take_row(struct largest *largest, const union rl_number *numbers, uint32_t count, bool real,
                     int64_t position, int32_t step)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool above = real ? numbers[i].real > largest->number.real || numbers[i].real != numbers[i].real
                                : numbers[i].integer > largest->number.integer;
        if (largest->any && !above) {
            continue;
        }
        *largest = (struct largest){numbers[i], position + (int64_t)i * step, true};
    }
}

// Largest element of the window at one output position of the image that starts at `image`.
static struct largest find_largest(const struct pooling *p, size_t image, int32_t top, int32_t left)
{
    struct largest largest = {.any = false};
    union rl_number numbers[AT_ONCE];
    const int32_t width = p->input.sizes[3], step = p->dilation[1];
    const int32_t first = left < 0 ? (step - 1 - left) / step : 0;
    const int32_t end = smaller(p->kernel[1], left < width ? (width - left + step - 1) / step : 0);
    for (int32_t ky = 0; ky < p->kernel[0]; ky++) {
        const int32_t y = top + ky * p->dilation[0];
        if (y < 0 || y >= p->input.sizes[2]) {
            continue;
        }
        for (int32_t kx = first; kx < end; kx += AT_ONCE) {
            const int32_t x = left + kx * step;
            const uint32_t count = (uint32_t)smaller(AT_ONCE, end - kx);
            rl_load(&p->input, image + (size_t)y * p->in[2] + (size_t)x * p->in[3], (size_t)step * p->in[3], p->real,
                    numbers, 1, count);
            take_row(&largest, numbers, count, p->real, (int64_t)y * width + x, step);
        }
    }
    return largest;
}

enum rl_status RL_RUN(aten_max_pool2d_with_indices)(struct rl_call *call)
{
    enum { DILATION = 4, CEIL_MODE, OUTPUT, INDICES };
    struct pooling p;
    struct image image;
    struct rl_tensor indices;
    uint32_t to[RL_TENSOR_MAX_RANK];
    read_pooling(call, DILATION, CEIL_MODE, OUTPUT, &p);
    if (call->status != RL_OK) {
        return call->status;
    }
    read_output(call, INDICES, &p, p.output.sizes[2], p.output.sizes[3], &indices, &image);
    rl_expect_type(call, INDICES, &indices, RL_INT64, 4);
    rl_expect_disjoint(call, INDICES, &indices, &p.output);
    if (!rl_call_ready(call) || p.output.bytes == 0) {
        return call->status;
    }
    rl_tensor_element_strides(&indices, to);
    const int32_t *sizes = p.output.sizes;
    for (int32_t n = 0; n < sizes[0]; n++) {
        for (int32_t c = 0; c < sizes[1]; c++) {
            for (int32_t y = 0; y < sizes[2]; y++) {
                for (int32_t x = 0; x < sizes[3]; x++) {
                    const struct largest largest = find_largest(
                        &p, place_in(p.in, n, c, 0, 0), y * p.stride[0] - p.padding[0], x * p.stride[1] - p.padding[1]);
                    rl_store(&p.output, place_in(p.out, n, c, y, x), 0, p.real, &largest.number, 1);
                    ((int64_t *)indices.data)[place_in(to, n, c, y, x)] = largest.position;
                }
            }
        }
    }
    return RL_OK;
}

// ---- average

// The sum of the window, divided by `divisor`. For integers the fraction is cut off.
static union rl_number mean_of(const struct pooling *p, size_t image, const struct window *window, int32_t divisor)
{
    union rl_number sum = rl_zero(p->real), numbers[AT_ONCE];
    for (int32_t y = window->top; y < window->bottom; y++) {
        for (int32_t x = window->left; x < window->right; x += AT_ONCE) {
            const uint32_t count = (uint32_t)smaller(AT_ONCE, window->right - x);
            rl_load(&p->input, image + (size_t)y * p->in[2] + (size_t)x * p->in[3], p->in[3], p->real, numbers, 1,
                    count);
            for (uint32_t i = 0; i < count; i++) {
                if (p->real) {
                    sum.real += numbers[i].real;
                } else {
                    sum.integer = (int64_t)((uint64_t)sum.integer + (uint64_t)numbers[i].integer);
                }
            }
        }
    }
    if (p->real) {
        sum.real /= (rl_real)divisor;
    } else {
        sum.integer /= divisor == 0 || (divisor == -1 && sum.integer == INT64_MIN) ? 1 : divisor;
    }
    return sum;
}

// The window at one output position, and its divisor unless that is given. With `include_padding` the padding counts,
// but not the part of a window beyond the padding, which ceil_mode allows.
static struct window window_at(const struct pooling *p, int32_t y, int32_t x, bool include_padding, int32_t *divisor)
{
    const int32_t height = p->input.sizes[2], width = p->input.sizes[3];
    struct window window = {.top = y * p->stride[0] - p->padding[0], .left = x * p->stride[1] - p->padding[1]};
    window.bottom = smaller(window.top + p->kernel[0], height + p->padding[0]);
    window.right = smaller(window.left + p->kernel[1], width + p->padding[1]);
    const int32_t padded = (window.bottom - window.top) * (window.right - window.left);
    window.top = window.top < 0 ? 0 : window.top;
    window.left = window.left < 0 ? 0 : window.left;
    window.bottom = smaller(window.bottom, height);
    window.right = smaller(window.right, width);
    const int32_t inside = (window.bottom - window.top) * (window.right - window.left);
    if (*divisor == 0) {
        *divisor = include_padding ? padded : inside;
    }
    return window;
}

enum rl_status RL_RUN(aten_avg_pool2d)(struct rl_call *call)
{
    enum { CEIL_MODE = 4, COUNT_INCLUDE_PAD, DIVISOR, OUTPUT };
    struct pooling p;
    int32_t divisor = 0;
    read_pooling(call, -1, CEIL_MODE, OUTPUT, &p);
    bool include_padding = rl_call_bool(call, COUNT_INCLUDE_PAD);
    if (rl_call_kind(call, DIVISOR) != RL_PTE_NULL) {
        divisor = rl_call_int32(call, DIVISOR);
        rl_expect(call, divisor != 0, DIVISOR, "the divisor is zero");
    }
    if (!rl_call_ready(call) || p.output.bytes == 0) {
        return call->status;
    }
    const int32_t *sizes = p.output.sizes;
    for (int32_t n = 0; n < sizes[0]; n++) {
        for (int32_t c = 0; c < sizes[1]; c++) {
            for (int32_t y = 0; y < sizes[2]; y++) {
                for (int32_t x = 0; x < sizes[3]; x++) {
                    int32_t count = divisor;
                    const struct window window = window_at(&p, y, x, include_padding, &count);
                    const union rl_number mean = mean_of(&p, place_in(p.in, n, c, 0, 0), &window, count);
                    rl_store(&p.output, place_in(p.out, n, c, y, x), 0, p.real, &mean, 1);
                }
            }
        }
    }
    return RL_OK;
}

// Windows that divide the input as evenly as possible: from floor(i * size / windows) to before ceil((i + 1) * size /
// windows).
static struct window adaptive_window(const struct pooling *p, int32_t y, int32_t x)
{
    const int64_t height = p->input.sizes[2], width = p->input.sizes[3];
    const int64_t rows = p->output.sizes[2], columns = p->output.sizes[3];
    return (struct window){.top = (int32_t)rl_adaptive_begin(height, rows, y),
                           .bottom = (int32_t)rl_adaptive_end(height, rows, y),
                           .left = (int32_t)rl_adaptive_begin(width, columns, x),
                           .right = (int32_t)rl_adaptive_end(width, columns, x)};
}

enum rl_status RL_RUN(aten_adaptive_avg_pool2d_internal)(struct rl_call *call)
{
    enum { SIZE = 1, OUTPUT };
    struct pooling p;
    int32_t plane[2];
    read_input(call, &p);
    rl_bounded_ints(call, SIZE, plane, 2, 0, INT32_MAX);
    read_output(call, OUTPUT, &p, plane[0], plane[1], &p.output, &p.images[1]);
    rl_expect_type(call, OUTPUT, &p.output, p.input.dtype, 4);
    if (call->status != RL_OK) {
        return call->status;
    }
    const int32_t *sizes = p.output.sizes;
    rl_expect(call, p.input.bytes > 0 || p.output.bytes == 0, INPUT, "the input is empty");
    rl_tensor_element_strides(&p.input, p.in);
    rl_tensor_element_strides(&p.output, p.out);
    if (!rl_call_ready(call) || p.output.bytes == 0) {
        return call->status;
    }
    for (int32_t y = 0; y < sizes[2]; y++) {
        for (int32_t x = 0; x < sizes[3]; x++) {
            const struct window window = adaptive_window(&p, y, x);
            const int32_t count = (window.bottom - window.top) * (window.right - window.left);
            for (int32_t n = 0; n < sizes[0]; n++) {
                for (int32_t c = 0; c < sizes[1]; c++) {
                    const union rl_number mean = mean_of(&p, place_in(p.in, n, c, 0, 0), &window, count);
                    rl_store(&p.output, place_in(p.out, n, c, y, x), 0, p.real, &mean, 1);
                }
            }
        }
    }
    return RL_OK;
}
