// SPDX-License-Identifier: Apache-2.0
#include "batch_matmul/batch_matmul.h"

#include "isa.h"
#include RL_TILE(columns_s16_tile.h)

void rl_batch_matmul_s16_product(struct rl_columns_s16 *job, int32_t rows, int32_t columns, const int16_t *left,
                                 const int16_t *right, int16_t *output)
{
    if (columns == 1) { // a single column and the rows change places, because columns are multiplied two at a time
        const int16_t *column = right;
        right = left;
        left = column;
        columns = rows;
        rows = 1;
    }
    for (; rows > 0; rows--, left += job->depth, output += columns) {
        job->row = left;
        job->columns = right;
        job->count = columns;
        job->output = output;
        rl_columns_s16(job);
    }
}

void rl_batch_matmul_s16_run(const struct rl_batch_matmul *layer, const int16_t *left, const int16_t *right,
                             int16_t *output)
{
    rl_batch_matmul_s16_each(layer, left, right, output);
}
