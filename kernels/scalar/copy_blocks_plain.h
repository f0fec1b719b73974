// SPDX-License-Identifier: Apache-2.0
// What scalar/copy_blocks_thumb.h has for a Cortex-M0. Included by scalar/copy_blocks.h.
#ifndef RL_KERNELS_SCALAR_COPY_BLOCKS_PLAIN_H
#define RL_KERNELS_SCALAR_COPY_BLOCKS_PLAIN_H

enum { RL_HAS_COPY_BLOCKS = 0 };

static inline void rl_copy_blocks_s8(int8_t *to, const int8_t *from, int32_t blocks)
{
    (void)to, (void)from, (void)blocks;
}

#endif
