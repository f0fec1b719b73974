// SPDX-License-Identifier: Apache-2.0
//
// Copies in which each index of an output element gives the index of its source along one dimension.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_MAPPED_H
#define RL_RUNTIME_OPERATORS_PORTABLE_MAPPED_H

#include "runtime/operators/portable/shape.h"

// The index in the input for index `at` along dimension `dim` of the output. It is below the size of the matching
// dimension of the input.
typedef uint32_t rl_source_function(const void *rule, uint32_t dim, uint32_t at);

// Copies every element of the output from the input. Both have the same type and share no memory. Dimensions match from
// the last one on; the output may have more in front, whose indices do not matter.
void rl_copy_mapped(const struct rl_tensor *output, const struct rl_tensor *input, rl_source_function *source,
                    const void *rule);

// Reads argument 0 and an output of this shape, or of the input's if it is NULL. Both must have the same type and share
// no memory. False after a refusal.
bool rl_read_mapped(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input, struct rl_tensor *output,
                    const struct rl_shape *shape);

#endif
