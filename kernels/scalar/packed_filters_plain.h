// SPDX-License-Identifier: Apache-2.0
// Filters are packed on a Cortex-M0 alone. Included by scalar/packed_filters.h.
#ifndef RL_KERNELS_SCALAR_PACKED_FILTERS_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_FILTERS_PLAIN_H

static bool rl_filters_run(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t step, int32_t count, int8_t *output,
                           ptrdiff_t output_stride)
{
    (void)m, (void)rows, (void)step, (void)count, (void)output, (void)output_stride;
    return false;
}

#endif
