// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DATA_MOVEMENT_COPY_UNALIGNED_H
#define RL_KERNELS_DATA_MOVEMENT_COPY_UNALIGNED_H

#include <stdint.h>

#include "isa.h"

// Whether rl_copy_unaligned_s8 is there, on a Cortex-M0, whose words are aligned; and from how many elements on it
// pays.
enum { RL_HAS_COPY_UNALIGNED = RL_HAS_THUMB_LOOP && !RL_HAS_UNALIGNED_WORDS && !RL_SMALL, RL_COPY_UNALIGNED = 12 };

// Copies `count` >= RL_COPY_UNALIGNED elements between any two addresses, from the first on; `to` may lie before `from`
// in the same area. Reads whole words, and so up to three bytes before the first element and behind the last one in the
// same words.
void rl_copy_unaligned_s8(int8_t *to, const int8_t *from, int32_t count);

#endif
