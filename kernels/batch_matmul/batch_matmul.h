// SPDX-License-Identifier: Apache-2.0
// rl_batch_matmul_prepare and rl_batch_matmul_run, inlined, because small products take little longer than two calls
// that pass a structure through memory.
#ifndef RL_KERNELS_BATCH_MATMUL_BATCH_MATMUL_H
#define RL_KERNELS_BATCH_MATMUL_BATCH_MATMUL_H

#include <stddef.h>

#include "batch_matmul/columns_s16.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"
#include "rushlight/kernels/batch_matmul.h"

// Rows of a product up to which Helium adds up the right side along with the products.
enum { RL_BATCH_MATMUL_FEW = 2 };

static inline bool rl_batch_matmul_goes(const struct rl_image *side, const struct rl_image *output)
{
    return (side->n == 1 || side->n == output->n) && (side->h == 1 || side->h == output->h);
}

static inline struct rl_extent rl_batch_matmul_steps(const struct rl_image *side, int32_t depth)
{
    const int32_t matrix = side->w * depth;
    return (struct rl_extent){.h = side->h == 1 ? 0 : matrix, .w = side->n == 1 ? 0 : side->h * matrix};
}

static inline enum rl_status rl_batch_matmul_begin(struct rl_batch_matmul *layer)
{
    if (!rl_batch_matmul_goes(&layer->left, &layer->output) || !rl_batch_matmul_goes(&layer->right, &layer->output)) {
        return RL_ERROR_ARGUMENT;
    }
    layer->left_step = rl_batch_matmul_steps(&layer->left, layer->right.c);
    layer->right_step = rl_batch_matmul_steps(&layer->right, layer->right.c);
    return RL_OK;
}

// One product: `f` has the right side for weights.
void rl_batch_matmul_product(const struct rl_fully_connected *f, const int8_t *left, struct rl_scratch scratch,
                             int8_t *output);

static inline __attribute__((always_inline)) void rl_batch_matmul_each(const struct rl_batch_matmul *layer,
                                                                       const int8_t *left, const int8_t *right,
                                                                       int8_t *output, struct rl_scratch scratch)
{
    const bool folds =
        RL_HAS_MVE && layer->left.w > RL_BATCH_MATMUL_FEW && scratch.bytes >= layer->right.w * (int32_t)sizeof(int32_t);
    struct rl_fully_connected f; // set field by field: clearing it would take longer than a small product
    f.rows = layer->left.w;
    f.depth = layer->right.c;
    f.channels = layer->right.w;
    f.bias = NULL;
    f.scales = (struct rl_scales){NULL, NULL};
    f.scale = layer->scale;
    f.input_offset = layer->left_offset;
    f.weight_offset = layer->right_offset;
    f.output_offset = layer->output_offset;
    f.range = layer->range;
    f.folded = folds ? scratch.memory : NULL;
    rl_fully_connected_begin(&f);
    for (int32_t n = 0; n < layer->output.n; n++) {
        for (int32_t h = 0; h < layer->output.h; h++) {
            f.weights = right + n * layer->right_step.w + h * layer->right_step.h;
            rl_batch_matmul_product(&f, left + n * layer->left_step.w + h * layer->left_step.h, scratch, output);
            output += f.rows * f.channels;
        }
    }
}

// One product of int16. Of the job, `depth`, the scale and the limits are set.
void rl_batch_matmul_s16_product(struct rl_columns_s16 *job, int32_t rows, int32_t columns, const int16_t *left,
                                 const int16_t *right, int16_t *output);

static inline __attribute__((always_inline)) void rl_batch_matmul_s16_each(const struct rl_batch_matmul *layer,
                                                                           const int16_t *left, const int16_t *right,
                                                                           int16_t *output)
{
    const int32_t rows = layer->left.w, columns = layer->right.w;
    struct rl_columns_s16 job; // set field by field, as above
    job.depth = layer->right.c;
    job.multiplier = rl_reduce_multiplier(layer->scale.multiplier);
    job.shift = layer->scale.shift;
    job.low = layer->range.min;
    job.high = layer->range.max;
    for (int32_t n = 0; n < layer->output.n; n++) {
        for (int32_t h = 0; h < layer->output.h; h++) {
            const int16_t *lhs = left + n * layer->left_step.w + h * layer->left_step.h;
            const int16_t *rhs = right + n * layer->right_step.w + h * layer->right_step.h;
            rl_batch_matmul_s16_product(&job, rows, columns, lhs, rhs, output);
            output += rows * columns;
        }
    }
}

#endif
