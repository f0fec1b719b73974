// SPDX-License-Identifier: Apache-2.0
// Each product of matrices is a fully connected layer whose filter is the right side.
#include "batch_matmul/batch_matmul.h"

#include "fully_connected/fully_connected.h"
#include "fully_connected/packed_product.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"

enum {
    SMALL_BLOCK = 16, // columns whose sums are kept on the stack at a time with Helium, if the scratch is too small
    PACKED_DEPTH = RL_HAS_THUMB2_LOOP && !RL_SMALL ? 8 : 0, // up to this depth, packed rows take longer than they save
};

// Keeps the sums of a block of columns at a time. Not inlined, so that the other paths do not have them on their stack.
static __attribute__((noinline)) void product_in_blocks(const struct rl_fully_connected *f, const int8_t *lhs,
                                                        int8_t *output)
{
    int32_t sums[SMALL_BLOCK];
    struct rl_fully_connected part = *f;
    part.folded = sums;
    part.rows = 1;
    for (int32_t first = 0; first < f->channels; first += SMALL_BLOCK) {
        part.weights = f->weights + (ptrdiff_t)first * f->depth;
        part.channels = rl_min_s32(f->channels - first, SMALL_BLOCK);
        rl_fully_connected_fold(&part, sums);
        rl_fully_connected_begin(&part);
        for (int32_t row = 0; row < f->rows; row++) {
            rl_fully_connected_run(&part, lhs + (ptrdiff_t)row * f->depth,
                                   output + (ptrdiff_t)row * f->channels + first, (struct rl_scratch){0});
        }
    }
}

void rl_batch_matmul_product(const struct rl_fully_connected *f, const int8_t *lhs, struct rl_scratch scratch,
                             int8_t *output)
{
    if (RL_HAS_MVE && f->rows > RL_BATCH_MATMUL_FEW) {
        if (!f->folded) {
            product_in_blocks(f, lhs, output);
            return;
        }
        rl_fully_connected_fold(f, scratch.memory);
    }
    if (!RL_HAS_DSP && f->rows > 2 && f->channels > 2 && f->depth > PACKED_DEPTH) {
        rl_packed_product(f, lhs, output);
        return;
    }
    rl_fully_connected_run_here(f, lhs, output);
}

enum rl_status rl_batch_matmul_prepare(struct rl_batch_matmul *layer)
{
    return rl_batch_matmul_begin(layer);
}

int32_t rl_batch_matmul_scratch(const struct rl_batch_matmul *layer, enum rl_isa isa)
{
    return isa == RL_ISA_MVE || isa == RL_ISA_ANY ? layer->right.w * (int32_t)sizeof(int32_t) : 0;
}

void rl_batch_matmul_run(const struct rl_batch_matmul *layer, const int8_t *left, const int8_t *right, int8_t *output,
                         struct rl_scratch scratch)
{
    rl_batch_matmul_each(layer, left, right, output, scratch);
}
