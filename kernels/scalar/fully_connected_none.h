// SPDX-License-Identifier: Apache-2.0
// What dsp/fully_connected_tile.h has for small layers, on cores that run them as any others.
#ifndef RL_KERNELS_SCALAR_FULLY_CONNECTED_NONE_H
#define RL_KERNELS_SCALAR_FULLY_CONNECTED_NONE_H

#include "fully_connected/fully_connected.h"

static inline bool rl_fully_connected_has_small_rows(const struct rl_fully_connected *f)
{
    (void)f;
    return false;
}

static inline bool rl_fully_connected_is_small(const struct rl_fully_connected *f)
{
    (void)f;
    return false;
}

static inline void rl_fully_connected_small(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    (void)f;
    (void)input;
    (void)output;
}

static inline bool rl_fully_connected_has_short_rows(const struct rl_fully_connected *f)
{
    (void)f;
    return false;
}

static inline bool rl_fully_connected_is_short(const struct rl_fully_connected *f)
{
    (void)f;
    return false;
}

static inline void rl_fully_connected_short(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    (void)f;
    (void)input;
    (void)output;
}

static inline bool rl_fully_connected_suits_threes(const struct rl_fully_connected *f)
{
    (void)f;
    return false;
}

static inline void rl_fully_connected_threes(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                             int8_t *output, ptrdiff_t step)
{
    (void)f;
    (void)input;
    (void)constant;
    (void)output;
    (void)step;
}

#endif
