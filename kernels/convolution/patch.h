// SPDX-License-Identifier: Apache-2.0
// Copies the input values under the filter at one output position ("im2col"), padding where the filter hangs over.
#ifndef RL_KERNELS_CONVOLUTION_PATCH_H
#define RL_KERNELS_CONVOLUTION_PATCH_H

#include <stddef.h>

#include "rushlight/kernels/convolution.h"

// The data that the patches of one row of outputs share.
struct rl_patch_row {
    const struct rl_convolution *layer;
    const int8_t *input;
    int32_t in_y; // input row of the first filter row, may be outside
    int32_t line_bytes;
    int32_t run_bytes;   // bytes of a filter row
    int32_t above;       // filter rows above the input, where rows are runs
    int32_t present;     // filter rows on the input, where rows are runs
    int32_t last_inside; // patches that start in the columns 0 to here have no padding and are runs
};

// Row `y` of the outputs. `input` points at the batch and at the first channel of the group.
void rl_patch_row_start(struct rl_patch_row *row, const struct rl_convolution *c, const int8_t *input, int32_t y);

// Where the patch of output column `x` lies in the input: filter h runs of `run_bytes`, `line_bytes` apart. NULL when
// it has padding or gaps.
static inline const int8_t *rl_patch_inside(const struct rl_patch_row *row, int32_t x)
{
    const struct rl_convolution *c = row->layer;
    const int32_t in_x = x * c->stride.w - c->padding.w;
    if (in_x < 0 || in_x > row->last_inside) {
        return NULL;
    }
    return row->input + (ptrdiff_t)row->in_y * row->line_bytes + in_x * c->input.c;
}

// The patch of output column `x`: writes filter h * w * c bytes. Padding is minus the input offset: it contributes
// nothing once the offset is added.
void rl_patch_copy(const struct rl_patch_row *row, int32_t x, int8_t *patch);

// The same for layers whose rows are runs. A program that calls this alone has no loops for others.
void rl_patch_copy_runs(const struct rl_patch_row *row, int32_t x, int8_t *patch);

#endif
