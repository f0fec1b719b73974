// SPDX-License-Identifier: Apache-2.0
// The loops of each kind of convolution (convolution.c): without Helium there are no kinds.
#ifndef RL_KERNELS_SCALAR_KINDS_NEST_H
#define RL_KERNELS_SCALAR_KINDS_NEST_H

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
