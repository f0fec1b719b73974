// SPDX-License-Identifier: Apache-2.0
//
// The steps of values that were integers before, such as the pixels of a camera divided by 255.
#ifndef RL_COMPILER_QUANTIZE_STEPS_H
#define RL_COMPILER_QUANTIZE_STEPS_H

#include <stddef.h>

#include "compiler/data/dataset.h"
#include "compiler/quantize/annotation.h"

// Finds the largest step of which all values are multiples, up to the rounding of floats, if no more than 255 of them
// lie between the least and the largest of these values and 0. Otherwise the step is 0, as it is for fewer than 256
// values, which show little, and for values that are all equal.
struct rl_steps rl_steps_find(const float *values, size_t count);

// Tells the observers of inputs the steps of the samples.
enum rl_status rl_quantize_find_steps(struct rl_context *context, const struct rl_annotation *annotation,
                                      const struct rl_dataset *dataset);

#endif
