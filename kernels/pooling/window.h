// SPDX-License-Identifier: Apache-2.0
// The part of a pooling window that lies inside the image, and the walk over all windows.
#ifndef RL_KERNELS_POOLING_WINDOW_H
#define RL_KERNELS_POOLING_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "arm_nn_types.h"

// What a tile reduces: rows x columns pixels of `channels` elements; rows are row_stride elements apart.
struct rl_pool_window {
    int32_t rows;
    int32_t columns;
    int32_t row_stride;
    int32_t channels;
    int32_t min;
    int32_t max;
};

// Start and length, on one axis, of the part of window `index` inside an axis of `size` elements; the length
// is 0 or less when there is none.
struct rl_pool_span {
    int32_t start;
    int32_t length;
};

static inline struct rl_pool_span rl_pool_span(int32_t index, int32_t stride, int32_t padding, int32_t window,
                                               int32_t size)
{
    const int32_t first = index * stride - padding;
    const int32_t start = first > 0 ? first : 0;
    const int32_t end = first + window < size ? first + window : size;
    return (struct rl_pool_span){start, end - start};
}

// False when some window has no part inside the image.
static inline bool rl_pool_windows_touch_image(const cmsis_nn_pool_params *params, const cmsis_nn_dims *input,
                                               const cmsis_nn_dims *window, const cmsis_nn_dims *output)
{
    for (int32_t y = 0; y < output->h; y++) {
        if (rl_pool_span(y, params->stride.h, params->padding.h, window->h, input->h).length <= 0) {
            return output->w <= 0;
        }
    }
    for (int32_t x = 0; x < output->w; x++) {
        if (rl_pool_span(x, params->stride.w, params->padding.w, window->w, input->w).length <= 0) {
            return output->h <= 0;
        }
    }
    return true;
}

#endif
