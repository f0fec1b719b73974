// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H

#include "depthwise/window.h"
#include "isa.h"

// Planes compute pairs of rows and of columns, so odd numbers of both cost them more.
enum { RL_DEPTHWISE_FEW_OUTPUTS = 13, RL_DEPTHWISE_FEW_ODD_OUTPUTS = 26 };

static inline bool rl_depthwise_suits_windows(const struct rl_depthwise *d)
{
    if (RL_SMALL) {
        return false;
    }
    if (d->multiplier > 1) {
        return d->input.c > 1;
    }
    const bool odd = (d->output.h & d->output.w & 1) != 0;
    const int32_t few = odd ? RL_DEPTHWISE_FEW_ODD_OUTPUTS : RL_DEPTHWISE_FEW_OUTPUTS;
    return rl_depthwise_wastes_planes(d) || d->output.h * d->output.w < few;
}

static inline int32_t rl_depthwise_run_together(const struct rl_depthwise *d, const struct rl_depthwise_steps *step,
                                                const struct rl_depthwise_window *window, int32_t first, int32_t end,
                                                int8_t *output)
{
    (void)d;
    (void)step;
    (void)window;
    (void)end;
    (void)output;
    return first;
}

// Scalar cores have no vectors.
static inline bool rl_depthwise_run_vectors(const struct rl_depthwise *d, int32_t first, int32_t end,
                                            const int8_t *input, int8_t *output)
{
    (void)d;
    (void)first;
    (void)end;
    (void)input;
    (void)output;
    return false;
}

#endif
