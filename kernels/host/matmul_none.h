// SPDX-License-Identifier: Apache-2.0
// Where there is no other loop than that of scalar/matmul_tile.h.
#ifndef RL_KERNELS_HOST_MATMUL_NONE_H
#define RL_KERNELS_HOST_MATMUL_NONE_H

#include "convolution/matmul.h"
#include "scalar/packed_rows.h"

static inline bool rl_host_four_rows(const struct rl_matmul *m, const struct rl_packed_rows *rows, int8_t *output)
{
    (void)m;
    (void)rows;
    (void)output;
    return false;
}

#endif
