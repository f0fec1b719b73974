// SPDX-License-Identifier: Apache-2.0
//
// The size of an operator's result along one dimension, for compiler and runtime. Freestanding, and inline, so that
// firmware links only the functions that it calls. Sizes are 0 to INT32_MAX unless a comment says otherwise.
#ifndef RL_OPS_SIZES_H
#define RL_OPS_SIZES_H

#include <stdbool.h>
#include <stdint.h>

// A window that moves along one dimension: `kernel` elements that lie `dilation` apart, at every `stride`-th place of
// the input with `padding` elements at each end. Stride and dilation are at least 1, and so is the kernel unless the
// dilation is 1. Windows are counted in 32 bits. The span and the padded input must fit them, as they do if no amount
// is above 32767.
struct rl_window {
    int32_t kernel, stride, padding, dilation;
};

// The elements from the first to the last one of a window.
static inline uint32_t rl_window_span(const struct rl_window *window)
{
    return (uint32_t)window->dilation * (uint32_t)(window->kernel - 1) + 1;
}

// The number of places of a window, which is the size of a convolution's output. UINT32_MAX, which is not a size, if
// the padded input is too short for one.
static inline uint32_t rl_count_windows(uint32_t size, const struct rl_window *window)
{
    const uint32_t padded = size + 2 * (uint32_t)window->padding, span = rl_window_span(window);
    return padded < span ? UINT32_MAX : (padded - span) / (uint32_t)window->stride + 1;
}

// The places of a pooling window by PyTorch's rules, with padding of at most half of the kernel. In ceil mode the last
// one may hang over at the far end by less than a stride, but does not start in the padding there. UINT32_MAX as above.
static inline uint32_t rl_count_pool_windows(uint32_t size, const struct rl_window *window, bool ceil_mode)
{
    const uint32_t stride = (uint32_t)window->stride;
    if (!ceil_mode) {
        return rl_count_windows(size, window);
    }
    const uint32_t count = rl_count_windows(size + stride - 1, window);
    const bool starts_behind = count != UINT32_MAX && (count - 1) * stride >= size + (uint32_t)window->padding;
    return starts_behind ? count - 1 : count;
}

// The size of a transposed convolution's output: the span that the windows of all elements of a non-empty input cover,
// without the padding, and `extra` elements at the far end (PyTorch's output_padding). Negative if padding is larger
// than the span.
static inline int64_t rl_transposed_size(int32_t size, const struct rl_window *window, int32_t extra)
{
    return (size - 1) * (int64_t)window->stride + rl_window_span(window) - 2 * (int64_t)window->padding + extra;
}

// Adaptive pooling divides an input into `count` windows, not 0, of about the same size, as PyTorch's documentation
// says: window `index` lies from its begin to before its end.
static inline int64_t rl_adaptive_begin(int64_t size, int64_t count, int64_t index)
{
    return index * size / count;
}

static inline int64_t rl_adaptive_end(int64_t size, int64_t count, int64_t index)
{
    return ((index + 1) * size + count - 1) / count;
}

// The size that two sizes broadcast to if they are equal or one of them is 1.
static inline int64_t rl_broadcast_size(int64_t a, int64_t b)
{
    return a == 1 ? b : a;
}

// A bound of a slice, which may be any number, as PyTorch reads it: counted from the end if negative, and limited to
// both ends.
static inline int64_t rl_slice_bound(int64_t number, int64_t size)
{
    const int64_t from_start = number < 0 ? number + size : number;
    if (from_start < 0) {
        return 0;
    }
    return from_start > size ? size : from_start;
}

#endif
