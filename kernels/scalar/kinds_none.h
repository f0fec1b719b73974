// SPDX-License-Identifier: Apache-2.0
// The kinds of convolutions that only Helium has: elsewhere they run like all others.
#ifndef RL_KERNELS_SCALAR_KINDS_NONE_H
#define RL_KERNELS_SCALAR_KINDS_NONE_H

#include "convolution/convolution.h"

static inline void rl_kind_dense(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

static inline void rl_kind_short(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

static inline void rl_kind_windows(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

static inline void rl_kind_copied(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

#endif
