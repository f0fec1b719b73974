// SPDX-License-Identifier: Apache-2.0
// Filters are packed on a Cortex-M0 alone. Included by scalar/packed_filters.h.
#ifndef RL_KERNELS_SCALAR_PACKED_FILTERS_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_FILTERS_PLAIN_H

static inline bool rl_filters_run(const struct rl_matmul *m, const struct rl_filters_rows *rows, int8_t *output)
{
    (void)m, (void)rows, (void)output;
    return false;
}

#endif
