// SPDX-License-Identifier: Apache-2.0
//
// Data for inputs of which nothing is known, to compare two forms of a program on them.
#ifndef RL_COMPILER_C_MADE_UP_H
#define RL_COMPILER_C_MADE_UP_H

#include <stddef.h>
#include <stdint.h>

#include "rushlight/types.h"

// float32: numbers between -4 and 4; bool, and int32 and int64, which may be indices: 0 and 1; else bytes of all kinds.
// They are the same ones each time: `*random` goes on from call to call, and starts as any number.
void rl_made_up_fill(enum rl_scalar_type dtype, void *data, size_t bytes, uint32_t *random);

#endif
