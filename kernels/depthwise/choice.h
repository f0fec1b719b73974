// SPDX-License-Identifier: Apache-2.0
// Which loops run an int8 depthwise convolution, for every instruction set. It is plain arithmetic: on a core
// rl_depthwise_prepare asks for its own, and a compiler on the host for that of its target.
#ifndef RL_KERNELS_DEPTHWISE_CHOICE_H
#define RL_KERNELS_DEPTHWISE_CHOICE_H

#include "depthwise/choice_dsp.h"
#include "depthwise/choice_mve.h"
#include "depthwise/choice_scalar.h"

// Whether outputs are computed one by one instead of by planes or as a convolution. `thumb2` is RL_HAS_THUMB2_LOOP of
// the core, `small` its RL_SMALL (isa.h).
static inline bool rl_depthwise_by_windows(const struct rl_depthwise *d, enum rl_isa isa, bool thumb2, bool small)
{
    if (isa == RL_ISA_MVE) {
        return rl_depthwise_by_windows_mve(d, small);
    }
    if (small) {
        return false;
    }
    return isa == RL_ISA_DSP ? rl_depthwise_by_windows_dsp(d) : rl_depthwise_by_windows_scalar(d, thumb2);
}

#endif
