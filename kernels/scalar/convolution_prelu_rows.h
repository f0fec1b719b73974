// SPDX-License-Identifier: Apache-2.0
// Convolutions with a PReLU behind and plain weights: sums are kept, and scaled by their sign.
#ifndef RL_KERNELS_SCALAR_CONVOLUTION_PRELU_ROWS_H
#define RL_KERNELS_SCALAR_CONVOLUTION_PRELU_ROWS_H

#include "convolution/kept_sums.h"
#include "convolution/scale_prelu.h"

static void rl_prelu_rows(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS], int32_t count,
                          void *output, ptrdiff_t step)
{
    rl_matmul_sums(m, rows, count, output, step, rl_scale_sums_prelu);
}

static __attribute__((noinline)) void rl_prelu_plain_rows(const struct rl_convolution *c, const int8_t *input,
                                                          int8_t *output, struct rl_scratch scratch)
{
    rl_kept_sums_run(c, rl_prelu_rows, 1, NULL, input, output, scratch);
}

#endif
