// SPDX-License-Identifier: Apache-2.0
//
// Copies whose source element follows from the place in the output, dimension by dimension.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_MAPPED_H
#define RL_RUNTIME_OPERATORS_PORTABLE_MAPPED_H

#include "runtime/operators/portable/shape.h"

// Index in the input that index `at` of the output's dimension `dim` takes its element from; below the size of the
// input's dimension that goes with it.
typedef uint32_t rl_source_function(const void *rule, uint32_t dim, uint32_t at);

// Copies every element of the output from the input, both of one type and apart. Dimensions are matched from the last
// one on; the output may have more of them in front, whose indices do not matter.
void rl_copy_mapped(const struct rl_tensor *output, const struct rl_tensor *input, rl_source_function *source,
                    const void *rule);

// Reads argument 0 and an output of this shape, or of the input's when it is NULL; both must be of one type and apart.
// False after a refusal.
bool rl_read_mapped(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input, struct rl_tensor *output,
                    const struct rl_shape *shape);

#endif
