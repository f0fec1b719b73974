// SPDX-License-Identifier: Apache-2.0
// The direction of the lines of a depthwise nest. rl_plane_takes, rl_plane_computed and rl_plane_fit_block must
// be defined before this is included: see planes.h.
#ifndef RL_KERNELS_DEPTHWISE_PLANE_AXES_H
#define RL_KERNELS_DEPTHWISE_PLANE_AXES_H

#include "depthwise/planes.h"

// Tries both directions with `room` bytes of scratch, first the one in which fewer outputs are computed. False if lines
// can go in neither, and for channels and multipliers that the nest does not take.
// Not inlined, because the function that runs the planes has the deepest stack of many networks.
static __attribute__((noinline)) bool rl_plane_choose_axes(const struct rl_depthwise *d, int32_t room,
                                                           struct rl_plane_axes *axes, struct rl_plane_block *b)
{
    if (!rl_plane_takes(d->output.c, d->multiplier)) {
        return false;
    }
    rl_plane_axes_of(d, false, axes);
    const bool down = rl_plane_computed(&axes->across, &axes->along) < rl_plane_computed(&axes->along, &axes->across);
    rl_plane_axes_of(d, down, axes);
    if (rl_plane_fit_block(axes, room, b)) {
        return true;
    }
    rl_plane_axes_of(d, !down, axes);
    return rl_plane_fit_block(axes, room, b);
}

#endif
