// SPDX-License-Identifier: Apache-2.0
// What scalar/dot_row_thumb.h has for a Cortex-M0, where the C of scalar/dot_tile.h is as fast. Included by
// scalar/dot_tile.h.
#ifndef RL_KERNELS_SCALAR_DOT_ROW_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_ROW_PLAIN_H

enum { RL_HAS_DOT_ROW = 0 };

static inline int32_t rl_dot_row(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    (void)x, (void)offset, (void)w, (void)count;
    return 0;
}

#endif
