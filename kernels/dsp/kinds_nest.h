// SPDX-License-Identifier: Apache-2.0
// The loops of each kind of convolution (convolution.c): there are none, because pixels under a stride are patches that
// are expanded from where they lie.
#ifndef RL_KERNELS_DSP_KINDS_NEST_H
#define RL_KERNELS_DSP_KINDS_NEST_H

#include "convolution/convolution.h"
#include "scalar/kinds_none.h" // IWYU pragma: export

// Not called here.
static inline void rl_kind_pixels(const struct rl_convolution_state *s, const int8_t *images, int8_t *output)
{
    rl_convolution_run_block(s, images, output);
}

#endif
