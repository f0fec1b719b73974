// SPDX-License-Identifier: Apache-2.0
#include "reference_convolution.h"

static int64_t sum_at(const struct reference_convolution *r, int32_t n, int32_t y, int32_t x, int32_t channel)
{
    const cmsis_nn_dims *in = &r->input;
    const int32_t groups = in->c / r->depth;
    const int32_t first = channel / (r->output.c / groups) * r->depth;
    int64_t sum = 0;
    for (int32_t i = 0; i < r->height; i++) {
        for (int32_t j = 0; j < r->width; j++) {
            const int32_t row = y * r->stride.h - r->padding.h + i * r->dilation.h;
            const int32_t column = x * r->stride.w - r->padding.w + j * r->dilation.w;
            if (row < 0 || row >= in->h || column < 0 || column >= in->w) {
                continue;
            }
            for (int32_t k = 0; k < r->depth; k++) {
                const int32_t tap = i * r->width + j;
                const int32_t weight =
                    r->depthwise ? tap * r->output.c + channel : (channel * r->height * r->width + tap) * r->depth + k;
                const int32_t value = ((n * in->h + row) * in->w + column) * in->c + first + k;
                sum += (int64_t)r->values[value] * r->weights[weight];
            }
        }
    }
    return sum;
}

void reference_convolution_sums(const struct reference_convolution *r, int64_t *sums)
{
    for (int32_t n = 0; n < r->output.n; n++) {
        for (int32_t y = 0; y < r->output.h; y++) {
            for (int32_t x = 0; x < r->output.w; x++) {
                for (int32_t channel = 0; channel < r->output.c; channel++) {
                    *sums++ = sum_at(r, n, y, x, channel);
                }
            }
        }
    }
}

struct axis {
    int32_t input, filter, stride, padding, dilation, output;
};

static struct axis random_axis(struct rl_case *c, int32_t largest_input, int32_t largest_filter,
                               int32_t largest_dilation)
{
    struct axis a = {.input = rl_random_in(c, 1, largest_input),
                     .filter = rl_random_in(c, 1, largest_filter),
                     .stride = rl_random_in(c, 1, 3),
                     .dilation = rl_random_in(c, 1, largest_dilation)};
    const int32_t reach = (a.filter - 1) * a.dilation;
    a.padding = rl_random_in(c, 0, reach);
    const int32_t room = a.input + a.padding + rl_random_in(c, 0, reach > 0 ? a.padding + 1 : 0) - reach - 1;
    a.output = room < 0 ? 1 : room / a.stride + 1;
    return a;
}

void reference_convolution_random(struct rl_case *c, int32_t largest_input, int32_t largest_filter,
                                  int32_t largest_dilation, struct reference_convolution *r)
{
    const struct axis h = random_axis(c, largest_input, largest_filter, largest_dilation);
    const struct axis w = random_axis(c, largest_input, largest_filter, largest_dilation);
    r->input = (cmsis_nn_dims){rl_random_in(c, 1, 2), h.input, w.input, 0};
    r->output = (cmsis_nn_dims){r->input.n, h.output, w.output, 0};
    r->height = h.filter;
    r->width = w.filter;
    r->stride = (cmsis_nn_tile){w.stride, h.stride};
    r->padding = (cmsis_nn_tile){w.padding, h.padding};
    r->dilation = (cmsis_nn_tile){w.dilation, h.dilation};
}

void reference_convolution_begin(struct rl_case *c, const struct reference_convolution *r)
{
    rl_case_begin(
        c, "in %ldx%ldx%ldx%ld filter %ldx%ldx%ld out %ldx%ldx%ld stride %ld,%ld pad %ld,%ld dilation %ld,%ld",
        (long)r->input.n, (long)r->input.h, (long)r->input.w, (long)r->input.c, (long)r->height, (long)r->width,
        (long)r->depth, (long)r->output.h, (long)r->output.w, (long)r->output.c, (long)r->stride.h, (long)r->stride.w,
        (long)r->padding.h, (long)r->padding.w, (long)r->dilation.h, (long)r->dilation.w);
}
