// SPDX-License-Identifier: Apache-2.0
// What scalar/window_fours_thumb.h has for a Cortex-M0. Included by scalar/window_fours.h.
#ifndef RL_KERNELS_SCALAR_WINDOW_FOURS_PLAIN_H
#define RL_KERNELS_SCALAR_WINDOW_FOURS_PLAIN_H

enum { RL_HAS_WINDOW_FOURS = 0 };

static inline void rl_window_fours(const struct rl_window_fours *job)
{
    (void)job;
}

static inline void rl_window_shared(const struct rl_window_fours *job)
{
    (void)job;
}

static inline void rl_window_store(const struct rl_rescale *scale, struct rl_limits_s8 limits, int32_t channels,
                                   const int32_t *sums, int32_t step, int32_t positions, int8_t *output,
                                   ptrdiff_t stride)
{
    (void)scale, (void)limits, (void)channels, (void)sums, (void)step, (void)positions, (void)output, (void)stride;
}

#endif
