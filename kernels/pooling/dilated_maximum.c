// SPDX-License-Identifier: Apache-2.0
//
// Dilated windows are rare, so one plain loop serves all cores.
#include "pooling/window.h"
#include "rushlight/kernels/pooling.h"

// The pixels of one window along an axis: from `first` in steps of `step`, before `end`.
struct pixels {
    int32_t first, step, end;
};

// Those of window `index` inside an axis of `size` pixels.
static struct pixels pixels_inside(int32_t index, int32_t stride, int32_t padding, int32_t window, int32_t dilation,
                                   int32_t size)
{
    int32_t first = index * stride - padding;
    int32_t left = window;
    for (; first < 0 && left > 0; left--) {
        first += dilation;
    }
    const int32_t room = size > first ? (size - first - 1) / dilation + 1 : 0;
    const int32_t count = rl_min_s32(left, room);
    return (struct pixels){first, dilation, count > 0 ? first + (count - 1) * dilation + 1 : first};
}

static void reduce(const struct rl_pool *layer, const struct pixels *rows, const struct pixels *columns,
                   const int8_t *image, int8_t *output)
{
    const struct rl_range range = layer->range;
    const int32_t channels = layer->input.c, width = layer->input.w;
    for (int32_t c = 0; c < channels; c++) {
        int32_t maximum = INT8_MIN;
        for (int32_t y = rows->first; y < rows->end; y += rows->step) {
            for (int32_t x = columns->first; x < columns->end; x += columns->step) {
                maximum = rl_max_s32(maximum, image[(y * width + x) * channels + c]);
            }
        }
        output[c] = (int8_t)rl_clamp_s32(maximum, range.min, range.max);
    }
}

void rl_dilated_maximum_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output)
{
    const struct rl_image *in = &layer->input;
    const struct rl_extent *stride = &layer->stride, *padding = &layer->padding, *window = &layer->window;
    for (int32_t n = 0; n < in->n; n++) {
        for (int32_t y = 0; y < layer->output.h; y++) {
            const struct pixels rows = pixels_inside(y, stride->h, padding->h, window->h, layer->dilation.h, in->h);
            for (int32_t x = 0; x < layer->output.w; x++) {
                const struct pixels columns =
                    pixels_inside(x, stride->w, padding->w, window->w, layer->dilation.w, in->w);
                reduce(layer, &rows, &columns, input, output);
                output += in->c;
            }
        }
        input += in->h * in->w * in->c;
    }
}
