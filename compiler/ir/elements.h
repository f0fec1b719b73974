// SPDX-License-Identifier: Apache-2.0
//
// Elements of tensors, of any type.
#ifndef RL_COMPILER_IR_ELEMENTS_H
#define RL_COMPILER_IR_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/types.h"

// Converts `count` elements and keeps every value: false when a value cannot be kept, with its index in `bad`. One
// exception: float64 may be rounded to a smaller floating type, because numpy makes float64 by default, and any
// floating type to float16 and bfloat16 (to the nearest, ties to even). Supported: all integers and floating types,
// booleans.
bool rl_convert_elements(enum rl_scalar_type from, const void *source, enum rl_scalar_type to, void *target,
                         int64_t count, int64_t *bad);

// "float32"; "unknown type" for a number that is not a type.
const char *rl_dtype_name(enum rl_scalar_type dtype);

#endif
