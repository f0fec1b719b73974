// SPDX-License-Identifier: Apache-2.0
// rl_packed_store_simple with the assembler of scalar/packed_six_store.h, for a Cortex-M0. Included by
// scalar/matmul_tile.h.
#ifndef RL_KERNELS_SCALAR_PACKED_STORE_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_STORE_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/packed_store_plain.h"
#else
static inline bool rl_packed_rows_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows, uint32_t *words,
                                          int8_t *output)
{
    (void)m, (void)rows, (void)words, (void)output;
    return false;
}

static inline bool rl_packed_store_simple(const struct rl_matmul *m, int32_t first, int32_t channels,
                                          const struct rl_row_sums *sums, const struct rl_packed_rows *rows,
                                          int8_t *output)
{
    return rl_packed_rows_store(m->scale + first, false, m->output_min, m->output_max, channels, sums, rows, output);
}
#endif

#endif
