// SPDX-License-Identifier: Apache-2.0
#include "convolution/patch_cut.h"

void rl_patch_copy_runs(const struct rl_patch_row *row, int32_t x, int8_t *patch)
{
    const struct rl_convolution *c = row->layer;
    const int8_t *from = rl_patch_inside(row, x);
    int32_t count = row->run_bytes;
    if (!from) {
        from = rl_patch_cut(row, x * c->stride.w - c->padding.w, &patch, &count);
    }
    if (from) {
        rl_copy_runs_s8(patch, row->run_bytes, from, row->line_bytes, count, row->present);
    }
}
