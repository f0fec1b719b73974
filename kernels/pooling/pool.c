// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "requantize.h"
#include "rushlight/kernels/pooling.h"

// The sum of so many values of up to 255 is below 2^30.
enum { MOST_SCALED_ELEMENTS = 1 << 22 };

// Whether all windows of an axis have a part inside: the first one must end there, and the last one start there.
static bool all_inside(int32_t count, int32_t stride, int32_t padding, int32_t window, int32_t size)
{
    return size > 0 && stride >= 0 && window > rl_max_s32(padding, 0) && (count - 1) * stride - padding < size;
}

enum rl_status rl_pool_prepare(struct rl_pool *layer)
{
    const struct rl_image *in = &layer->input, *out = &layer->output;
    if (in->n < 1) {
        return RL_ERROR_ARGUMENT;
    }
    if (layer->kind == RL_POOL_MAXIMUM || out->h <= 0 || out->w <= 0) {
        return RL_OK;
    }
    const struct rl_extent *stride = &layer->stride, *padding = &layer->padding, *window = &layer->window;
    if (layer->kind == RL_POOL_SCALED_AVERAGE) {
        const int64_t elements = (int64_t)rl_min_s32(window->h, in->h) * rl_min_s32(window->w, in->w);
        if (elements > MOST_SCALED_ELEMENTS) {
            return RL_ERROR_ARGUMENT;
        }
    }
    const bool all = all_inside(out->h, stride->h, padding->h, window->h, in->h) &&
                     all_inside(out->w, stride->w, padding->w, window->w, in->w);
    return all ? RL_OK : RL_ERROR_ARGUMENT;
}

int32_t rl_pool_scratch(const struct rl_pool *layer, enum rl_isa isa)
{
    const bool is_planned = layer->kind == RL_POOL_AVERAGE && (isa == RL_ISA_DSP || isa == RL_ISA_ANY);
    return is_planned ? layer->input.c * (int32_t)sizeof(int32_t) : 0;
}
