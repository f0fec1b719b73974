// SPDX-License-Identifier: Apache-2.0
// What scalar/store_s8_thumb.h has for a Cortex-M0. Included by scalar/store_s8.h.
#ifndef RL_KERNELS_SCALAR_STORE_S8_PLAIN_H
#define RL_KERNELS_SCALAR_STORE_S8_PLAIN_H

enum { RL_HAS_STORE_S8 = 0 };

static inline void rl_store_some_s8(struct rl_store_s8 *job)
{
    (void)job;
}

#endif
