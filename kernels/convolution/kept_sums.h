// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions whose sums are kept and then scaled by a function of the layer's kind. RL_MATMUL_ROWS
// outputs at a time, from where their inputs lie next to each other, else from copies of patches.
#ifndef RL_KERNELS_CONVOLUTION_KEPT_SUMS_H
#define RL_KERNELS_CONVOLUTION_KEPT_SUMS_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "convolution/prepacked.h"
#include "isa.h"

#include RL_TILE(matmul_s16_tile.h)

enum { RL_KEPT_SPREAD = RL_CONVOLUTION_PRELU_DEPTH }; // bytes of prepacked weights that are spread at a time

// Computes the outputs of 1 to RL_MATMUL_ROWS rows, whose positions are `step` elements apart. m->work is that of the
// tile.
typedef void rl_kept_rows(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS], int32_t count,
                          void *output, ptrdiff_t step);

// Where outputs go: `element` bytes each.
struct rl_kept_outputs {
    int8_t *next;
    ptrdiff_t step; // elements from one position to the next
    int32_t element;
};

static inline __attribute__((always_inline)) void rl_kept_sums_dense(const struct rl_matmul *m, rl_kept_rows *run,
                                                                     const int8_t *input, int32_t outputs,
                                                                     struct rl_kept_outputs to)
{
    for (; outputs > 0; outputs -= RL_MATMUL_ROWS, to.next += RL_MATMUL_ROWS * to.step * to.element) {
        const int8_t *rows[RL_MATMUL_ROWS];
        const int32_t count = rl_min_s32(outputs, RL_MATMUL_ROWS);
        for (int32_t i = 0; i < count; i++, input += m->depth) {
            rows[i] = input;
        }
        run(m, rows, count, to.next, to.step);
    }
}

// `copies` has room for `most` patches.
static inline __attribute__((always_inline)) void rl_kept_sums_patches(const struct rl_matmul *m, rl_kept_rows *run,
                                                                       const struct rl_convolution *c,
                                                                       const int8_t *image, int8_t *copies,
                                                                       int32_t most, struct rl_kept_outputs to)
{
    const int32_t depth = m->depth;
    const int8_t *rows[RL_MATMUL_ROWS];
    int32_t filled = 0;
    for (int32_t line = 0; line < c->input.n * c->output.h; line++) {
        const int32_t batch = line / c->output.h;
        struct rl_patch_row row;
        rl_patch_row_start(&row, c, image + (ptrdiff_t)batch * c->input.h * c->input.w * c->input.c,
                           line - batch * c->output.h);
        for (int32_t x = 0; x < c->output.w; x++) {
            int8_t *copy = copies + (ptrdiff_t)filled * depth;
            rows[filled] = row.run_bytes == depth ? rl_patch_inside(&row, x) : NULL;
            if (!rows[filled]) {
                rl_patch_copy(&row, x, copy);
                rows[filled] = copy;
            }
            if (++filled == most) {
                run(m, rows, filled, to.next, to.step);
                to.next += filled * to.step * to.element;
                filled = 0;
            }
        }
    }
    if (filled > 0) {
        run(m, rows, filled, to.next, to.step);
    }
}

// Prepares the channels from `first` on, at most `most`. `spread` is memory for their weights if they are prepacked.
static inline void rl_kept_sums_begin(struct rl_matmul *m, const struct rl_convolution *c, int32_t first, int32_t most,
                                      int8_t *spread)
{
    m->channels = rl_min_s32(most, c->output.c - first);
    m->filter = c->weights + (ptrdiff_t)first * m->depth;
    if (spread) {
        rl_spread_prepacked(c->weights, m->depth, first * m->depth, m->channels * m->depth, spread);
        m->filter = spread;
    }
    m->multiplier = c->scales.multiplier + first;
    m->negative = m->multiplier + c->output.c; // read for a PReLU only
    m->shift = c->scales.shift + first;
    m->right_shifts_only = true;
    for (int32_t i = 0; i < m->channels; i++) {
        const int8_t *filter = m->filter + (ptrdiff_t)i * m->depth;
        m->bias[i] = rl_convolution_base(c, first + i, filter, m->depth);
        m->right_shifts_only = m->right_shifts_only && m->shift[i] < 0;
    }
}

// Runs the layer. `element`, the bytes of an output, and `run` are constants; `spread` is NULL or RL_KEPT_SPREAD bytes.
static inline __attribute__((always_inline)) void rl_kept_sums_run(const struct rl_convolution *c, rl_kept_rows *run,
                                                                   int32_t element, int8_t *spread, const int8_t *input,
                                                                   void *output, struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), all = rl_min_s32(c->output.c, RL_CHANNEL_BLOCK);
    const int32_t block = spread ? rl_min_s32(all, RL_KEPT_SPREAD / depth) : all;
    const bool is_copied = !c->dense && c->path != RL_CONVOLUTION_POINTWISE && depth > 0;
    const int32_t most = is_copied ? rl_min_s32(scratch.bytes / depth, RL_MATMUL_ROWS) : RL_MATMUL_ROWS;
    const int32_t bytes = rl_matmul_s16_bytes(depth, block);
    int8_t *const copies = scratch.memory;
    scratch = rl_scratch_rest(scratch, is_copied ? most * depth : 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_matmul m;
    m.bias = rl_scratch_memory(scratch, bytes, stack);
    m.work = m.bias + rl_even(block);
    m.depth = depth;
    m.output_offset = c->output_offset;
    m.output_min = c->range.min;
    m.output_max = c->range.max;
    for (int32_t first = 0; first < c->output.c; first += block) {
        const struct rl_kept_outputs to = {(int8_t *)output + first * element, c->output.c, element};
        rl_kept_sums_begin(&m, c, first, block, spread);
        if (c->dense) {
            rl_kept_sums_dense(&m, run, input, rl_convolution_outputs(c), to);
        } else {
            rl_kept_sums_patches(&m, run, c, input, copies, most, to);
        }
    }
}

#endif
