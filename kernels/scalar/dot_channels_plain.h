// SPDX-License-Identifier: Apache-2.0
// What scalar/dot_channels_thumb.h has for a Cortex-M0. Included by scalar/dot_channels.h.
#ifndef RL_KERNELS_SCALAR_DOT_CHANNELS_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_CHANNELS_PLAIN_H

enum { RL_HAS_DOT_CHANNELS = 0 };

static inline void rl_dot_channels(struct rl_dot_channels *job)
{
    (void)job;
}

#endif
