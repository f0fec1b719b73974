// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DATA_MOVEMENT_COPY_LONG_H
#define RL_KERNELS_DATA_MOVEMENT_COPY_LONG_H

#include <stdint.h>

#include "isa.h"

// Whether rl_copy_long_s8 pays, and from how many bytes on, alone and for runs one after another: not in small code,
// and not where vectors copy.
enum {
    RL_HAS_COPY_LONG = !RL_SMALL && !RL_HAS_MVE,
    RL_COPY_OTHER = RL_HAS_THUMB_LOOP && !RL_HAS_THUMB2_LOOP ? 96 : 512, // 96 on a Cortex-M0
    RL_COPY_ALONE = RL_HAS_THUMB2_LOOP ? 16 : RL_COPY_OTHER,
    RL_COPY_LONG = RL_DUAL_ISSUE ? 256 : RL_COPY_OTHER,
    RL_COPY_ALIGNS = RL_HAS_THUMB2_LOOP ? 40 : RL_COPY_LONG, // for runs that begin at any address
};

// Copies `count` >= 0 elements, to and from any address. The areas do not overlap.
void rl_copy_long_s8(int8_t *to, const int8_t *from, int32_t count);

#endif
