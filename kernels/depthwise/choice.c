// SPDX-License-Identifier: Apache-2.0
#include "depthwise/choice.h"

#include "elementwise/rescale.h"

// Whether planes of every core, and points, take the scales and biases of all channels.
static bool scales_are_simple(const struct rl_depthwise *d)
{
    return rl_rescale_fits_all(d->output_offset, d->scales, d->bias, INT32_C(1) << 28, d->output.c);
}

void rl_depthwise_prepare_for(struct rl_depthwise *d, enum rl_isa isa)
{
    d->by_windows = rl_depthwise_by_windows(d, isa, false, false);
}

enum rl_depthwise_loops rl_depthwise_loops(const struct rl_depthwise *d, enum rl_isa isa)
{
    const bool windows = rl_depthwise_by_windows(d, isa, false, false);
    if (d->multiplier != 1 || isa == RL_ISA_ANY || windows != rl_depthwise_by_windows(d, isa, true, false)) {
        return RL_DEPTHWISE_ALL_LOOPS;
    }
    if (windows) {
        const bool is_narrow = d->output.c <= RL_DEPTHWISE_NARROW;
        if (is_narrow || d->dilation.h < 1 || d->dilation.w < 1) {
            return RL_DEPTHWISE_ALL_LOOPS;
        }
        const bool points = isa == RL_ISA_DSP && rl_depthwise_suits_points(d) && scales_are_simple(d);
        return points ? RL_DEPTHWISE_POINTS : RL_DEPTHWISE_WINDOWS;
    }
    return rl_depthwise_fits_planes(d) && scales_are_simple(d) ? RL_DEPTHWISE_PLANES : RL_DEPTHWISE_ALL_LOOPS;
}
