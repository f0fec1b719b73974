// SPDX-License-Identifier: Apache-2.0
//
// Rounds the weights of layers so that the layers' results, not the weights, come close to those of the float graph.
#ifndef RL_COMPILER_QUANTIZE_ROUNDING_H
#define RL_COMPILER_QUANTIZE_ROUNDING_H

#include "compiler/data/dataset.h"
#include "compiler/quantize/annotation.h"

struct rl_rounding;

// For an annotated graph. Lives in the graph's arena.
struct rl_rounding *rl_rounding_new(const struct rl_context *context, const struct rl_annotation *annotation,
                                    const struct rl_dataset *dataset, bool corrects_means);

// Sees every value of the float graph on every sample. Allocates when it sees a value for the first time.
void rl_rounding_observe(struct rl_rounding *rounding, int worker, const struct rl_value *value, const void *data);

// The bytes that it allocates then.
size_t rl_rounding_keeps(const struct rl_rounding *rounding, const struct rl_value *value);

// Once all scales are chosen: gives the observers of weights their integers.
void rl_rounding_run(const struct rl_rounding *rounding);

#endif
