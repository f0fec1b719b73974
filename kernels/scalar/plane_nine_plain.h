// SPDX-License-Identifier: Apache-2.0
// rl_plane_nine in portable C. Included by scalar/plane_nine.h.
#ifndef RL_KERNELS_SCALAR_PLANE_NINE_PLAIN_H
#define RL_KERNELS_SCALAR_PLANE_NINE_PLAIN_H

#include "scalar/plane_taps_plain.h"

static inline void rl_plane_nine(struct rl_plane_job *job)
{
    rl_plane_taps(job);
}

#endif
