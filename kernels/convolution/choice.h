// SPDX-License-Identifier: Apache-2.0
// Which int8 convolutions run as fully connected layers, for every instruction set. It is plain arithmetic: on a core
// rl_convolution_run asks for its own, and a compiler on the host for that of its target.
#ifndef RL_KERNELS_CONVOLUTION_CHOICE_H
#define RL_KERNELS_CONVOLUTION_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/convolution.h"

// What the choice depends on. `thumb2` is RL_HAS_THUMB2_LOOP of the core, `small` its RL_SMALL (isa.h). A constant in
// kernels.
struct rl_convolution_core {
    enum rl_isa isa;
    bool thumb2;
    bool small;
};

enum {
    RL_CONVOLUTION_CHANNEL_PIXELS = 8, // outputs that repay each channel after the first on Helium
    // Filters so short that expanding and packing rows does not pay, for as many channels.
    RL_CONVOLUTION_SHORT_DEPTH = 16,
    RL_CONVOLUTION_SHORT_CHANNELS = 4,
};

// The number of output positions.
static inline int32_t rl_convolution_outputs(const struct rl_convolution *c)
{
    return c->input.n * c->output.h * c->output.w;
}

// Whether the layer has so few outputs that they run as rows of a fully connected layer.
static inline bool rl_convolution_has_few_outputs(const struct rl_convolution *c, struct rl_convolution_core core)
{
    const bool has_mve = core.isa == RL_ISA_MVE;
    return c->dense && (has_mve || !core.small) && rl_convolution_outputs(c) <= (has_mve ? 1 : 2);
}

// Whether the layer has so few channels that their filters run as rows, for the outputs that it has.
static inline bool rl_convolution_has_few_channels(const struct rl_convolution *c, struct rl_convolution_core core)
{
    const bool has_mve = core.isa == RL_ISA_MVE;
    if (!c->dense || (core.small && !has_mve)) {
        return false;
    }
    const int32_t few = has_mve || core.isa == RL_ISA_DSP ? 3 : 1;
    const bool is_short = !has_mve && (core.isa == RL_ISA_DSP || core.thumb2) &&
                          c->filter.h * c->filter.w * c->filter_channels <= RL_CONVOLUTION_SHORT_DEPTH;
    return c->output.c <= (is_short ? RL_CONVOLUTION_SHORT_CHANNELS : few) &&
           rl_convolution_outputs(c) > (has_mve ? RL_CONVOLUTION_CHANNEL_PIXELS : 0) * (c->output.c - 1);
}

#endif
